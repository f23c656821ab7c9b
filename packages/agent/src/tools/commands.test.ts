import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changesNothing, isCommandAllowed, prefixesOf } from "./commands.ts";

let directory: string;
let cwd: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-commands-")));
  cwd = join(directory, "project");
  for (const name of ["src", "links", "keys"]) mkdirSync(join(cwd, name), { recursive: true });
  for (const name of ["a.txt", "src/a.ts", "keys/k"]) writeFileSync(join(cwd, name), "");
  writeFileSync(join(directory, "secret"), "");
  symlinkSync(join(directory, "secret"), join(cwd, "links", "out"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const ground = () => ({ cwd, extraDirectories: [] });

describe("need no question", () => {
  it.each([
    ...[
      "ls",
      "ls -la src",
      "cat a.txt",
      "cat *.txt",
      "cat src/*.ts",
      "head -n 5 a.txt",
      "tail -20 a.txt",
      "wc -l a.txt",
    ],
    ...[
      "pwd",
      "echo hello",
      "echo 'a > b'",
      "git status",
      "git diff HEAD~1 -- src",
      "git log --oneline -5",
      "git show HEAD:a.txt",
    ],
    ...[
      "git branch",
      "git branch -vv",
      "git remote -v",
      "rg -n foo src",
      "grep -rn 'foo|bar' src",
      "grep '/api/users' a.txt",
    ],
    ...[
      "find . -name '*.ts' -type f",
      "node --version",
      "npm -v",
      "python3 -V",
      "ls | wc -l",
      "ls 2>/dev/null | wc -l 2>&1",
      "sed -n '1,5p' a.txt",
      "ls && pwd; git status || true",
    ],
    ...[
      "cat a.txt | sort -rn -k2,3 | uniq -c | head -5",
      "date +%s",
      "which node",
      "cat none/such/file",
      "diff a.txt src/a.ts",
      "jq . a.txt",
      "jq -r '.a[0].b | keys' a.txt",
      "cat a.txt | jq '.a[]?'",
    ],
  ])("%s", (command) => expect(changesNothing(command, ground())).toBe(true));
});

describe("are asked about", () => {
  it.each([
    ...[
      "rm a.txt",
      "ls; rm a.txt",
      "ls | xargs rm",
      "ls > out",
      "npm test",
      "./ls",
      "/bin/ls",
      "FOO=1 ls",
      "sudo ls",
      "bash -c ls",
    ],
    ...[
      "find . -delete",
      "find . -exec rm {} +",
      "find . -exec rm '{}' ';'",
      "find . -fprintf x y",
      "find -L . -name x",
      "find . -okdir ls",
    ],
    ...[
      "git push",
      "git -c core.pager=x log",
      "git log --output=x",
      "git log --outp x",
      "git diff --ext-diff",
      "git branch new",
      "git branch -D old",
    ],
    ...[
      "git remote add x y",
      "git grep -Oless x",
      "git",
      "git diff --no-index a b",
      "rg --pre ./x foo",
      "rg -z foo",
      "rg -nL foo",
      "rg foo *",
    ],
    ...[
      "find *",
      "sort -o a.txt a.txt",
      "sort -ro a.txt",
      "sort --output=a a",
      "sort --compress-program=x a",
      "uniq a.txt b.txt",
      "date -s now",
      "date 01010000",
    ],
    ...[
      "node x.js",
      "node --version x.js",
      "npm install",
      "tsc",
      "cat ../secret",
      "cat links/out",
      "cat links/*",
      "cat li*/out",
      "ls /",
      "ls ..",
    ],
    ...[
      "grep -f../secret x a.txt",
      "grep --file=../secret x a.txt",
      "grep -R x .",
      "head -c5 ../secret",
      "cat '../secret'",
      "cat src/../../secret",
    ],
    ...[
      "echo 'rm a.txt' | bash -v",
      "echo 'import os' | python3 -v",
      "cargo --version",
      "go version",
      "git cat-file -p HEAD:a.txt",
      "git grep x",
      "cd src && ls",
      "printf -v PATH x; ls",
      "tail --retry ../secret",
      "jq -n env",
      "jq -n '$ENV.HOME'",
      "jq '.a, env' a.txt",
      "jq -f a.txt src/a.ts",
      'jq -n \'import "a" as $a {search: ".."}; $a\'',
      "jq --rawfile a ../secret . a.txt",
      "jq . *",
      "strings @../secret",
      "wc --files0-from=a.txt",
      "du --files0=a.txt",
      "sha256sum -c a.txt",
      "[ -f a.txt ]",
      "time ls",
      "exec ls",
      "eval ls",
      "env",
      "cd ..",
      "constructor",
      "__proto__",
      "l*",
    ],
  ])("%s", (command) => expect(changesNothing(command, ground())).toBe(false));

  it("wildcards that become options, where files are named like them", () => {
    const odd = { cwd: join(directory, "odd"), extraDirectories: [] };
    mkdirSync(odd.cwd);
    writeFileSync(join(odd.cwd, "a.txt"), "");
    for (const name of ["-R", "--files0-from=a.txt", "@a.txt"]) {
      expect(changesNothing("grep x *", odd)).toBe(true);
      writeFileSync(join(odd.cwd, name), "");
      for (const command of ["grep x *", "wc ?*", "strings [-@]*"])
        expect(changesNothing(command, odd)).toBe(false);
      expect(changesNothing("grep x ./*", odd)).toBe(true);
      rmSync(join(odd.cwd, name));
    }
  });

  it("what rules deny, and what goes through everything where there are rules", () => {
    const strict = { ...ground(), denyRead: ["keys/"] };
    for (const command of ["cat keys/k", "ls keys/*", "rg foo", "grep -rn foo .", "git log -p"])
      expect(changesNothing(command, strict)).toBe(false);
    expect(changesNothing("cat a.txt", strict)).toBe(true);
  });
});

describe("a link that stays inside, and .. behind it", () => {
  // As package managers link the packages of a workspace.
  const UP = "node_modules/@s/foo/../..";
  beforeAll(() => {
    for (const name of ["node_modules/@s", "packages/foo", "node_modules/plain"])
      mkdirSync(join(cwd, name), { recursive: true });
    symlinkSync("../../packages/foo", join(cwd, "node_modules/@s/foo"));
    symlinkSync("/proc/self/cwd", join(cwd, "here"));
    writeFileSync(join(cwd, "id_rsa"), "");
  });
  afterAll(() => {
    for (const name of ["node_modules", "packages", "id_rsa", "here"])
      rmSync(join(cwd, name), { recursive: true });
  });

  it.each([
    `cat ${UP}/../secret`,
    `cat './${UP}//.././secret'`,
    `ls ${UP}/..`,
    `ls ${UP}/../*`,
    `find ${UP}/.. -name x`,
    `grep -f${UP}/../secret a.txt`,
    `grep -hf${UP}/../secret a.txt`,
    `grep --file=${UP}/../secret a.txt`,
    `diff --from-file=${UP}/../secret a.txt`,
    `cat ${UP}/id_rsa`,
    `cat ${UP}/id*`,
    `cat ${UP}/links/out`,
    `rg foo ${UP}`,
    // In another process that is another directory.
    `cat /proc/self/cwd/package.json`,
    `cat here/package.json`,
    "cat /dev/stdin",
    `git blame ${UP}/id_rsa`,
  ])("%s is asked about", (command) => expect(changesNothing(command, ground())).toBe(false));

  it.each([`cat ${UP}/a.txt`, `ls ${UP}/src`, `head -3 ${UP}/src/*`, `grep foo ${UP}/a.txt`])(
    "%s stays inside",
    (command) => expect(changesNothing(command, ground())).toBe(true),
  );

  it("rules that deny hold there", () => {
    const strict = { ...ground(), denyRead: ["keys/"] };
    expect(changesNothing(`cat ${UP}/keys/k`, ground())).toBe(true);
    for (const command of [`cat ${UP}/keys/k`, `ls ${UP}/keys`, `head ${UP}/keys/*`])
      expect(changesNothing(command, strict)).toBe(false);
  });
});

describe("what goes through directories", () => {
  beforeAll(() => {
    mkdirSync(join(cwd, "held"));
    writeFileSync(join(cwd, "held/.env"), "");
    mkdirSync(join(cwd, "held/config"));
    writeFileSync(join(cwd, "held/config/a"), "");
  });
  afterAll(() => rmSync(join(cwd, "held"), { recursive: true }));
  const held = () => ({ cwd: join(cwd, "held"), extraDirectories: [] });

  it.each([
    ...["grep", "egrep", "fgrep"].flatMap((program) =>
      ["-r", "-nr", "-3r", "-d recurse", "-drecurse", "--recursive", "--rec", "--di=recurse"].map(
        (option) => `${program} ${option} x .`,
      ),
    ),
    ...[
      "diff . config",
      "diff config .",
      "diff -u ./ config",
      "diff --from-file=. config",
      "diff -N . config",
    ],
    // The only word is the pattern.
    ...[
      "grep -r config",
      "grep -rn --exclude a config",
      "grep -drecurse config",
      "grep -r --exclude -- -e config",
      "grep -r --exclude -e -n config",
      "rg config",
      "rg -A 1 config",
    ],
  ])("%s is asked about where a secret is", (command) => expect(changesNothing(command, held())).toBe(false));

  it.each([
    ...[
      "grep -rn x config",
      "egrep -r -A 3 x config",
      "grep -rne x config",
      "rg -n x config",
      "rg --files config",
    ],
    ...[
      "grep -r --include='*.ts' -- x config",
      "diff config/a config/a",
      "diff config config",
      "fgrep x config/a",
    ],
  ])("%s is not, as it goes elsewhere", (command) => expect(changesNothing(command, held())).toBe(true));

  it.each([
    ...["egrep -R x src", "fgrep -nR x src", "grep -1R x src", "grep --der x src", "rg -.L x src"],
    ...["ls -RL", "ls --recursive --dereference", "du -aL", "du --dereference", "diff links src"],
  ])("%s is asked about: it follows links", (command) =>
    expect(changesNothing(command, ground())).toBe(false),
  );

  it("with rules that deny, whatever the option is called", () => {
    const strict = { ...ground(), denyRead: ["keys/deep/"] };
    for (const command of ["egrep -r x .", "grep -d recurse x .", "grep -2r x .", "fgrep --di=recurse x ."])
      expect([command, changesNothing(command, strict)]).toEqual([command, false]);
    expect(changesNothing("cut -d, -f1 a.txt", strict)).toBe(true);
  });
});

describe("allowed prefixes", () => {
  const allowed = { allowedCommands: ["npm test", "make"], allowedExactly: new Set(["rm 'a b'"]) };
  it.each([
    ["npm test", true],
    ["npm test -- --watch", true],
    ["npm test && git status | wc -l", true],
    ["make build", true],
    ["rm 'a b'", true],
    ["npm testing", false],
    ["npm", false],
    ["npm test; rm x", false],
    ["npm test > x", false],
    ["npm test $(rm x)", false],
    ["rm a b", false],
    ["xmake", false],
  ])("%s: %s", (command, expected) => expect(isCommandAllowed(command, allowed, ground())).toBe(expected));

  it("what is allowed to change the shell leaves nothing known about the rest", () => {
    const moving = { allowedCommands: ["cd", "export"], allowedExactly: new Set<string>() };
    expect(isCommandAllowed("cd ..", moving, ground())).toBe(true);
    for (const command of ["cd .. && cat secret", "export PAGER=x; git status", "cat secret; cd .."])
      expect(isCommandAllowed(command, moving, ground())).toBe(false);
  });

  it("a prefix of white space allows nothing", () => {
    const blank = { allowedCommands: ["", "  "], allowedExactly: new Set<string>() };
    expect(isCommandAllowed("rm x", blank, ground())).toBe(false);
  });
});

describe("what is allowed for good", () => {
  it.each([
    ["npm test -- --watch", ["npm test"]],
    ["npm run build:all --fast", ["npm run build:all"]],
    ["git add . && git commit -m x; git status", ["git add", "git commit"]],
    ["cargo test", ["cargo test"]],
    ["rm x", undefined],
    ["npm exec thing", undefined],
    ["git -c x=y push", undefined],
    ["npm run -s x", undefined],
    ["node x.js", undefined],
    ["npm test > out", undefined],
    ["npm test && rm x", undefined],
  ])("%s: %j", (command, expected) => expect(prefixesOf(command, ground())).toEqual(expected));
});
