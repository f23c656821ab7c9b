import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startEffort } from "../../../../test/support/effort.ts";
import { createObjectEnd, readInput } from "./hook.ts";

/** A pipe that another process writes to in pieces, and then keeps open until it is ended. */
function readPieces(text: string, options: { piece: number; repeat?: number }): string {
  const directory = mkdtempSync(join(tmpdir(), "sotto-pipe-"));
  const pipe = join(directory, "pipe");
  spawnSync("mkfifo", [pipe]);
  const writer = spawn(process.execPath, ["-e", WRITER], {
    env: { ...process.env, PIPE: pipe, TEXT: text, ...asTexts({ repeat: 1, ...options }) },
  });
  const descriptor = openSync(pipe, "r");
  try {
    return readInput(descriptor);
  } finally {
    closeSync(descriptor);
    writer.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

const WRITER = `
  const { openSync, writeSync } = require("node:fs");
  const { PIPE, TEXT, piece, repeat } = process.env;
  const bytes = Buffer.from(TEXT.replace("…", "{}".repeat(Number(repeat))));
  const pipe = openSync(PIPE, "w");
  const lock = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < bytes.length; at += Number(piece)) {
    writeSync(pipe, bytes, at, Math.min(Number(piece), bytes.length - at));
    Atomics.wait(lock, 0, 0, 0.05);
  }
  setTimeout(() => {}, 60000);
`;

function asTexts(values: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

test.each(['{"a":"}"}', '{"a":"\\\\","b":{"c":"\\"}"}}', '{"a":{}, "b":[{}]}', ' {"ä":"€"}'])(
  "%s is read to its end, in pieces, from a pipe that nobody closes",
  (text) => {
    expect(readPieces(text, { piece: 1 })).toBe(text);
  },
);

test("much that comes in small pieces is gone through once", () => {
  const effort = startEffort();
  const text = readPieces('{"a":"…"}', { piece: 8192, repeat: 16_000_000 });
  expect(JSON.parse(text).a).toHaveLength(32_000_000);
  expect(effort()).toBeLessThan(10_000);
});

test("the end of an object is found where it is, however it was cut into pieces", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", '"', "\\", "{", "}", "€"), maxLength: 12 });
  const values = fc.dictionary(letters, fc.oneof(letters, fc.dictionary(letters, letters)));
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 9 }), (value, piece) => {
      const bytes = Buffer.from(` ${JSON.stringify(value)}`);
      const chunk = Buffer.alloc(16, '"');
      const hasEnded = createObjectEnd();
      for (let at = 0; at < bytes.length; at += piece) {
        const length = bytes.copy(chunk, 0, at, at + piece);
        expect(hasEnded(chunk, length)).toBe(at + length === bytes.length);
      }
    }),
  );
});
