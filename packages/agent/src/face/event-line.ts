// What an agent does, each in one line.

import type { AgentEvent, ShownReminder, TokenUsage } from "../agent-events.ts";
import type { Style } from "../terminal/style.ts";
import { count, grouped, safeLine } from "../terminal/text.ts";
import type { Page } from "./page.ts";

export interface LineOptions {
  style: Style;
  width: number;
  /** Makes the paths in a text short. */
  short(text: string): string;
}

// Fewer letters say nothing.
const LEAST_ABOUT = 4;

/** Nothing for what is shown in another way. */
export function eventLine(event: AgentEvent, { style, width, short }: LineOptions): string | undefined {
  const line = (text: string) => safeLine(short(text), width);
  switch (event.type) {
    case "retrying":
      return style.warn(line(`↻ ${retryWords(event)}`));
    case "failed":
      return style.bad(line(`✗ ${event.message}`));
    case "aborted":
      return style.warn("■ stopped");
    case "compacted":
      return style.dim(
        line(`⇣ compacted: ${grouped(event.tokensBefore)} tokens are now ${grouped(event.tokensAfter)}`),
      );
    case "results_cleared":
      return style.dim(line(`⇣ ${count(event.count, "old tool result")} cleared`));
    case "task":
      return taskPaint(
        event.status,
        style,
      )(line(`▸ task ${event.taskId} ${event.status}: ${event.description}`));
    case "mode_changed":
      return style.accent(line(`▸ ${event.mode} mode`));
    default:
      return undefined;
  }
}

export function retryWords({ attempt, waitMs, why }: Extract<AgentEvent, { type: "retrying" }>): string {
  return `try ${attempt} failed, again in ${seconds(waitMs)}: ${why}`;
}

/** As `· edited_text_file src/a.ts, 84 tokens`: where room is short, it is taken from what it is about. */
export function reminderMark({ type, about, tokens, again }: ShownReminder, options: LineOptions): string {
  const { style, width, short } = options;
  const head = `· ${type}`;
  const tail = `, ${count(tokens, "token")}${again ? ", again" : ""}`;
  const room = width - head.length - tail.length - 1;
  const middle = about === "" || room < LEAST_ABOUT ? "" : ` ${safeLine(short(about), room)}`;
  return style.dim(safeLine(head + middle + tail, width));
}

/** As `plan · 12 340 in, 850 out · 93 % cached · $0.042`. */
export function usageLine(usage: TokenUsage, { mode, costUsd }: { mode?: string; costUsd?: number }): string {
  const { input, output, cacheRead } = usage;
  return [
    ...(mode === undefined ? [] : [mode]),
    `${grouped(input)} in, ${grouped(output)} out`,
    // Rounded down: all is said only where all of it was.
    ...(input > 0 ? [`${Math.floor((100 * cacheRead) / input)} % cached`] : []),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
  ].join(" · ");
}

/** A title that names its tool is not given the name twice. */
export function callName(toolName: string, title: string): string {
  return title === toolName || title.startsWith(`${toolName} `) ? title : `${toolName} ${title}`;
}

function taskPaint(status: "running" | "completed" | "failed", style: Style): (text: string) => string {
  return { running: style.dim, completed: style.good, failed: style.bad }[status];
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

function dollars(costUsd: number): string {
  if (costUsd > 0 && costUsd < 0.001) return "< $0.001";
  return `$${costUsd.toFixed(costUsd < 1 ? 3 : 2)}`;
}

// A tool call in one line: what is done, and behind it what came of it.

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
      const name = safeLine(nameOf(event), width - 2);
      page.write(`${margin}${style.accent("●")} ${name}`);
      open.set(event.callId, { line: page.line, length: name.length + 2 });
    },
    finishHere(event) {
      const call = open.get(event.callId);
      open.delete(event.callId);
      if (call === undefined || !page.isOpen || page.line !== call.line) return false;
      const words = outcomeWords(event, short);
      const outcome = paint(event.success);
      const end = safeLine(`${event.success ? "·" : "✗"} ${words}`, LONGEST);
      if (words === "") page.write("\n");
      else if (call.length + 1 + end.length <= width) page.write(` ${outcome(end)}\n`);
      else
        page.write(`\n${margin}  ${outcome(safeLine(`${event.success ? "└" : "✗"} ${words}`, width - 2))}\n`);
      return true;
    },
    finishElsewhere(event) {
      const words = outcomeWords(event, short);
      const line = `${event.success ? "└" : "✗"} ${nameOf(event)}${words === "" ? "" : ` · ${words}`}`;
      page.write(`${margin}${paint(event.success)(safeLine(line, width))}\n`);
    },
  };
}

function outcomeWords({ success, summary }: Finished, short: (text: string) => string): string {
  const words = short(summary).trim();
  return words === "" && !success ? "failed" : words;
}
