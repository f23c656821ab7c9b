// Writes down who says what: the agent's text as it comes, the lines of its sub-agents indented below their name.

import type { Style } from "../terminal/style.ts";
import { indent } from "../terminal/text.ts";
import { createWordWrap, wrapped } from "../terminal/word-wrap.ts";
import { type CallLines, createCallLines } from "./call-lines.ts";
import type { Page } from "./page.ts";
import { createSafeStream, oneLine } from "../terminal/safe-text.ts";
import { createTextBlock } from "./text-block.ts";

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

export interface Scribe {
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

export interface ScribeOptions {
  page: Page;
  style: Style;
  width: number;
  short(text: string): string;
}

const STEP = "  ";

export function createScribe({ page, style, width, short }: ScribeOptions): Scribe {
  const textBlock = createTextBlock(page);
  const wrap = createWordWrap(width);
  let speaking: Speaker | undefined;
  let last: "nothing" | "text" | "line" = "nothing";

  function beginLine(speaker: Speaker): void {
    page.freshLine();
    if (last === "text") page.write("\n");
    last = "line";
    if (speaker !== speaking && speaker.depth > 0) {
      const name = oneLine(`◆ ${speaker.agentType}`, speaker.width + STEP.length);
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
