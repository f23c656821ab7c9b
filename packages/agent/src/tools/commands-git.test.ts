// Git runs what a repository's configuration says: such a repository is asked about, however harmless the command.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { changesNothing } from "./commands.ts";

let root: string;
let cwd: string;
const git = (...parameters: string[]) => execFileSync("git", parameters, { cwd, stdio: "pipe" });
const ground = () => ({ cwd, extraDirectories: [] });
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-git-")));
  cwd = join(root, "committed");
  mkdirSync(cwd);
  git("init", "-q");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one");
});
beforeEach(() => {
  cwd = join(root, "copy");
  cpSync(join(root, "committed"), cwd, { recursive: true });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const COMMANDS = ["git status", "git diff", "git log -p", "git show", "git blame a.txt", "ls && git status"];

test("not asked about as it is", () => {
  for (const command of COMMANDS)
    expect([command, changesNothing(command, ground())]).toEqual([command, true]);
});

describe("asked about", () => {
  test.each([
    ["core.fsmonitor", "touch pwned; false"],
    ["core.fsmonitor", "./true"],
    ["diff.external", "touch pwned"],
    ["diff.any.textconv", "touch pwned; cat"],
    ["diff.any.command", "touch pwned"],
    ["filter.any.clean", "touch pwned; cat"],
    ["filter.any.smudge", "touch pwned; cat"],
    ["filter.any.process", "touch pwned"],
    ["filter.lfs.clean", "touch pwned; cat"],
    ["core.pager", "touch pwned"],
    ["pager.log", "touch pwned"],
    ["core.sshCommand", "touch pwned"],
    ["core.worktree", "/"],
    ["alias.st", "!touch pwned"],
    ["include.path", "../evil"],
    ["includeIf.gitdir:/.path", "../evil"],
    ["gpg.program", "./evil"],
    ["gpg.ssh.program", "./evil"],
    ["remote.origin.uploadpack", "touch pwned"],
    ["remote.origin.vcs", "ext"],
    ["protocol.ext.allow", "always"],
    ["credential.helper", "!touch pwned"],
    ["merge.any.driver", "touch pwned"],
    ["a.setting.nobody-knows", "x"],
  ])("%s = %s", (key, value) => {
    git("config", key, value);
    for (const command of COMMANDS)
      expect([command, changesNothing(command, ground())]).toEqual([command, false]);
    expect(changesNothing("cat a.txt", ground())).toBe(true);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  test("a setting of one work tree", () => {
    git("config", "extensions.worktreeConfig", "true");
    git("config", "--worktree", "core.fsmonitor", "touch pwned; false");
    expect(changesNothing("git status", ground())).toBe(false);
  });

  test("from a directory inside the repository", () => {
    git("config", "core.fsmonitor", "touch pwned; false");
    mkdirSync(join(cwd, "src"));
    expect(changesNothing("git status", { cwd: join(cwd, "src"), extraDirectories: [] })).toBe(false);
  });

  test.each([".git/hooks", "own-hooks"])("a hook that git status sets off, in %s", (place) => {
    git("config", "core.hooksPath", place);
    expect(changesNothing("git status", ground())).toBe(true);
    mkdirSync(join(cwd, place), { recursive: true });
    writeFileSync(join(cwd, place, "post-index-change"), "#!/bin/sh\ntouch pwned\n");
    chmodSync(join(cwd, place, "post-index-change"), 0o755);
    expect(changesNothing("git status", ground())).toBe(false);
  });

  test("a configuration that Git cannot read, or that has no end", () => {
    writeFileSync(join(cwd, ".git/config"), "[core\n");
    expect(changesNothing("git status", ground())).toBe(false);
    writeFileSync(
      join(cwd, ".git/config"),
      `[branch "x"]\n${`\tmerge = ${"y".repeat(1000)}\n`.repeat(2000)}`,
    );
    expect(changesNothing("git status", ground())).toBe(false);
  });
});

test("what clones and everyday settings leave in a repository needs no question", () => {
  for (const [key, value] of [
    ["remote.origin.url", "https://example.com/a.git"],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
    ["branch.main.remote", "origin"],
    ["branch.main.vscode-merge-base", "origin/main"],
    ["user.email", "me@example.com"],
    ["core.fsmonitor", "true"],
    ["core.hooksPath", ".husky/_"],
    ["core.autocrlf", "input"],
    ["pull.rebase", "true"],
    ["diff.algorithm", "histogram"],
    ["filter.lfs.clean", "git-lfs clean -- %f"],
    ["filter.lfs.process", "git-lfs filter-process"],
    ["filter.lfs.required", "true"],
  ] as const)
    git("config", key, value);
  for (const command of COMMANDS) expect(changesNothing(command, ground())).toBe(true);
});

describe("passwords in addresses", () => {
  test.each([
    ["https://me:t0ken@example.com/a.git", false],
    ["https://ghp_0123456789abcdefghij@example.com/a.git", false],
    ["https://example.com/a.git?private_token=x", false],
    ["https://me@example.com/a.git", true],
    ["ssh://git@example.com/a.git", true],
    ["git@example.com:a.git", true],
  ])("%s may be shown: %s", (url, expected) => {
    git("config", "remote.origin.url", url);
    for (const command of ["git remote -v", "grep -r x .", "rg -. x"])
      expect([command, changesNothing(command, ground())]).toEqual([command, expected]);
    for (const command of ["git remote", "git branch -vv", "git status"])
      expect([command, changesNothing(command, ground())]).toEqual([command, true]);
  });

  test("that the user's own settings add are found, and those of submodules", () => {
    git("config", "remote.origin.url", "https://example.com/a.git");
    mkdirSync(join(cwd, ".git/modules/lib/one"), { recursive: true });
    expect(changesNothing("grep -r x .", ground())).toBe(true);
    writeFileSync(join(cwd, ".git/modules/lib/one/config"), "[remote]\nurl = https://a:b@example.com\n");
    expect(changesNothing("grep -r x .", ground())).toBe(false);
    const settings = join(root, "settings");
    writeFileSync(settings, '[url "https://a:b@example.com/"]\ninsteadOf = https://example.com/\n');
    expect(changesNothing("git remote -v", ground())).toBe(true);
    vi.stubEnv("GIT_CONFIG_GLOBAL", settings);
    expect(changesNothing("git remote -v", ground())).toBe(false);
    vi.unstubAllEnvs();
  });
});
