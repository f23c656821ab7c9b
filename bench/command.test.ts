import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { readCommand } from "./command.ts";
import { suites } from "./suites.ts";

const namesOf = (...args: string[]) => {
  const command = readCommand(args);
  return "suites" in command ? command.suites.map(({ name }) => name) : command.do;
};

it("runs every suite, that of a name, or those whose names contain a word", () => {
  expect(namesOf()).toEqual(suites.map(({ name }) => name));
  expect(namesOf("turn")).toEqual(["turn"]);
  expect(namesOf("first", "hook")).toEqual(["first-read", "first-turn", "hook-call"]);
  expect(namesOf("growth")).toBe("growth");
  expect(namesOf("turn", "--help")).toBe("help");
});

it("every suite has its file", () => {
  const missing = suites.filter(({ name }) => !existsSync(new URL(`rows/${name}.ts`, import.meta.url)));
  expect(missing).toEqual([]);
});

it("compares with a commit", () => {
  expect(readCommand(["--compare", "main", "budget", "--repetitions", "3", "--json"])).toEqual({
    do: "compare",
    ref: "main",
    suites: suites.filter(({ name }) => name === "budget"),
    repetitions: 3,
    json: true,
    baselines: true,
  });
});

it.each([
  [["trun"], /no suite is called trun; there are turn, /u],
  [["turn", "--write"], /whole run/u],
  [["--no-baselines", "--write"], /whole run/u],
  [["growth", "turn"], /growth runs alone/u],
  [["--repetitions", "0"], /whole number/u],
  [["--compare", "main", "--repetitions", "2"], /at least 3 repetitions/u],
  [["--fast"], /--fast/u],
])("says what is wrong with %j", (args, problem) => {
  expect(() => readCommand(args)).toThrow(problem);
});
