// The person at the keyboard, or the pipe in their place: prompts, answers, and Ctrl-C.

import { performance } from "node:perf_hooks";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Style } from "../terminal/style.ts";
import { safeText } from "../terminal/text.ts";
import { createInputRow, createTypedLines } from "./input-row.ts";
import { pageOn } from "./page.ts";
import type { Complete } from "./slash-commands.ts";

export interface TerminalOptions {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  style: Style;
  /** Typed while nobody asked: the agent is at work. */
  onQueued?: (text: string) => void;
  /** What Tab offers while a prompt is typed. */
  complete?: Complete;
  /** Ctrl-C: what runs is to stop. */
  onAbort?: () => void;
  /** Ctrl-C twice: everything is to stop. */
  onEnd?: () => void;
  /** Where an interrupt comes from that is no key. */
  signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  now?: () => number;
}

export interface Terminal {
  /** Whether somebody is there who can be asked. */
  isTty: boolean;
  /** The next prompt, or nothing when there are no more. An empty line is passed over, unless it stands for something. */
  prompt(options?: { emptyIs?: string | undefined }): Promise<string | undefined>;
  /** One question after the other; no answer where nobody is there, or Ctrl-C or Ctrl-D was pressed. */
  ask(question: Question): Promise<string | undefined>;
  close(): void;
}

export interface Question {
  /** Whole lines above the row for the answer, safe for a terminal. */
  body: string;
  prompt: string;
}

interface Asked extends Question {
  settle(answer: string | undefined): void;
  /** What was being typed when the question came: no answer to it. */
  typed?: string;
}

const TWICE_MS = 2000;
const PROMPT = "› ";
const MORE = "… ";

export function createTerminal(options: TerminalOptions): Terminal {
  const { input, output, style, onQueued, onAbort, onEnd, signals = process } = options;
  const now = options.now ?? (() => performance.now());
  const isTty = input.isTTY === true && output.isTTY === true && process.env.TERM !== "dumb";
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
    // A pipe is read as fast as its prompts are worked off.
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
      page.write(style.dim("Ctrl-C again ends.\n"));
      refresh();
    }
  }

  function close(): void {
    signals.off("SIGINT", interrupt);
    row?.close();
    pipe?.close();
  }

  /** No more is typed; what runs can still be interrupted. */
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
