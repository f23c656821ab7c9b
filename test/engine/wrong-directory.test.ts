// A session in a directory that is none: it goes on, and its problems say so, once.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "sotto";
import { expect, it, onTestFinished } from "vitest";

function places() {
  const root = mkdtempSync(join(tmpdir(), "sotto-wrong-directory-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (name: string) => join(root, name);
  mkdirSync(at("home"));
  writeFileSync(at("file"), "");
  symlinkSync(at("gone"), at("dangling"));
  symlinkSync(at("file"), at("to-file"));
  symlinkSync(at("home"), at("to-directory"));
  return { home: at("home"), at };
}

it("a working directory that is none is a problem, once; turns go on", async () => {
  const { home, at } = places();
  const none = "there is no such directory";
  const wrong: [name: string, why: string][] = [
    ["none", none],
    ["none/deep", none],
    ["file/x", none],
    ["dangling", none],
    ["file", "it is not a directory"],
    ["to-file", "it is not a directory"],
  ];
  for (const [name, why] of wrong) {
    const cwd = at(name);
    const session = createSession({ cwd, home });
    onTestFinished(() => session.close());
    const problems = [
      { where: cwd, problem: `${why}, so no files, config or instructions are found in it; correct cwd` },
    ];
    for (let turn = 0; turn < 2; turn++) {
      const { problem, problems: found } = await session.turn();
      expect([problem, found]).toEqual([undefined, problems]);
    }
    expect(await session.problems()).toEqual(problems);
  }
});

it("a directory is no problem, and neither is a link to one", async () => {
  const { home, at } = places();
  for (const cwd of [home, at("to-directory")]) {
    const session = createSession({ cwd, home });
    onTestFinished(() => session.close());
    expect((await session.turn()).problems).toEqual([]);
  }
});
