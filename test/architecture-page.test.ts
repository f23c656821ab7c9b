// ARCHITECTURE.md names files and directories that exist, and has the arrows that are checked.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
// The list of a turn's steps has a test of its own.
const sections = page
  .split(/^## /mu)
  .filter((text) => !/^(?:Through the code|The way of a turn)/u.test(text));

it("every file and directory it names exists", () => {
  const named = sections.flatMap(codeIn).filter((code) => /^[\w.-]*\/[\w./-]*$|\.(?:[jt]s|md)$/u.test(code));
  const paths = named.filter((code) => !/^sotto\//u.test(code));
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

it("every door it names is an export of the package", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "packages/sotto/package.json"), "utf8"));
  const doors = sections.flatMap(codeIn).filter((code) => /^sotto\/[\w-]+$/u.test(code));
  expect(doors.length).toBeGreaterThan(8);
  expect(doors.filter((door) => !(door.replace("sotto", ".") in exports))).toEqual([]);
});

interface Rules {
  forbidden: { name: string; comment?: string }[];
}

it("its table of arrows is the one that is checked", async () => {
  const { default: cruiser }: { default: Rules } = await import(join(root, ".dependency-cruiser.js"));
  const table = page.split("### Arrows")[1]?.split("\n\n")[2] ?? "";
  const rows = table.split("\n").slice(2).map(codeIn);
  const checked = cruiser.forbidden.filter(({ name }) => name.startsWith("room-"));
  const allowed = ({ comment = "" }) => comment.split("itself, ")[1]?.split(", ") ?? [];
  expect(Object.fromEntries(rows.map(([room = "", ...others]) => [room, others.sort()]))).toEqual(
    Object.fromEntries(checked.map((rule) => [rule.name.slice("room-".length), allowed(rule).sort()])),
  );
});

function codeIn(text: string): string[] {
  return [...text.replace(/^```.*?^```/gmsu, "").matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);
}

function exists(path: string): boolean {
  return [path, join("packages/sotto/src", path)].some((name) => existsSync(join(root, name)));
}
