// The keyboard, or a pipe in its place: prompts, answers and Ctrl-C.

import { performance } from "node:perf_hooks";
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { isTerminal, type Style } from "../terminal/style.ts";
import { safeText } from "../terminal/text.ts";
import { type Page, pageOn } from "./page.ts";
import type { Complete } from "./slash-commands.ts";

export interface TerminalOptions {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  style: Style;
  /** A line typed while the agent works. */
  onQueued?: (text: string) => void;
  /** Tab completion for prompts. */
  complete?: Complete;
  /** Ctrl-C: stop the current work. */
  onAbort?: () => void;
  /** Ctrl-C twice: end the session. */
  onEnd?: () => void;
  /** Emits SIGINT for interrupts other than the key. */
  signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  now?: () => number;
}

export interface Terminal {
  /** Whether there is a user to ask. */
  isTty: boolean;
  /** The next prompt; undefined at the end. Empty lines are skipped, unless `emptyIs` gives them a meaning. */
  prompt(options?: { emptyIs?: string | undefined }): Promise<string | undefined>;
  /** Asks one question at a time; undefined without a user, or after Ctrl-C or Ctrl-D. */
  ask(question: Question): Promise<string | undefined>;
  close(): void;
}

export interface Question {
  /** Whole lines above the input row, safe for a terminal. */
  body: string;
  prompt: string;
}

interface Asked extends Question {
  settle(answer: string | undefined): void;
  /** What was being typed when the question came; restored afterwards. */
  typed?: string;
}

const TWICE_MS = 2000;
const PROMPT = "› ";
const MORE = "… ";

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, style, onQueued, onAbort, onEnd, signals = process } = options;
  const now = options.now ?? (() => performance.now());
  const isTty = input.isTTY === true && isTerminal(output);
  const page = pageOn(output);
  const lines = createTypedLines();
  const ready: string[] = [];
  const asked: Asked[] = [];
  let prompting: ((text: string | undefined) => void) | undefined;
  let emptyLine: string | undefined;
  let isClosed = false;
  let interruptedAt = Number.NEGATIVE_INFINITY;

  const row = isTty
    ? createInputRow({
        input,
        output,
        page,
        onLine: takeLine,
        onKey,
        onInterrupt: interrupt,
        complete: async (line) =>
          asked.length > 0 || lines.hasBegun ? [[], line] : ((await options.complete?.(line)) ?? [[], line]),
        onClose: closed,
        isRemembered: () => asked.length === 0,
      })
    : undefined;
  const pipe = isTty
    ? undefined
    : createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
  pipe?.on("line", takeLine).on("close", closed).on("error", close);
  input.on("error", close);
  signals.on("SIGINT", interrupt);

  function onKey(name: string | undefined): void {
    if (name === "paste-start") lines.isPasting = true;
    if (name === "paste-end") lines.isPasting = false;
    refresh();
  }

  function refresh(): void {
    if (row === undefined || isClosed) return;
    const [question] = asked;
    if (question !== undefined) row.show(lines.hasBegun ? MORE : question.prompt);
    else if (prompting !== undefined || row.text !== "" || lines.hasBegun)
      row.show(style.accent(lines.hasBegun ? MORE : PROMPT));
    else row.hide();
  }

  function takeLine(line: string): void {
    const text = lines.add(line);
    if (text !== undefined) deliver(text.trimEnd());
    // Read a pipe only as fast as its prompts are handled.
    if (ready.length > 0) pipe?.pause();
    refresh();
  }

  function deliver(text: string): void {
    if (asked.length > 0) answer(text);
    else if (text === "" && (prompting === undefined || emptyLine === undefined)) return;
    else if (prompting !== undefined) settlePrompt(text === "" ? emptyLine : text);
    else if (isTty && onQueued !== undefined) {
      refresh();
      onQueued(text);
    } else ready.push(text);
  }

  function settlePrompt(text: string | undefined): void {
    const settle = prompting;
    prompting = undefined;
    refresh();
    if (text !== undefined && !isTty) {
      page.freshLine();
      page.write(`${style.bold("›")} ${safeText(text)}\n`);
    }
    settle?.(text);
  }

  function answer(text: string | undefined): void {
    const question = asked.shift();
    if (question?.typed !== undefined && !isClosed) row?.replace(question.typed);
    beginQuestion();
    question?.settle(text);
  }

  function beginQuestion(): void {
    const [question] = asked;
    if (question !== undefined) {
      page.freshLine();
      page.write(question.body);
      question.typed = row?.replace("") ?? "";
    }
    refresh();
  }

  function interrupt(): void {
    const isTwice = now() - interruptedAt < TWICE_MS;
    interruptedAt = now();
    if (isTwice) {
      lines.flush();
      close();
      onEnd?.();
    } else if (prompting === undefined || asked.length > 0) {
      while (asked.length > 0) answer(undefined);
      onAbort?.();
    } else {
      lines.flush();
      row?.replace("");
      page.write(style.dim("Press Ctrl-C again to end the session.\n"));
      refresh();
    }
  }

  function close(): void {
    signals.off("SIGINT", interrupt);
    row?.close();
    pipe?.close();
  }

  /** The input has ended; the current work can still be interrupted. */
  function closed(): void {
    isClosed = true;
    while (asked.length > 0) answer(undefined);
    const rest = lines.flush();
    if (rest !== undefined) deliver(rest.trimEnd());
    settlePrompt(undefined);
  }

  return {
    isTty,
    prompt({ emptyIs } = {}) {
      return new Promise((resolve) => {
        prompting = resolve;
        emptyLine = emptyIs;
        if (ready.length > 0 || isClosed) settlePrompt(ready.shift());
        else {
          page.freshLine();
          pipe?.resume();
          refresh();
        }
      });
    },
    ask(question) {
      if (!isTty || isClosed) return Promise.resolve(undefined);
      return new Promise((settle) => {
        asked.push({ ...question, settle });
        if (asked.length === 1) beginQuestion();
      });
    },
    close,
  };
}

