// Commands that `sotto run` lets through unasked, run for real: none shows what is outside, secret, denied, in the
// environment or a password in an address, and none changes anything.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changesNothing } from "../../packages/agent/src/tools/commands.ts";
import { times } from "../support/runs.ts";
import { findPrograms, makeCommands } from "./unasked/made-commands.ts";
import { createWorlds, type World, type Worlds } from "./unasked/world.ts";

const COMMANDS = times(10_000);
const AT_ONCE = 8;
// Some never end (`tail -f`): what they have shown until then counts.
const KILLED_AFTER_MS = 1000;
const MOST_OUTPUT = 1_000_000;

let worlds: Worlds;
beforeAll(() => {
  worlds = createWorlds();
});
afterAll(() => worlds.remove());

function outputOf(command: string, { cwd }: World): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["--norc", "-c", command], {
      cwd,
      env: worlds.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    const hear = (bytes: Buffer) => {
      if (output.length < MOST_OUTPUT) output += bytes.toString("latin1");
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const end = setTimeout(() => killGroup(child.pid as number), KILLED_AFTER_MS);
    child.on("close", () => {
      clearTimeout(end);
      resolve(output);
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended, and the end of its output is still to be read.
  }
}

test(`${COMMANDS} commands made from the options of each program: what runs unasked shows and changes nothing it must not`, async () => {
  const programs = findPrograms();
  const commands = makeCommands(programs, worlds.root, COMMANDS, 11);
  const unasked = commands.flatMap((command, at) => {
    const world = worlds.all[at % worlds.all.length] as World;
    return changesNothing(command, world) ? [{ command, world }] : [];
  });
  const before = worlds.picture();
  const faults: string[] = [];
  for (let at = 0; at < unasked.length; at += AT_ONCE) {
    const batch = unasked.slice(at, at + AT_ONCE);
    const outputs = await Promise.all(batch.map(({ command, world }) => outputOf(command, world)));
    for (const [index, output] of outputs.entries()) {
      const marks = worlds.marksIn(output);
      if (marks.length > 0) faults.push(`${batch[index]?.command} shows ${marks.join(", ")}`);
    }
    const isSame = worlds.picture() === before && !existsSync(join(worlds.root, "ran"));
    if (!isSame) throw new Error(`changed by one of:\n${batch.map(({ command }) => command).join("\n")}`);
  }
  console.log({ programs: programs.length, commands: commands.length, unasked: unasked.length });
  expect(faults).toEqual([]);
  // Else nothing was tried.
  expect(unasked.length).toBeGreaterThan(commands.length / 20);
});
