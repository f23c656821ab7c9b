// A prompt for one shot: the words of the command line, and behind them what is piped in.

import { wrongUse } from "sotto-agent/terminal";

export interface PipedPromptOptions {
  prompt: string;
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** How long to wait for a pipe's first byte: one that nobody writes to must not hang. */
  waitMs?: number;
  /** A word to the person where it was given up. */
  note?: (text: string) => void;
}

const WAIT_MS = 3000;

export async function pipedPrompt({
  prompt,
  input,
  waitMs = WAIT_MS,
  note,
}: PipedPromptOptions): Promise<string> {
  if (input.isTTY === true) return prompt;
  const bytes = await readAll(input, waitMs);
  if (bytes === undefined) {
    note?.(
      `nothing came from stdin in ${waitMs / 1000} s: going on without it (< /dev/null says there is none)`,
    );
    return prompt;
  }
  const text = decode(bytes).trimEnd();
  return [prompt, text].filter((part) => part.trim() !== "").join("\n\n");
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
      reject(wrongUse(`stdin cannot be read: ${error.message}`, "no_input"));
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

/** A wrong byte is an error: replacing it would change what the model is sent. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrongUse("stdin is not UTF-8 text", "not_text");
  }
}
