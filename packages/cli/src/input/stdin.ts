// Text from stdin: all of it, or as the part of a prompt that the user did not type.

import process from "node:process";
import type { Prompt } from "sotto-agent";
import { fileProblem, usageError } from "sotto-agent/terminal";

export interface StdinWords {
  /** What to pass on stdin, for the error if there is nothing. */
  hint: string;
  /** Error code if it is not text. */
  code: string;
}

export async function readStdin({ hint, code }: StdinWords): Promise<string> {
  if (process.stdin.isTTY) throw usageError(hint, "no_input");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const text = decode(Buffer.concat(chunks), code);
  if (text.trim() === "") throw usageError(`stdin is empty: ${hint}`, "no_input");
  return text;
}

export interface PipedPromptOptions {
  prompt: string;
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** How long to wait for the first byte: a pipe that nobody writes to must not hang. */
  waitMs?: number;
  /** Prints a notice when the wait was given up. */
  note?: (text: string) => void;
}

const WAIT_MS = 3000;

export async function pipedPrompt({
  prompt,
  input,
  waitMs = WAIT_MS,
  note,
}: PipedPromptOptions): Promise<Prompt> {
  const typed = { typed: prompt, given: "" };
  if (input.isTTY === true) return typed;
  const bytes = await readAll(input, waitMs);
  if (bytes === undefined) {
    note?.(
      `nothing on stdin after ${waitMs / 1000} s: continuing without it (use < /dev/null if there is no input)`,
    );
    return typed;
  }
  return { typed: prompt, given: decode(bytes, "not_text").trimEnd() };
}

function readAll(input: NodeJS.ReadableStream, waitMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const silent = setTimeout(() => leave(undefined), waitMs);
    const onData = (chunk: Buffer | string) => {
      clearTimeout(silent);
      chunks.push(Buffer.from(chunk as string));
    };
    const onEnd = () => leave(Buffer.concat(chunks));
    const onError = (error: Error) => {
      reject(usageError(`cannot read stdin: ${fileProblem("it", error)}`, "no_input"));
      leave(undefined);
    };
    function leave(read: Buffer | undefined): void {
      clearTimeout(silent);
      input.off("data", onData).off("end", onEnd);
      // A pipe that is still open would keep the process alive.
      if (read === undefined) (input.pause() as { unref?(): void }).unref?.();
      resolve(read);
    }
    input.on("data", onData).once("end", onEnd).once("error", onError);
  });
}

/** An invalid byte is an error: replacing it would change what the model receives. */
function decode(bytes: Buffer, code: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError("stdin is not UTF-8 text", code);
  }
}
