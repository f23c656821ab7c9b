// What a task wrote and nobody heard of yet: told in a few words, now and then.

import { lastLines } from "./last-lines.ts";

export interface TaskNews {
  add(text: string): void;
  /** Someone has read all of it. */
  heard(): void;
  /** Its last words; nothing is told any more. */
  end(): string;
}

const EVERY_MS = 1000;
// More than any summary needs.
const KEPT = 4000;

export function createTaskNews(tell: (summary: string) => void): TaskNews {
  let unheard = "";
  let latest = "";
  let timer: NodeJS.Timeout | undefined;
  const heard = () => {
    unheard = "";
    clearTimeout(timer);
    timer = undefined;
  };
  const tellIt = () => {
    const summary = lastLines(unheard, { count: 1, most: 200 });
    heard();
    if (summary !== "") tell(summary);
  };
  return {
    add(text) {
      unheard = (unheard + text).slice(-KEPT);
      latest = (latest + text).slice(-KEPT);
      timer ??= setTimeout(tellIt, EVERY_MS).unref();
    },
    heard,
    end() {
      heard();
      return lastLines(latest, { count: 3, most: 400 });
    },
  };
}
