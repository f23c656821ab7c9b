import { describe, expect, test } from "vitest";
import { commandPaths, commandReads } from "./command-files.ts";

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
    [["cat", "my file.ts"], [{ path: "my file.ts" }]],
    // What the model sees of these is not the file, or nobody knows which file it is.
    ["cat a.ts | head", []],
    ["cat *.ts", []],
    ["cat $FILE", []],
    ["cat a.ts > b.ts", []],
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

describe("what a command names", () => {
  test.each([
    ["npm test -- src/a.test.ts --watch", ["src/a.test.ts"]],
    ["git diff main -- docs/guide", ["docs/guide"]],
    ["python x.py > out.txt 2>&1", ["x.py", "out.txt"]],
    ["curl https://example.com/a.json", []],
    ["npm install left-pad@1.3.0", []],
    ["make", []],
  ])("%j", (command, paths) => {
    expect(commandPaths({ command })).toEqual(paths);
  });
});
