// The library as it is installed comes with compiled code of its engine: used if it fits, ignored if not.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";

const name = `turn-${process.version}-${process.arch}.bin`;
let library: string;
beforeEach(() => {
  library = mkdtempSync(join(tmpdir(), "sotto-engine-"));
  const dist = join(dirname(built().bin), "../../sotto/dist");
  cpSync(dist, join(library, "dist"), { recursive: true });
  cpSync(join(dist, "../package.json"), join(library, "package.json"));
});
afterEach(() => rmSync(library, { recursive: true, force: true }));

/** What a first turn says, and whether V8 took the compiled code; undefined if it was not offered any. */
function firstTurn(chunk = "turn"): { text: string; isRejected: boolean | undefined } {
  const code = `
    let isRejected;
    globalThis[Symbol.for("sotto.compiled")] = (name, script) => {
      if (name === ${JSON.stringify(chunk)}) isRejected = script.cachedDataRejected;
    };
    const { createSession } = await import(${JSON.stringify(join(library, "dist/index-node.js"))});
    const { reminders } = await createSession({ cwd: ".", home: ".", config: { critical_instruction: "Be kind." } }).turn();
    console.log(JSON.stringify({ text: reminders[0]?.text, isRejected }));`;
  const args = ["--input-type=module", "-e", code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: library, stdio: "pipe" }));
}

/** Where the compiled code starts, which is there twice. */
function dataIn(bytes: Buffer): number {
  const start = bytes.indexOf(10) + 1;
  return start + JSON.parse(bytes.toString("utf8", 0, start)).program;
}

const text = expect.stringContaining("Be kind.");

test("an import and a first turn start from what the build compiled", () => {
  expect(firstTurn("root")).toEqual({ text, isRejected: false });
  expect(firstTurn("turn")).toEqual({ text, isRejected: false });
});

test("without it, and where its bytes changed, the engine is compiled as it goes", () => {
  const file = join(library, "dist", name);
  const bytes = readFileSync(file);
  const { length } = readFileSync(join(library, "dist/turn.js"));
  for (let at = length + 200; at < (length + bytes.length) / 2; at += 5000)
    bytes[at] = 255 - (bytes[at] ?? 0);
  writeFileSync(file, bytes);
  expect(firstTurn()).toEqual({ text });
  writeFileSync(file, bytes.subarray(0, 5000));
  expect(firstTurn()).toEqual({ text });
  rmSync(file);
  expect(firstTurn()).toEqual({ text });
});

test("what another version of V8 compiled is rejected", () => {
  const file = join(library, "dist", name);
  const bytes = readFileSync(file);
  const from = dataIn(bytes);
  // The second word of V8's own header is its version.
  for (const at of [from, (from + bytes.length) / 2])
    bytes.writeUInt32LE((bytes.readUInt32LE(at + 4) ^ 1) >>> 0, at + 4);
  writeFileSync(file, bytes);
  expect(firstTurn()).toEqual({ text, isRejected: true });
});

test("an engine of the same length that says something else does so", () => {
  const file = join(library, "dist/turn.js");
  const source = readFileSync(file, "utf8");
  writeFileSync(file, source.replaceAll("critical_instruction", "critical_instructioN"));
  expect(() => firstTurn()).toThrow("critical_instruction");
});

test("doors that are loaded later find the same engine", () => {
  const code = `
    const at = (name) => import(${JSON.stringify(`${library}/dist/`)} + name + ".js");
    const session = (await at("index-node")).createSession({ cwd: ".", home: "." });
    // By a symbol that only the engine of this session knows.
    await (await at("internal")).recordAny(session, { type: "mode_changed", mode: "plan" });
    console.log((await session.state()).mode);`;
  const args = ["--input-type=module", "-e", code];
  expect(execFileSync(process.execPath, args, { encoding: "utf8", cwd: library })).toBe("plan\n");
});

test("an error that nobody catches is shown on one screen", () => {
  const wrong = [
    "createSession({ cwd: 5 })",
    "await createSession({ cwd: '.' }).record({ type: 'no_such_event' })",
  ];
  for (const code of wrong) {
    const program = `import { createSession } from ${JSON.stringify(join(library, "dist/index-node.js"))};\n${code};`;
    const args = ["--input-type=module", "-e", program];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: library });
    expect(status).toBe(1);
    expect(stderr).toContain("SottoError");
    expect(stderr.length).toBeLessThan(2500);
  }
});
