// All of stdin as text, or in words why there is none.

import process from "node:process";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";

export interface StdinWords {
  /** What to give, where there is nothing. */
  hint: string;
  /** The code where it is no text. */
  code: string;
}

export async function readStdin({ hint, code }: StdinWords): Promise<string> {
  if (process.stdin.isTTY) throw wrongUse(hint, "no_input");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const text = decode(Buffer.concat(chunks), code);
  if (text.trim() === "") throw wrongUse(`stdin is empty: ${hint}`, "no_input");
  return text;
}

/** A wrong byte is an error: replacing it would change what the model is sent. */
function decode(bytes: Buffer, code: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrongUse("stdin is not UTF-8 text", code);
  }
}
