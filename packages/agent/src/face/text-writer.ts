// Writes down who says what: the agent's text as it comes, the lines of its sub-agents indented below their name.

import type { Style } from "../terminal/style.ts";
import { createSafeStream, indent, safeLine } from "../terminal/text.ts";
import { createWordWrap, wrapped } from "../terminal/word-wrap.ts";
import { type CallLines, createCallLines } from "./event-line.ts";
import type { Page } from "./page.ts";

export interface Speaker {
  /** 0 is the agent itself. */
  depth: number;
  agentType: string;
  /** What a line of its own has room for. */
  width: number;
  calls: CallLines;
  stream: (piece: string) => string;
  /** The line a sub-agent has begun. */
  begun: string;
  reasoning: string;
}

export interface TextWriter {
  createSpeaker(depth: number, agentType: string): Speaker;
  /** A piece of a text, which need not end with a line. */
  say(speaker: Speaker, piece: string): void;
  /** Lines, painted and safe. */
  line(speaker: Speaker, text: string): void;
  /** For a line that the caller writes. */
  beginLine(speaker: Speaker): void;
  /** Ends a text that was being said. */
  endText(speaker: Speaker): void;
  /** The last line of a prompt's work. */
  close(text: string): void;
  /** Whether a line of the agent's text is not at its end yet. */
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

  /** Several may speak at once: only whole lines can be told apart. */
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

// The answer as it is streamed: no empty lines before and behind it, whatever the model sends.

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
