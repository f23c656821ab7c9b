// A tool call in one line: what is done, and behind it what came of it.

import type { Style } from "../terminal/style.ts";
import type { AgentEvent } from "../agent-events.ts";
import { callName } from "./event-line.ts";
import type { Page } from "./page.ts";
import { oneLine } from "../terminal/safe-text.ts";

type Started = Extract<AgentEvent, { type: "tool_started" }>;
type Finished = Extract<AgentEvent, { type: "tool_finished" }>;

export interface CallLines {
  /** Leaves the line open for what comes of it. */
  start(event: Started): void;
  /** Whether its line was still open, and now has its end. */
  finishHere(event: Finished): boolean;
  /** On a line of its own: something else has been written since. */
  finishElsewhere(event: Finished): void;
}

export interface CallLinesOptions {
  page: Page;
  style: Style;
  short(text: string): string;
  margin: string;
  width: number;
}

// Wider than any page: what does not fit there goes below.
const LONGEST = 1000;

export function createCallLines({ page, style, short, margin, width }: CallLinesOptions): CallLines {
  const open = new Map<string, { line: number; length: number }>();
  const nameOf = ({ toolName, title }: Started | Finished) => short(callName(toolName, title));
  const paint = (success: boolean) => (success ? style.dim : style.bad);
  return {
    start(event) {
      const name = oneLine(nameOf(event), width - 2);
      page.write(`${margin}${style.accent("●")} ${name}`);
      open.set(event.callId, { line: page.line, length: name.length + 2 });
    },
    finishHere(event) {
      const call = open.get(event.callId);
      open.delete(event.callId);
      if (call === undefined || !page.isOpen || page.line !== call.line) return false;
      const words = outcomeWords(event, short);
      const outcome = paint(event.success);
      const end = oneLine(`${event.success ? "·" : "✗"} ${words}`, LONGEST);
      if (words === "") page.write("\n");
      else if (call.length + 1 + end.length <= width) page.write(` ${outcome(end)}\n`);
      else
        page.write(`\n${margin}  ${outcome(oneLine(`${event.success ? "└" : "✗"} ${words}`, width - 2))}\n`);
      return true;
    },
    finishElsewhere(event) {
      const words = outcomeWords(event, short);
      const line = `${event.success ? "└" : "✗"} ${nameOf(event)}${words === "" ? "" : ` · ${words}`}`;
      page.write(`${margin}${paint(event.success)(oneLine(line, width))}\n`);
    },
  };
}

function outcomeWords({ success, summary }: Finished, short: (text: string) => string): string {
  const words = short(summary).trim();
  return words === "" && !success ? "failed" : words;
}