// The input row, driven by readline: visible only while the user types or is asked.

export interface InputRow {
  /** Draws the row below everything else. */
  show(prompt: string): void;
  hide(): void;
  /** The current text. */
  readonly text: string;
  /** Replaces the text and returns the old one. */
  replace(text: string): string;
  close(): void;
}

export interface InputRowOptions {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream & { columns?: number };
  page: Page;
  onLine(line: string): void;
  /** After each key. */
  onKey(name: string | undefined): void;
  onInterrupt(): void;
  onClose(): void;
  /** Tab completion for the text before the cursor. */
  complete(line: string): Promise<[candidates: string[], part: string]>;
  /** Whether the current line belongs into the history. */
  isRemembered(): boolean;
}

// Bracketed paste: the terminal marks pasted text.
const PASTE_MARKS_ON = "\u001b[?2004h";
const PASTE_MARKS_OFF = "\u001b[?2004l";

export function createInputRow(options: InputRowOptions): InputRow {
  const { input, output, page, onLine, onKey, onInterrupt, onClose, isRemembered } = options;
  let prompt = "";
  let isShown = false;
  let isDrawn = false;
  const typing = createInterface({
    input,
    output: echoTo(output, () => isShown),
    terminal: true,
    completer(line: string, done: (error: null, found: [string[], string]) => void) {
      options.complete(line).then(
        (found) => done(null, found),
        () => done(null, [[], line]),
      );
    },
  });
  let remembered: string[] = [];

  typing.on("line", (line) => {
    isDrawn = false;
    onLine(line);
  });
  typing.on("SIGINT", onInterrupt);
  typing.on("error", () => typing.close());
  typing.on("close", () => {
    hide();
    output.write(PASTE_MARKS_OFF);
    onClose();
  });
  typing.on("history", (history: string[]) => {
    if (isRemembered()) remembered = [...history];
    else history.splice(0, history.length, ...remembered);
  });
  // Registered after readline's own listener, so the text is up to date.
  input.on("keypress", (_text: string | undefined, key: { name?: string } | undefined) => onKey(key?.name));
  output.write(PASTE_MARKS_ON);

  function draw(): void {
    isDrawn = true;
    typing.prompt(true);
  }

  function erase(): void {
    const { rows } = typing.getCursorPos();
    output.write(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
    // Otherwise readline would move up by the rows that are gone.
    (typing as Interface & { prevRows: number }).prevRows = 0;
  }

  function hide(): void {
    if (!isShown) return;
    page.release();
    isShown = false;
  }

  return {
    show(next) {
      const isOther = next !== prompt;
      prompt = next;
      if (isShown && isOther && isDrawn) erase();
      typing.setPrompt(next);
      if (!isShown) {
        isShown = true;
        page.hold({ hide: erase, show: draw });
      } else if (isOther || !isDrawn) draw();
    },
    hide,
    get text() {
      return typing.line;
    },
    replace(text) {
      const was = typing.line;
      if (was === text) return was;
      typing.write(null, { ctrl: true, name: "e" });
      typing.write(null, { ctrl: true, name: "u" });
      if (text !== "") typing.write(text);
      return was;
    },
    close: () => typing.close(),
  };
}

/** Passes on what readline draws only while the row is visible. */
function echoTo(output: InputRowOptions["output"], isSeen: () => boolean): Writable {
  const echo = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (isSeen()) output.write(text);
      done();
    },
  });
  Object.defineProperty(echo, "columns", { get: () => output.columns });
  output.on("resize", () => echo.emit("resize"));
  return echo;
}

// Joins lines: after a backslash at the end of a line, and within a paste.

export interface TypedLines {
  /** Returns the whole text when this was the last line. */
  add(line: string): string | undefined;
  /** Returns what there is, when no more lines come. */
  flush(): string | undefined;
  /** True between the terminal's paste marks: no line is the last one. */
  isPasting: boolean;
  readonly hasBegun: boolean;
}

export function createTypedLines(): TypedLines {
  let lines: string[] = [];
  const lineUp = (): string => {
    const all = lines.join("\n");
    lines = [];
    return all;
  };
  return {
    isPasting: false,
    add(line) {
      const goesOn = !this.isPasting && line.endsWith("\\");
      lines.push(goesOn ? line.slice(0, -1) : line);
      return goesOn || this.isPasting ? undefined : lineUp();
    },
    flush: () => (lines.length === 0 ? undefined : lineUp()),
    get hasBegun() {
      return lines.length > 0;
    },
  };
}
