// Output for people: text as it streams, one line per tool call and reminder, sub-agents indented.

import { homedir } from "node:os";
import type { AgentEvent, Listener } from "../agent-events.ts";
import { addUsage, noUsage } from "../model/model-facts.ts";
import type { Style } from "../terminal/style.ts";
import {
  count,
  createSafeStream,
  createShortPaths,
  createWordWrap,
  indent,
  safeLine,
  safeText,
  wrapped,
} from "../terminal/text.ts";
import { type CallLines, createCallLines, eventLine, reminderMark, usageLine } from "./event-line.ts";
import { createSpinner, type Out, type Page, pageOn } from "./page.ts";

export interface TextFaceOptions {
  out: Out;
  style: Style;
  /** Print reminders in full, not only as a line. */
  showReminders?: boolean;
  width: number;
  cwd: string;
  isTty: boolean;
}

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

const LONGEST_LINE = 4000;
// Some terminals report no columns at all.
const LEAST_WIDTH = 20;
const UNFOLDED = "    ";

export function createTextFace(options: TextFaceOptions): Listener {
  const { out, style, showReminders = false, cwd, isTty } = options;
  const width = Math.max(LEAST_WIDTH, options.width);
  const page = pageOn(out);
  const paths = createShortPaths({ cwd, home: homedir() });
  const short = (text: string) => paths.words(text.slice(0, LONGEST_LINE));
  const writer = createTextWriter({ page, style, width, short });
  const main = writer.createSpeaker(0, "");
  const subagents = new Map<string, Speaker>();
  /** Events from elsewhere that came in the middle of a line of the answer. */
  const held: AgentEvent[] = [];
  let mode = "normal";
  let usage = noUsage;
  const spinner = createSpinner(page);

  function show(event: AgentEvent, speaker: Speaker): void {
    if (event.type === "subagent") show(event.event, speakerOf(event, speaker));
    else {
      if (!isAside(event)) settle(event, speaker);
      showOwn(event, speaker);
      if (speaker.depth === 0) keepStatus(event);
    }
  }

  function speakerOf({ sessionId, agentType, ofProject }: Event<"subagent">, parent: Speaker): Speaker {
    const name = ofProject ? `${agentType} (from this project)` : agentType;
    const speaker = subagents.get(sessionId) ?? writer.createSpeaker(parent.depth + 1, name);
    subagents.set(sessionId, speaker);
    return speaker;
  }

  /** Finishes text and reasoning before something else is shown. */
  function settle(event: AgentEvent, speaker: Speaker): void {
    if (event.type !== "text") writer.endText(speaker);
    if (event.type === "reasoning" || speaker.reasoning.trim() === "") return;
    writer.line(speaker, style.dim(safeLine(`∴ ${speaker.reasoning}`, speaker.width)));
    speaker.reasoning = "";
  }

  function showOwn(event: AgentEvent, speaker: Speaker): void {
    const lineOptions = { style, short, width: speaker.width };
    switch (event.type) {
      case "text":
        writer.say(speaker, event.text);
        break;
      case "reasoning":
        speaker.reasoning = (speaker.reasoning + event.text).slice(0, LONGEST_LINE);
        break;
      case "tool_started":
        writer.beginLine(speaker);
        speaker.calls.start(event);
        break;
      case "tool_finished":
        if (speaker.calls.finishHere(event)) break;
        writer.beginLine(speaker);
        speaker.calls.finishElsewhere(event);
        break;
      case "reminder":
        writer.line(speaker, reminderMark(event.reminder, lineOptions));
        if (showReminders)
          writer.line(speaker, unfolded(event.reminder.text, { style, width: speaker.width }));
        break;
      case "notice":
        writer.line(speaker, wrapped(safeText(event.text).trimEnd(), speaker.width));
        break;
      case "finished":
        finish(event, speaker);
        break;
      default: {
        const line = eventLine(event, lineOptions);
        if (line !== undefined) writer.line(speaker, line);
      }
    }
  }

  function finish(event: Event<"finished">, speaker: Speaker): void {
    const cost = event.costUsd === undefined ? {} : { costUsd: event.costUsd };
    if (speaker.depth > 0) {
      const words = `${count(event.turns, "turn")} · ${usageLine(event.usage, cost)}`;
      writer.line(speaker, style.dim(safeLine(words, speaker.width)));
    } else {
      writer.close(style.dim(safeLine(usageLine(event.usage, { mode, ...cost }), width)));
      usage = noUsage;
    }
  }

  function keepStatus(event: AgentEvent): void {
    if ("mode" in event) mode = event.mode;
    if (event.type === "turn_finished") usage = addUsage(usage, event.usage);
    if (event.type !== "turn_started" || !isTty) return;
    const soFar = usage === noUsage ? mode : usageLine(usage, { mode });
    spinner.start((frame) => style.dim(safeLine(`${frame} ${soFar} · turn ${event.turn} …`, width - 8)));
  }

  function showHeld(): void {
    for (const event of held.splice(0)) show(event, main);
  }

  return (event) => {
    spinner.stop();
    if (isAside(event) && writer.isMidLine()) {
      held.push(event);
      return;
    }
    if (!isAside(event)) settle(event, main);
    if (event.type !== "text") showHeld();
    show(event, main);
    if (!page.isOpen) showHeld();
  };
}

