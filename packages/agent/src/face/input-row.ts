// The row a person types in, led by readline: seen only while there is something to type or to answer.

import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { Page } from "./page.ts";

export interface InputRow {
  /** Draws it below everything else. */
  show(prompt: string): void;
  hide(): void;
  /** What stands in it. */
  readonly text: string;
  /** Puts something else there and gives what was. */
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
  /** What Tab offers for what stands before the cursor. */
  complete(line: string): Promise<[candidates: string[], part: string]>;
  /** Whether what is typed now is worth coming back to. */
  isRemembered(): boolean;
}

// With these a terminal tells what is pasted from what is typed.
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
  // Behind readline's own listener: it has taken the key in by now.
  input.on("keypress", (_text: string | undefined, key: { name?: string } | undefined) => onKey(key?.name));
  output.write(PASTE_MARKS_ON);

  function draw(): void {
    isDrawn = true;
    typing.prompt(true);
  }

  function erase(): void {
    const { rows } = typing.getCursorPos();
    output.write(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
    // Else readline would go up again by the rows that are gone.
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

/** What readline draws, let through only while the row is to be seen. */
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

// Lines put together: a backslash at the end of a line, or a paste, goes on with the next one.

export interface TypedLines {
  /** All of it when this line was the last one. */
  add(line: string): string | undefined;
  /** What there is, where no more lines come. */
  flush(): string | undefined;
  /** Between the marks with which a terminal encloses a paste, no line is the last one. */
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
