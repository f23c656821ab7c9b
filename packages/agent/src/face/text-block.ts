// The answer as it is streamed: no empty lines before and behind it, whatever the model sends.

import type { Page } from "./page.ts";

export interface TextBlock {
  /** Whether anything of it would be seen now. */
  wouldShow(text: string): boolean;
  add(text: string): void;
  /** Whether there was one. */
  end(): boolean;
}

export function createTextBlock(page: Page): TextBlock {
  let hasBegun = false;
  /** Line breaks that are written when something follows. */
  let breaks = 0;
  return {
    wouldShow: (text) => hasBegun || text.trim() !== "",
    add(text) {
      const start = hasBegun ? 0 : leadingBreaks(text);
      const end = text.length - trailingBreaks(text);
      if (start < end) {
        page.write("\n".repeat(breaks) + text.slice(start, end));
        breaks = 0;
        hasBegun = true;
      }
      breaks += text.length - Math.max(start, end);
      // The first one ends the line, so that others may write below it.
      if (breaks > 0 && page.isOpen) {
        page.write("\n");
        breaks -= 1;
      }
    },
    end() {
      const was = hasBegun;
      hasBegun = false;
      breaks = 0;
      return was;
    },
  };
}

function leadingBreaks(text: string): number {
  let found = 0;
  while (text[found] === "\n") found += 1;
  return found;
}

function trailingBreaks(text: string): number {
  let found = 0;
  while (found < text.length && text[text.length - 1 - found] === "\n") found += 1;
  return found;
}
