// Many files, large files, restless files: turns keep their time and their budget, and all is told in a few of them.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Session, Turn } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startEffort } from "../support/effort.ts";
import { changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { textOf } from "../support/telling.ts";

// Of a busy machine; what is measured on a quiet one stands in the benchmarks.
const WIDE_MS = 5000;
const BUDGET = 4000;

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

/** Asks until nothing is said any more: how often that was, and how many files were told. */
async function tellAll(session: Session): Promise<{ turns: number; told: number }> {
  for (let turns = 1, told = 0; ; turns++) {
    const effort = startEffort();
    const turn = await session.turn();
    expect(effort()).toBeLessThan(WIDE_MS);
    expect(turn.reminders.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(BUDGET);
    await turn.commit();
    const count = filesIn(turn);
    told += count;
    if (count === 0 && isSure(turn)) return { turns: turns - 1, told };
    expect(turns).toBeLessThan(30);
  }
}

function filesIn({ attachments }: Turn): number {
  return attachments.reduce(
    (sum, { data }) => sum + 1 + ((data as { others?: string[] }).others?.length ?? 0),
    0,
  );
}

/** All files were looked at, in time. */
function isSure({ trace }: Turn): boolean {
  return trace.find(({ type }) => type === "edited_text_file")?.reason.endsWith("has changed") === true;
}

async function readAll(session: Session, paths: readonly string[], content: (path: string) => string) {
  for (const path of paths) {
    world.write(path, content(path));
    await session.record({ type: "file_read", path });
  }
  // A busy machine may need more than one turn to have looked at all of them.
  expect((await tellAll(session)).told).toBe(0);
}

const named = (count: number) =>
  Array.from({ length: count }, (_, index) => `src/module-${index % 40}/deep/file-${index}.ts`);

it.each([
  ["short", 1],
  ["long", 120],
])("AC-12 of 2000 files that were read, 300 that change at once with %s differences", async (_, lines) => {
  const session = openIn(world, { config: { timeout_ms: 1000 }, tools: ["Read"] });
  const text = (version: number) => (path: string) =>
    Array.from(
      { length: lines * 2 },
      (__, line) => `${line} of ${path}${line % 2 ? ` is ${version}` : ""}\n`,
    ).join("");
  const paths = named(2000);
  await readAll(session, paths, text(1));
  const changed = paths.filter((__, index) => index % 20 < 3);
  for (const path of changed) world.write(path, text(2)(path));
  const { turns, told } = await tellAll(session);
  expect(told).toBe(300);
  expect(turns).toBeLessThanOrEqual(8);
  await session.close();
});

it("AC-12 a directory with 500 files that were read, gone and back, is told in a few turns, each by name", async () => {
  const session = openIn(world, { config: { timeout_ms: 1000 } });
  const paths = named(500);
  await readAll(session, paths, (path) => `${path}\n`);
  rmSync(world.at("src"), { recursive: true });
  expect(await tellAll(session)).toMatchObject({ told: 500 });
  for (const path of paths) world.write(path, `${path}\n`);
  expect(await tellAll(session)).toMatchObject({ told: 500 });
  await session.close();
});

it("AC-12 AC-46 a text of 1.9 MB is compared in time, whatever became of it", async () => {
  const session = openIn(world, { config: { timeout_ms: 1000 } });
  const text = (line: (index: number) => string) =>
    Array.from(
      { length: 38_000 },
      (_, index) => `const value${index} = ${line(index)}; // ${"x".repeat(24)}\n`,
    ).join("");
  await readAll(session, ["big.ts"], () => text(() => "1"));
  const told = async (content: string) => {
    world.write("big.ts", content);
    for (;;) {
      const turn = await session.turn();
      await turn.commit();
      const said = textOf(turn, "edited_text_file");
      if (said !== undefined) return said;
    }
  };
  expect(await told(text((index) => (index === 20_000 ? "2" : "1")))).toContain(
    "20001 + const value20000 = 2;",
  );
  expect(await told(text(() => "3"))).toContain("The file was rewritten");
  const line = "y".repeat(1_900_000);
  expect(await told(line)).toContain("It had 38000 lines and has 1 line now.");
  expect(await told(`${line.slice(0, 1_000_000)}z${line.slice(1_000_000)}`)).toContain(
    "differs from character 1000001 on",
  );
  await session.close();
});

it("AC-12 files that change without rest cost no turn its time, and are known when they rest", async () => {
  const session = openIn(world, { config: { timeout_ms: 1000 } });
  const paths = ["a.ts", "b.ts", "c.ts"];
  await readAll(session, paths, () => "0\n");
  const restless = spawn(process.execPath, ["-e", RESTLESS, world.root, ...paths]);
  const ended = new Promise((resolve) => restless.on("close", resolve));
  for (let isOver = false; !isOver; ) {
    const effort = startEffort();
    await (await session.turn()).commit();
    expect(effort()).toBeLessThan(WIDE_MS);
    isOver = await Promise.race([
      ended.then(() => true),
      new Promise<false>((go) => setImmediate(go, false)),
    ]);
  }
  await tellAll(session);
  for (const path of paths) world.write(path, "rest\n");
  const turn = await session.turn();
  expect(textOf(turn, "edited_text_file")).toContain("   1 - change 400\n   1 + rest\n");
  expect(changesIn(turn, world)).toEqual({ edited_text_file: paths });
  await session.close();
});

const RESTLESS = `
const [root, ...paths] = process.argv.slice(1);
let count = 0;
const timer = setInterval(() => {
  count++;
  for (const path of paths) require("node:fs").writeFileSync(root + "/" + path, "change " + count + "\\n");
  if (count === 400) clearInterval(timer);
}, 1);`;

it.each(["closes", "forgets to close"])(
  "AC-12 a process that %s its session ends by itself",
  async (what) => {
    const closing = what === "closes" ? "await session.close();" : "";
    const child = spawn(
      process.execPath,
      ["--conditions=sotto-source", "--input-type=module", "-e", script(closing)],
      {
        cwd: fileURLToPath(new URL(".", import.meta.url)),
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const said: Buffer[] = [];
    child.stdout.on("data", (bytes: Buffer) => said.push(bytes));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, Buffer.concat(said).toString()]).toEqual([0, "1\n1\n"]);
  },
);

/** Watches, has a worker compare a large text, and lets a sub-agent go. */
function script(closing: string): string {
  return `
import { writeFileSync } from "node:fs";
import { createSession } from "sotto";
const root = ${JSON.stringify(world.root)};
const session = createSession({ cwd: root, home: root, agent: { kind: "main" }, config: { timeout_ms: 30000 } });
const text = (mark) => Array.from({ length: 20000 }, (_, index) => index + " of the lines" + (index === 7 ? mark : "")).join("\\n");
writeFileSync(root + "/a.ts", text("."));
await session.record({ type: "file_read", path: "a.ts" });
await (await session.turn()).commit();
await new Promise((resolve) => setTimeout(resolve, 200));
const child = session.subagent({ agentType: "Explore" });
await (await child.turn()).commit();
await child.close();
for (const mark of ["!", "?"]) {
  writeFileSync(root + "/a.ts", text(mark));
  const turn = await session.turn();
  console.log(turn.reminders.length);
  await turn.commit();
}
${closing}`;
}
