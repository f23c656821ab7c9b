import { describe, expect, it } from "vitest";
import { splitCommand } from "./split-command.ts";

const words = (command: string) => splitCommand(command)?.map((one) => one.map(({ text }) => text));

describe("splits", () => {
  const cases: [string, string[][]][] = [
    ["ls -la src", [["ls", "-la", "src"]]],
    ["  git   status\t-s ", [["git", "status", "-s"]]],
    ["ls; pwd && cat a | wc -l || true", [["ls"], ["pwd"], ["cat", "a"], ["wc", "-l"], ["true"]]],
    ["ls\n\npwd\n", [["ls"], ["pwd"]]],
    ["ls;", [["ls"]]],
    ["grep 'a b|c;$(d)' x", [["grep", "a b|c;$(d)", "x"]]],
    ['grep "a\\.b \\"c\\" \\$x" y', [["grep", 'a\\.b "c" $x', "y"]]],
    ["echo a'b'\"c\"", [["echo", "abc"]]],
    ["echo '' \"\"", [["echo", "", ""]]],
    ["git show HEAD~1^2", [["git", "show", "HEAD~1^2"]]],
  ];
  it.each(cases)("%s", (command, expected) => expect(words(command)).toEqual(expected));

  it("says where a wildcard begins, and that a quoted one is none", () => {
    expect(splitCommand("ls src/*.ts '*' a?b")).toEqual([
      [{ text: "ls" }, { text: "src/*.ts", wildcardAt: 4 }, { text: "*" }, { text: "a?b", wildcardAt: 1 }],
    ]);
  });
});

it.each(["ls a 2>&1", "ls a 2>/dev/null", "ls a >/dev/null 2>&1", "ls 2>> /dev/null a"])(
  "%s: what goes nowhere is no part of the command",
  (command) => expect(words(command)).toEqual([["ls", "a"]]),
);

describe("gives up, as a shell could do more", () => {
  it.each([
    ...[
      "ls > x",
      "ls >> x",
      "ls 2>&1x",
      "ls >/dev/null/x",
      "ls a>/dev/null",
      ">/dev/null",
      "ls &>/dev/null",
      "cat < x",
      "cat <<< x",
      "ls &",
      "ls & rm x",
      "ls |& cat",
      "ls ;; rm",
    ],
    ...["echo $HOME", "echo $(rm x)", "echo `rm x`", 'echo "$(rm x)"', 'echo "`rm x`"', "echo $'x'"],
    ...[
      "(rm x)",
      "{ rm x; }",
      "echo {a,b}",
      "f() { :; }",
      "ls \\\nrm",
      "ls \\; rm",
      'echo "\\\n"',
      "a=$b ls",
    ],
    ...["cat ~/.ssh/id_rsa", "ls # x", "! ls", "ls 'open", 'ls "open', "ls | ", "ls &&", "| ls", "; ls", ""],
    ...["ls\rrm x", "ls\u0000", "ls\u001b[0m", "ls |", "ls || || pwd", "ls &&& pwd"],
  ])("%j", (command) => expect(splitCommand(command)).toBeUndefined());
});
