// An agent's events, one line each.

import type { AgentEvent, ShownReminder, TokenUsage } from "../agent-events.ts";
import type { Style } from "../terminal/style.ts";
import { count, grouped, safeLine } from "../terminal/text.ts";
import type { Page } from "./page.ts";

export interface LineOptions {
  style: Style;
  width: number;
  /** Shortens the paths in a text. */
  short(text: string): string;
}

// Fewer characters say nothing.
const LEAST_ABOUT = 4;

/** Returns undefined for events that are shown in another way. */
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
        line(`⇣ compacted: ${grouped(event.tokensBefore)} tokens to ${grouped(event.tokensAfter)}`),
      );
    case "results_cleared":
      return style.dim(line(`⇣ cleared ${count(event.count, "old tool result")}`));
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
  return `attempt ${attempt} failed, retrying in ${seconds(waitMs)}: ${why}`;
}

/** For example `· edited_text_file src/a.ts, 84 tokens`. When the line is too long, the middle is cut. */
export function reminderMark({ type, about, tokens, again }: ShownReminder, options: LineOptions): string {
  const { style, width, short } = options;
  const head = `· ${type}`;
  const tail = `, ${count(tokens, "token")}${again ? ", again" : ""}`;
  const room = width - head.length - tail.length - 1;
  const middle = about === "" || room < LEAST_ABOUT ? "" : ` ${safeLine(short(about), room)}`;
  return style.dim(safeLine(head + middle + tail, width));
}

/** For example `plan · 12,340 in, 850 out · 93% cached · $0.042`. */
export function usageLine(usage: TokenUsage, { mode, costUsd }: { mode?: string; costUsd?: number }): string {
  const { input, output, cacheRead } = usage;
  return [
    ...(mode === undefined ? [] : [mode]),
    `${grouped(input)} in, ${grouped(output)} out`,
    // Rounded down: 100% means all of it.
    ...(input > 0 ? [`${Math.floor((100 * cacheRead) / input)}% cached`] : []),
    ...(costUsd === undefined ? [] : [dollars(costUsd)]),
  ].join(" · ");
}

/** Adds the tool's name, unless the title starts with it. */
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

// A tool call in one line: the call, then its outcome.

type Started = Extract<AgentEvent, { type: "tool_started" }>;
type Finished = Extract<AgentEvent, { type: "tool_finished" }>;

export interface CallLines {
  /** Writes the call and leaves the line open for the outcome. */
  start(event: Started): void;
  /** Adds the outcome if the line is still open; returns whether it was. */
  finishHere(event: Finished): boolean;
  /** Writes the outcome on a new line, after other output. */
  finishElsewhere(event: Finished): void;
}

export interface CallLinesOptions {
  page: Page;
  style: Style;
  short(text: string): string;
  margin: string;
  width: number;
}

// Wider than any page: what does not fit goes below.
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
