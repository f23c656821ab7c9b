// A file is replaced as a whole, and what killed processes left aside does not pile up.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { replaceFile, replaceFileSync, writeAside } from "./durable-file.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "durable-"));
  const made = directory;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

/** Writes a file aside and is killed before it moves it. Returns the name. */
function leaveOne(): string {
  const before = new Set(readdirSync(directory));
  const script = `
    import { writeAside } from ${JSON.stringify(fileURLToPath(new URL("durable-file.ts", import.meta.url)))};
    await writeAside(${JSON.stringify(directory)}, "half");
    process.kill(process.pid, "SIGKILL");`;
  spawnSync(process.execPath, ["--conditions=sotto-source", "--input-type=module", "--eval", script]);
  return readdirSync(directory).find((name) => !before.has(name)) as string;
}

const writers: Record<string, (path: string, text: string) => unknown> = {
  replaceFile: (path, text) => replaceFile(path, text),
  replaceFileSync: (path, text) => replaceFileSync(path, text),
  writeAside: async (_, text) => rmSync(await writeAside(directory, text)),
};

describe.each(Object.entries(writers))("%s", (name, write) => {
  test("removes what a killed process left, whatever it was about to replace", async () => {
    const left = leaveOne();
    expect(left).toMatch(/^\.sotto-/u);
    await write(join(directory, "other"), "new");
    expect(readdirSync(directory)).toEqual(name === "writeAside" ? [] : ["other"]);
  });

  test("touches nothing of a living process, of another machine, and of others", async () => {
    const [, host] = /^\.sotto-([\da-f]+)-/u.exec(leaveOne()) as RegExpExecArray;
    const living = await writeAside(directory, "half");
    const uuid = "01234567-89ab-4cde-8f01-23456789abcd";
    const kept = [
      living.slice(directory.length + 1),
      `.sotto-${"0".repeat((host as string).length)}-1000000-${uuid}.tmp`,
      `.sotto-${host}-1000000-${uuid}.tmp.txt`,
      `sotto-${host}-1000000-${uuid}.tmp`,
      `.sotto-${host}-${uuid}.tmp`,
      ".sotto-1000000.tmp",
      "notes.tmp",
    ];
    for (const one of kept.slice(1)) writeFileSync(join(directory, one), "theirs");
    await write(join(directory, "file"), "new");
    expect(readdirSync(directory).filter((one) => one !== "file")).toEqual(kept.sort());
  });

  test("writes where it can neither remove what was left nor list the directory", async () => {
    const left = leaveOne();
    rmSync(join(directory, left));
    // Root may do everything, but not this.
    mkdirSync(join(directory, left));
    await write(join(directory, "first"), "new");
    chmodSync(directory, 0o300);
    await write(join(directory, "second"), "new");
    chmodSync(directory, 0o700);
    expect(readdirSync(directory)).toEqual(name === "writeAside" ? [left] : [left, "first", "second"]);
  });
});

describe.each(["replaceFile", "replaceFileSync"])("%s", (name) => {
  const replace = name === "replaceFile" ? replaceFile : replaceFileSync;

  test("gives the file its text and its mode, and leaves nothing beside it", async () => {
    const path = join(directory, "file");
    await replace(path, "one");
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["one", 0o600]);
    await replace(path, "two", { mode: 0o666 });
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["two", 0o666]);
    await replace(path, "three", { mode: "new" });
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(directory)).toEqual(["file"]);
  });

  test("replaces a link and not what it leads to", async () => {
    writeFileSync(join(directory, "target"), "target");
    symlinkSync("target", join(directory, "link"));
    await replace(join(directory, "link"), "new");
    expect(["target", "link"].map((one) => readFileSync(join(directory, one), "utf8"))).toEqual([
      "target",
      "new",
    ]);
  });

  test("leaves nothing where it fails", async () => {
    await expect((async () => replace(directory, "text"))()).rejects.toThrow();
    await expect((async () => replace(join(directory, "none", "file"), "text"))()).rejects.toThrow();
    expect(readdirSync(directory)).toEqual([]);
  });
});

test("what may not take the place any more does not", async () => {
  const path = join(directory, "file");
  writeFileSync(path, "theirs");
  await replaceFile(path, "mine", { mayReplace: async () => false });
  expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual(["theirs", ["file"]]);
});
