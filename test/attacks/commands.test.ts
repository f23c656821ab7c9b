// Commands that plan mode lets through run here for real, in a scratch directory: none of them may change anything.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandOnlyReads } from "../../packages/sotto/src/platform/shell/command-effects.ts";
import { runs, times } from "../support/runs.ts";

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "sotto-reading-"));
  mkdirSync(join(scratch, "src"));
  mkdirSync(join(scratch, "bin"));
  // Names that a wildcard would make options of, and programs that leave a trace where anything runs them.
  const names = ["-delete", "-oout", "--output=out", "-i", "--pre=evil", "+x", "a.txt", "src/a.ts"];
  for (const name of names) writeFileSync(join(scratch, name), "b 2\na 1\n");
  writeFileSync(join(scratch, "bin/evil"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: scratch, stdio: "pipe" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one");
  writeFileSync(join(scratch, "a.txt"), "changed\n");
  git("status");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PROGRAMS =
  "ls cat head tail wc echo printf cut tr sort uniq sed find grep rg git diff tree file jq date stat cd tee xargs awk bash sh python3 env command type test tac od".split(
    " ",
  );
const WORDS = [
  ..."a.txt src src/a.ts . * -* ./* s* nothing HEAD HEAD:a.txt -n -l -o out -oout -i -e -r -rn -z -0z -.z -O -v -V --version".split(
    " ",
  ),
  ..."--output=out --outp -delete -exec -fprint -name -type f status diff log show branch tag stash list grep cat-file -p".split(
    " ",
  ),
  ..."--pre=evil --pre evil --no-pager -c core.pager=evil --ext-diff -c1 -k2 -t, 1p 1,2p + x y".split(" "),
  ...[
    "'1p'",
    "'1w out'",
    "'s/a/b/w out'",
    "'1e touch ran'",
    "'a b'",
    '"a b"',
    "'*'",
    "'{}'",
    "';'",
    "'$(touch ran)'",
  ],
  ...[
    "'touch ran'",
    "'import os; os.mkdir(\"ran\")'",
    "'a[$(touch ran)]'",
    "%n",
    "-v PATH",
    "''",
    '""',
    "'a\\'",
    '"a\\""',
  ],
];
const GLUE = [
  " ",
  " ",
  " ",
  " ",
  "  ",
  " | ",
  " && ",
  " || ",
  "; ",
  "|",
  ";",
  " 2>&1 ",
  " 2>/dev/null ",
  " >/dev/null ",
];
const HOSTILE = [
  " > out ",
  " >> out ",
  " & ",
  "\n",
  " `touch ran` ",
  " $(touch ran) ",
  " < a.txt ",
  "(",
  ")",
  "{",
  "}",
  "\\",
  "'",
  '"',
  "\t",
  "#",
  "~",
  "!",
  "=",
  "\u00a0",
];

const command = fc
  .tuple(
    fc.constantFrom(...PROGRAMS),
    fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 12, arbitrary: fc.constantFrom(...GLUE) },
          { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
        ),
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
          { weight: 1, arbitrary: fc.constantFrom(...PROGRAMS) },
        ),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([program, rest]) => program + rest.map(([glue, word]) => glue + word).join(""));

describe("commands that are taken to only read", () => {
  // Of the thousands of generated ones the first that are let through are run.
  const RUNS = times(300);

  it.each(["bash", "dash"])("leave everything as it was, in %s", (shell) => {
    if (spawnSync(shell, ["-c", "true"]).status !== 0) return;
    const before = everything();
    const allowed = new Set<string>();
    fc.assert(
      fc.property(command, (text) => {
        if (allowed.size >= RUNS || allowed.has(text) || !commandOnlyReads(text)) return;
        allowed.add(text);
        spawnSync(shell, ["-c", text], {
          cwd: scratch,
          input: "touch ran\n",
          timeout: 10_000,
          env: {
            ...process.env,
            PATH: `${process.env.PATH}:${join(scratch, "bin")}`,
            GIT_OPTIONAL_LOCKS: "0",
          },
        });
        expect({ text, left: everything() }).toEqual({ text, left: before });
      }),
      runs(20_000),
    );
    expect(allowed.size).toBe(RUNS);
  });
});

/** Every file with its content; what Git notes for itself left out. */
function everything(): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (directory: string) => {
    for (const entry of readdirSync(join(scratch, directory), { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isSymbolicLink()) found[path] = readlinkSync(join(scratch, path));
      else if (path !== ".git/index")
        found[path] = createHash("sha1")
          .update(readFileSync(join(scratch, path)))
          .digest("hex");
    }
  };
  visit("");
  return found;
}
