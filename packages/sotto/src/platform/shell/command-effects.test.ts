import { describe, expect, test } from "vitest";
import { startEffort } from "../../../../../test/support/effort.ts";
import { commandPaths, commandReads } from "./command-effects.ts";

describe("what a command reads", () => {
  test.each([
    ["cat a.ts", [{ path: "a.ts" }]],
    ["cat -n 'my file.ts' b.ts", [{ path: "my file.ts" }, { path: "b.ts" }]],
    ["sed -n '10,20p' src/a.ts", [{ path: "src/a.ts", offset: 10, limit: 11 }]],
    ["sed -n 5p a.ts", [{ path: "a.ts", offset: 5, limit: 1 }]],
    ["head -n 30 a.ts", [{ path: "a.ts", offset: 1, limit: 30 }]],
    ["head -5 a.ts", [{ path: "a.ts", offset: 1, limit: 5 }]],
    ["head a.ts", [{ path: "a.ts", offset: 1, limit: 10 }]],
    ["cat a.ts && cat b.ts", [{ path: "a.ts" }, { path: "b.ts" }]],
    [["bash", "-lc", "cat a.ts"], [{ path: "a.ts" }]],
    ["bash -lc 'cat a.ts'", [{ path: "a.ts" }]],
    ['/bin/sh -c "cat -n a.ts"', [{ path: "a.ts" }]],
    ["bash -c 'cat a.ts' x", []],
    ["bash -x -c 'cat a.ts'", []],
    ["cat my\\ file.ts", [{ path: "my file.ts" }]],
    ["cat 'it'\\''s.ts' it\\'s.ts", [{ path: "it's.ts" }, { path: "it's.ts" }]],
    ["cat a\\;b.ts", []],
    ["cat -- a.ts -n", [{ path: "a.ts" }, { path: "-n" }]],
    ["nl -ba a.ts", [{ path: "a.ts" }]],
    ["nl -s a.ts", []],
    [["cat", "my file.ts"], [{ path: "my file.ts" }]],
    ["cat 'a<b>.ts' \"c|d.ts\"", [{ path: "a<b>.ts" }, { path: "c|d.ts" }]],
    ["cat 'a>b.ts' > c.ts", []],
    ["cat it\\'s.ts >/dev/null 'x'", []],
    ["cat \"a'b.ts\" | wc 'x'", []],
    ["cat $'a\\'b' > 'c'", []],
    ["cat < a.ts", []],
    // What the model sees of these is not the file, or nobody knows which file it is.
    ["cat a.ts | head", []],
    ["cat *.ts", []],
    ["cat $FILE", []],
    ["cat a.ts > b.ts", []],
    ["cat a.ts || cat b.ts", []],
    ["cat <<EOF > a.ts\ncat b.ts\nEOF", []],
    ["sed -n 1,5p a.ts b.ts", []],
    ["cd sub && cat a.ts", []],
    ["cat a.ts; cd /x", []],
    ["cd && cat a.ts /etc/hosts", [{ path: "/etc/hosts" }]],
    ["pushd /x; cat a.ts", []],
    // Wherever that command left the shell.
    ["cd /x && cat a.ts", [{ path: "/x/a.ts" }]],
    ["cd /x && cd y && cat a.ts", [{ path: "/x/y/a.ts" }]],
    ["sed -i 's/a/b/' a.ts", []],
    ["tail a.ts", []],
    ["echo hi", []],
    ["", []],
    [undefined, []],
    [[1, 2], []],
  ])("%j", (command, reads) => {
    expect(commandReads({ command })).toEqual(reads);
  });

  test("runs where it is told to", () => {
    expect(commandReads({ command: "cat a.ts /etc/hosts", directory: "sub/" })).toEqual([
      { path: "sub/a.ts" },
      { path: "/etc/hosts" },
    ]);
  });
});

test("a command that holds a file is not taken apart", () => {
  const command = `cat a/b.ts ${"x".repeat(50_000_000)}`;
  const effort = startEffort();
  expect(commandReads({ command })).toEqual([]);
  expect(commandPaths({ command })).toEqual([]);
  expect(effort()).toBeLessThan(1000);
});

test("a home directory stays one, wherever the command runs", () => {
  expect(commandPaths({ command: "cat ~/a.ts", directory: "/x" })).toEqual(["~/a.ts"]);
});

describe("what a command names", () => {
  test.each([
    ["npm test -- src/a.test.ts --watch", ["src/a.test.ts"]],
    ["git diff main -- docs/guide", ["docs/guide"]],
    ["python x.py > out.txt 2>&1", ["x.py", "out.txt"]],
    ["curl https://example.com/a.json", []],
    ["npm install left-pad@1.3.0", []],
    ["make", []],
    ["cd /x && npm test a/b.test.ts", ["/x/a/b.test.ts"]],
    // What somebody logs in with is no path.
    ["export KEY=wJal/rXUt", []],
    ["KEY=wJal/rXUt ./run $1", ["./run"]],
    ["curl -u me:pass/word $HOST", []],
  ])("%j", (command, paths) => {
    expect(commandPaths({ command })).toEqual(paths);
  });
});

test("what goes nowhere is not shown; errors that go nowhere change nothing", () => {
  for (const command of ["cat a.ts >/dev/null", "cat a.ts 1>/dev/null 2>&1"])
    expect(commandReads({ command })).toEqual([]);
  expect(commandReads({ command: "cat a.ts 2>/dev/null" })).toEqual([{ path: "a.ts" }]);
});
