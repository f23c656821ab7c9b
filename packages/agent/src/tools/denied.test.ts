// A rule of the user holds for a file, whatever leads to it and whichever tool is asked.

import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changesNothing } from "./commands.ts";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
  bench.file("d/deep/private.txt", "CANARY one\n");
  bench.file("open.txt", "CANARY fine\n");
});
afterEach(() => bench.close());

const soft = (target: string, name: string) => {
  symlinkSync(target, bench.at(name));
  return name;
};
const hard = (name: string) => {
  linkSync(bench.at("d/deep/private.txt"), bench.at(name));
  return name;
};

/** Each makes a way to d/deep/private.txt, and says what it is called. */
const WAYS: Record<string, () => string> = {
  "its own name": () => "d/deep/private.txt",
  "a way up and down": () => "d/../d/deep/./private.txt",
  "a link to the file": () => soft(bench.at("d/deep/private.txt"), "link.txt"),
  "a relative link to the file": () => soft("d/deep/private.txt", "near.txt"),
  "a link to the directory": () => soft(bench.at("d"), "way").concat("/deep/private.txt"),
  "a link to a directory inside": () => soft("d/deep", "inside").concat("/private.txt"),
  "a chain of links": () => {
    soft("d", "first");
    soft("first/deep", "second");
    return soft("second/private.txt", "third.txt");
  },
  "a link that goes up": () => {
    mkdirSync(bench.at("sub"));
    symlinkSync("../d/deep", bench.at("sub/up"));
    return "sub/up/private.txt";
  },
  "a second name": () => hard("hard.txt"),
  "a link to a second name": () => {
    hard("hard.txt");
    return soft("hard.txt", "soft.txt");
  },
};
const RULES = ["d/**", "d/", "/d", "**/private.txt", "D/Deep/*.TXT", "~cwd~/d/**"];
const deny = (rule: string) => ({ denyRead: [rule.replace("~cwd~", bench.cwd)] });
const ways = Object.entries(WAYS);

describe.each(RULES)("%s", (rule) => {
  test.each(ways)("Read, Edit and Write refuse %s", async (_, make) => {
    const file_path = make();
    await bench.session.record({
      type: "file_read",
      path: bench.at("d/deep/private.txt"),
      content: "CANARY one\n",
    });
    for (const [tool, more] of [
      ["Read", {}],
      ["Edit", { old_string: "one", new_string: "two" }],
      ["Write", { content: "gone" }],
    ] as const) {
      const { text, isError } = await bench.call(tool, { file_path, ...more }, deny(rule));
      expect({ tool, isError, text }).toEqual({
        tool,
        isError: true,
        text: expect.stringContaining("the user denied it"),
      });
    }
    expect(bench.text("d/deep/private.txt")).toBe("CANARY one\n");
  });

  test.each(ways)("commands that would read %s are asked about", (_, make) => {
    const path = make();
    const ground = { ...bench.context, ...deny(rule) };
    expect(changesNothing(`cat ${path}`, { ...ground, denyRead: [] })).toBe(true);
    expect(changesNothing(`cat ${path}`, ground)).toBe(false);
    expect(changesNothing("cat open.txt", ground)).toBe(true);
  });
});

describe.each(["d/**", "**/private.txt"])("searching with %s", (rule) => {
  const roots = [".", "way", "way/deep", "inside", "second", "sub/up", "sub", "hard.txt", "third.txt"];

  test("Grep and Glob show nothing of it, wherever they begin and by whatever name; the rest is found", async () => {
    const names = ways.map(([, make]) => {
      try {
        return make();
      } catch {
        return "";
      }
    });
    const shown: string[] = [];
    for (const path of roots) {
      const grep = await bench.call("Grep", { pattern: "CANARY", path, output_mode: "content" }, deny(rule));
      shown.push(grep.text);
      const glob = await bench.call("Glob", { pattern: "**/*", path }, deny(rule));
      shown.push(glob.text);
    }
    for (const pattern of names.filter((name) => name !== ""))
      shown.push((await bench.call("Glob", { pattern }, deny(rule))).text);
    const all = shown.join("\n");
    expect(all).toContain("open.txt:1:CANARY fine");
    expect(all).not.toContain("CANARY one");
    const found = all
      .split("\n")
      .filter((line) => /private\.txt$|hard\.txt$|soft\.txt$|third\.txt$/u.test(line));
    expect(
      found.filter((line) => !line.includes("denies it") && !/does not exist|no directory/u.test(line)),
    ).toEqual([]);
  });
});

test("a rule about a link is one about what it leads to", async () => {
  symlinkSync("d", bench.at("alias"));
  for (const denyRead of [["alias/**"], ["alias"], ["alias/deep/private.txt"]]) {
    const { isError } = await bench.call("Read", { file_path: "d/deep/private.txt" }, { denyRead });
    expect(isError).toBe(true);
  }
});

test("files with several names are shown where none of them is denied", async () => {
  linkSync(bench.at("open.txt"), bench.at("other.txt"));
  const { text } = await bench.call("Read", { file_path: "other.txt" }, deny("d/**"));
  expect(text).toContain("CANARY fine");
});

test("names with line ends do not slip through", async () => {
  bench.file("d/a\nb/private.txt", "CANARY\n");
  const { isError } = await bench.call("Read", { file_path: "d/a\nb/private.txt" }, deny("d/**"));
  expect(isError).toBe(true);
});

test.each([
  ["ls -R", "shows names in it"],
  ["ls --recursive", "shows names in it"],
  ["find . -name x", "shows names in it"],
  ["du -a", "shows names in it"],
  ["grep -r CANARY .", "reads it"],
  ["ls d/deep", "shows names in it"],
  ["ls way/deep", "shows names in it"],
])("%s is asked about: it %s", (command) => {
  symlinkSync("d", bench.at("way"));
  expect(changesNothing(command, bench.context)).toBe(true);
  expect(changesNothing(command, { ...bench.context, ...deny("d/**") })).toBe(false);
});
