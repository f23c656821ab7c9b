// All of stdin as text, or in words why there is none.

import process from "node:process";
import { wrongUse } from "../failure.ts";

const HINT = `give it a JSON object on stdin, e.g. echo '{"messages":[{"role":"user","content":"hi"}]}' | sotto turn (see sotto turn --help)`;

export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) throw wrongUse(HINT, "no_input");
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const text = decode(Buffer.concat(chunks));
  if (text.trim() === "") throw wrongUse(`stdin is empty: ${HINT}`, "no_input");
  return text;
}

/** A wrong byte is an error: replacing it would change what the model is sent. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrongUse("stdin is not UTF-8 text", "invalid_json");
  }
}
