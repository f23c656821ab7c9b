import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

/** Later names are newer. */
function files(...names: string[]) {
  for (const [index, name] of names.entries()) utimesSync(bench.file(name, name), 1000 + index, 1000 + index);
}
const glob = (pattern: string, path?: string) =>
  bench.call("Glob", path === undefined ? { pattern } : { pattern, path });
const found = async (pattern: string, path?: string) => (await glob(pattern, path)).text.split("\n");

it("finds files by their paths, the newest first", async () => {
  files("src/a.ts", "b.ts", ".github/c.ts", "d.js");
  expect(await glob("**/*.ts")).toEqual({
    text: ".github/c.ts\nb.ts\nsrc/a.ts",
    summary: "3 files",
    paths: [".github/c.ts", "b.ts", "src/a.ts"].map(bench.at),
  });
  expect(await found("{src,lib}/*.{ts,js}")).toEqual(["src/a.ts"]);
  expect(await found("*.ts", "src")).toEqual(["src/a.ts"]);
  expect(await found(join(bench.cwd, "src/*.ts"))).toEqual(["src/a.ts"]);
  expect(await found("*.py")).toEqual(["No files found."]);
});

it("leaves out what Git ignores, unless that is what was asked for", async () => {
  files("src/a.ts", "dist/b.ts", "dist/keep.ts", "src/generated/c.ts", ".git/d.ts");
  bench.file(".gitignore", "dist/*\n!dist/keep.ts\n");
  bench.file("src/.gitignore", "/generated\n");
  expect(await found("**/*.ts")).toEqual(["dist/keep.ts", "src/a.ts"]);
  expect(await found("*.ts", "src/generated")).toEqual(["src/generated/c.ts"]);
});

it("shows a hundred, and says how many there are", async () => {
  for (let index = 0; index < 120; index++) bench.file(`many/${index}.txt`, "");
  const { text, paths } = await glob("many/*");
  expect(paths).toHaveLength(100);
  expect(text).toMatch(/\n\[The newest 100 of 120 files\.\]$/u);
});

it("stays inside, links followed or not", async () => {
  mkdirSync(join(bench.directory, "outside"));
  writeFileSync(join(bench.directory, "outside", "secret.txt"), "");
  symlinkSync(join(bench.directory, "outside"), bench.at("link"));
  for (const pattern of ["link/*", "**/secret.txt", "{..,.}/outside/*", "{.,x}./outside/*"])
    expect((await glob(pattern)).text).not.toContain("secret");
  expect((await glob("../outside/*")).text).toContain('contains ".."');
  expect((await glob("*", "link")).text).toContain("--add-dir");
  expect((await glob(join(bench.directory, "outside/*"))).text).toContain("--add-dir");
});

it("leaves out what may not be read", async () => {
  files("a.txt", "keys/b.txt");
  expect((await bench.call("Glob", { pattern: "**" }, { denyRead: ["keys/"] })).text).toBe("a.txt");
});

it("a pattern that would take for ever does not hold the agent", async () => {
  bench.file("a".repeat(200), "");
  const stop = new AbortController();
  const searching = bench.call("Glob", { pattern: `${"*a".repeat(40)}b` }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 500);
  expect(await searching).toMatchObject({ text: expect.stringMatching(/^(?:No files found|Interrupted)/u) });
});

it("a missing directory and a file are no places to look in", async () => {
  bench.file("a.txt", "");
  expect((await glob("*", "none")).text).toBe(`${bench.at("none")} does not exist.`);
  expect((await glob("*", "a.txt")).text).toBe(`${bench.at("a.txt")} is not a directory.`);
});
