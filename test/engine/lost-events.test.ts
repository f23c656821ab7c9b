// The kernel's queue of file events overflows without a word: what was edited meanwhile is still told.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

const FILES = 400;
const EDITED = [3, 77, 150, 299, 398];
// Each file made and removed is two events and more: well past the 16 384 that the kernel keeps.
const STORM = `
const fs = require("node:fs");
const [root, edited] = [process.argv[1], JSON.parse(process.argv[2])];
for (let index = 0; index < 12000; index++) {
  fs.writeFileSync(root + "/noise", String(index));
  fs.rmSync(root + "/noise");
}
for (const index of edited) fs.writeFileSync(root + "/file" + index + ".ts", "edited " + index + "\\n");
`;

it("AC-12 five edits behind 24 000 events, with the event loop blocked, are all told at the next turn", async () => {
  mkdirSync(world.at("src"));
  const session = openIn(world);
  for (let index = 0; index < FILES; index++) {
    world.write(`src/file${index}.ts`, `content ${index}\n`);
    await session.record({ type: "file_read", path: `src/file${index}.ts` });
  }
  // The first looks at everything; from the second on watchers give the hints.
  for (let turn = 0; turn < 3; turn++) await (await session.turn()).commit();
  await new Promise((resolve) => setTimeout(resolve, 300));
  execFileSync(process.execPath, ["-e", STORM, world.at("src"), JSON.stringify(EDITED)]);
  const turn = await session.turn();
  expect(changesIn(turn, world)).toEqual({
    edited_text_file: EDITED.map((index) => `src/file${index}.ts`).sort(),
  });
  await session.close();
});

it("AC-12 edits in a directory that was moved away and replaced, its watcher with it, are found within a stated number of turns", async () => {
  const session = openIn(world);
  for (let index = 0; index < FILES; index++) {
    world.write(`old/file${index}.ts`, `content ${index}\n`);
    await session.record({ type: "file_read", path: `old/file${index}.ts` });
  }
  await (await session.turn()).commit();
  // A directory that is moved away and replaced takes its watcher with it.
  const { renameSync } = await import("node:fs");
  renameSync(world.at("old"), world.at("gone"));
  for (let index = 0; index < FILES; index++)
    world.write(`old/file${index}.ts`, EDITED.includes(index) ? "edited\n" : `content ${index}\n`);
  const found = new Set<string>();
  for (let turns = 0; turns < Math.ceil(FILES / 300); turns++) {
    const turn = await session.turn();
    for (const path of changesIn(turn, world).edited_text_file ?? []) found.add(path);
    await turn.commit();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect([...found].sort()).toEqual(EDITED.map((index) => `old/file${index}.ts`).sort());
  await session.close();
});
