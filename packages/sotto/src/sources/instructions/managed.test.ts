// The system's own place for instructions: taken where only its owner can write it, with a word about what to mend otherwise.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveSettings } from "../../config/schema.ts";
import { managedDirectory } from "../../platform/user-directories.ts";
import { createFileAccess } from "../files/file-access.ts";
import { openInstructions } from "./discover.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-managed-")));
  for (const name of ["etc", "etc/deep", "proj", "home"]) mkdirSync(join(root, name), { mode: 0o755 });
  writeFileSync(join(root, "etc/all.md"), "For everyone.", { mode: 0o644 });
  writeFileSync(join(root, "etc/deep/more.md"), "And this.", { mode: 0o644 });
  writeFileSync(join(root, "proj/AGENTS.md"), "The project's.");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const owner = process.getuid?.() as number;

/** As a session has it that opted in to nothing. */
async function start({ whose = owner, memory = {} as object } = {}) {
  const fileAccess = createFileAccess({
    ...{ cwd: join(root, "proj"), home: join(root, "home"), configDirectory: join(root, "home/.config") },
    managed: { directory: join(root, "etc"), owner: whose },
  });
  const config = { ...resolveSettings({}, []), memory };
  const found = await (
    await openInstructions({ fileAccess, config, work: () => Promise.reject(new Error("none")) })
  ).session();
  const short = (path: string) => path.replace(`${root}/`, "");
  return {
    loaded: found.loaded.map(({ path, kind }) => `${kind} ${short(path)}`),
    problems: found.problems.map(
      ({ path, problem }) => `${short(path)} ${problem.replaceAll(`${root}/`, "")}`,
    ),
  };
}

const mend = (what: string, which = "it") =>
  `is not taken: others than ${owner === 0 ? "root" : `user ${owner}`} can write ${which}; mend it with \`chown ${owner} "${what}" && chmod go-w "${what}"\` as root`;

describe.skipIf(process.getuid === undefined)("managed instructions", () => {
  test("come before all others, without anyone asking for them", async () => {
    expect(await start()).toEqual({
      loaded: ["managed etc/all.md", "managed etc/deep/more.md", "project proj/AGENTS.md"],
      problems: [],
    });
  });

  test.each([0o664, 0o646, 0o666])("a file of mode %o is not taken, the others are", async (mode) => {
    chmodSync(join(root, "etc/all.md"), mode);
    expect(await start()).toEqual({
      loaded: ["managed etc/deep/more.md", "project proj/AGENTS.md"],
      problems: [`etc/all.md ${mend("etc/all.md")}`],
    });
  });

  test("nor is what stands in a directory that others can write", async () => {
    chmodSync(join(root, "etc/deep"), 0o777);
    expect(await start()).toEqual({
      loaded: ["managed etc/all.md", "project proj/AGENTS.md"],
      problems: [`etc/deep/more.md ${mend("etc/deep", "etc/deep")}`],
    });
    chmodSync(join(root, "etc"), 0o775);
    expect((await start()).loaded).toEqual(["project proj/AGENTS.md"]);
  });

  test("nor what belongs to somebody else, nor a link that leads out", async () => {
    expect((await start({ whose: owner + 1 })).loaded).toEqual(["project proj/AGENTS.md"]);
    writeFileSync(join(root, "home/mine.md"), "Mine.", { mode: 0o644 });
    symlinkSync(join(root, "home/mine.md"), join(root, "etc/link.md"));
    expect((await start()).loaded).not.toContain("managed etc/link.md");
  });

  test("managed_dir names another place, whose owner does not matter", async () => {
    mkdirSync(join(root, "other"));
    writeFileSync(join(root, "other/own.md"), "Other.", { mode: 0o666 });
    expect((await start({ memory: { managed_dir: join(root, "other") } })).loaded).toEqual([
      "managed other/own.md",
      "project proj/AGENTS.md",
    ]);
  });
});

test.each([
  ["linux", {}, "/etc/sotto", 0],
  ["freebsd", {}, "/etc/sotto", 0],
  ["darwin", {}, "/Library/Application Support/Sotto", 0],
  ["win32", { ProgramData: "D:\\Data" }, "D:/Data/sotto", undefined],
  ["win32", {}, "C:/ProgramData/sotto", undefined],
])("the place of %s with %o is %s", (platform, environment, directory, whose) => {
  expect(managedDirectory(platform, environment)).toEqual({
    directory,
    ...(whose === undefined ? {} : { owner: whose }),
  });
});
