// The program `sotto` in this process, for tests of what it says and does: it takes less than a process of its own.
// What only a process shows (signals, a terminal, a closed pipe, a kill) needs `runSotto`.

import process from "node:process";
import { Readable, Writable } from "node:stream";
import { runProgram } from "../src/program.ts";
import { version } from "../src/version.ts";
import { type Ran, type RunOptions, temporaryDirectory } from "./run-sotto.ts";

/** The function that the process calls, with the process's surroundings: one at a time. */
export async function sottoHere(
  args: readonly string[],
  { input = "", env = {}, cwd = process.cwd() }: Omit<RunOptions, "detached"> = {},
): Promise<Ran> {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const [stdout, stderr] = [collector(), collector()];
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  const putBack = [replace("stdin", stdin), replace("stdout", stdout), replace("stderr", stderr)];
  try {
    setAll({
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: "/nonexistent",
      TMPDIR: env.TMPDIR ?? temporaryDirectory(),
      SOTTO_TIMEOUT_MS: "60000",
      ...env,
    });
    process.chdir(cwd);
    const code = await runProgram([...args], version());
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.cwd);
    setAll(before.env);
    for (const back of putBack) back();
  }
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString("utf8") });
}

function replace(name: "stdin" | "stdout" | "stderr", value: Readable | Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { value, configurable: true });
  return () => void Object.defineProperty(process, name, before);
}

function setAll(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}