/** Events that can come at any time and do not end the current text. */
function isAside({ type }: AgentEvent): boolean {
  return type === "subagent" || type === "task" || type === "notice";
}

function unfolded(text: string, { style, width }: { style: Style; width: number }): string {
  return wrapped(safeText(text).trimEnd(), width - UNFOLDED.length)
    .split("\n")
    .map((line) => (line === "" ? line : `${UNFOLDED}${style.dim(line)}`))
    .join("\n");
}

// Lays out text by speaker: the agent's as it streams, sub-agents' lines indented below their name.

export interface Speaker {
  /** 0: the agent itself. */
  depth: number;
  agentType: string;
  /** The width of its lines. */
  width: number;
  calls: CallLines;
  stream: (piece: string) => string;
  /** A sub-agent's unfinished line. */
  begun: string;
  reasoning: string;
}

export interface TextWriter {
  createSpeaker(depth: number, agentType: string): Speaker;
  /** Writes a piece of text. */
  say(speaker: Speaker, piece: string): void;
  /** Writes whole lines that are already styled and safe. */
  line(speaker: Speaker, text: string): void;
  /** Prepares a line that the caller writes. */
  beginLine(speaker: Speaker): void;
  /** Ends the current text. */
  endText(speaker: Speaker): void;
  /** Writes the last line for a prompt. */
  close(text: string): void;
  /** Whether a line of the agent's text is unfinished. */
  isMidLine(): boolean;
}

export interface TextWriterOptions {
  page: Page;
  style: Style;
  width: number;
  short(text: string): string;
}

const STEP = "  ";

export function createTextWriter({ page, style, width, short }: TextWriterOptions): TextWriter {
  const textBlock = createTextBlock(page);
  const wrap = createWordWrap(width);
  let speaking: Speaker | undefined;
  let last: "nothing" | "text" | "line" = "nothing";

  function beginLine(speaker: Speaker): void {
    page.freshLine();
    if (last === "text") page.write("\n");
    last = "line";
    if (speaker !== speaking && speaker.depth > 0) {
      const name = safeLine(`◆ ${speaker.agentType}`, speaker.width + STEP.length);
      page.write(`${STEP.repeat(speaker.depth - 1)}${style.accent(name)}\n`);
    }
    speaking = speaker;
  }

  function line(speaker: Speaker, text: string): void {
    beginLine(speaker);
    page.write(`${indent(text, STEP.repeat(speaker.depth))}\n`);
  }

  function sayAsItComes(speaker: Speaker, text: string): void {
    if (last !== "text") textBlock.end();
    if (!textBlock.wouldShow(text)) return;
    if (last !== "text") page.freshLine();
    if (last === "line") page.write("\n");
    last = "text";
    speaking = speaker;
    textBlock.add(text);
  }

  /** Sub-agents may write at the same time, so only whole lines are printed. */
  function sayInLines(speaker: Speaker, text: string): void {
    const lines = (speaker.begun + text).split("\n");
    speaker.begun = lines.pop() ?? "";
    for (const one of lines) if (one.trim() !== "") line(speaker, wrapped(one.trimEnd(), speaker.width));
  }

  return {
    createSpeaker(depth, agentType) {
      const margin = STEP.repeat(depth);
      const room = width - margin.length;
      const calls = createCallLines({ page, style, short, margin, width: room });
      return { depth, agentType, width: room, calls, stream: createSafeStream(), begun: "", reasoning: "" };
    },
    say(speaker, piece) {
      const text = speaker.stream(piece);
      if (speaker.depth > 0) sayInLines(speaker, text);
      else sayAsItComes(speaker, wrap.add(text));
    },
    line,
    beginLine,
    endText(speaker) {
      if (speaker.depth > 0) sayInLines(speaker, "\n");
      else {
        sayAsItComes(speaker, wrap.end());
        if (textBlock.end()) page.freshLine();
      }
      speaker.stream = createSafeStream();
    },
    close(text) {
      page.freshLine();
      page.write(`${last === "nothing" ? "" : "\n"}${text}\n`);
      last = "nothing";
      speaking = undefined;
    },
    isMidLine: () => last === "text" && page.isOpen,
  };
}

// A streamed answer without empty lines before and after it.

export interface TextBlock {
  /** Whether the text would show anything now. */
  wouldShow(text: string): boolean;
  add(text: string): void;
  /** Returns whether there was any text. */
  end(): boolean;
}

export function createTextBlock(page: Page): TextBlock {
  let hasBegun = false;
  /** Line breaks to write once more text follows. */
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
      // Write the first break at once, so that others can write below.
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
