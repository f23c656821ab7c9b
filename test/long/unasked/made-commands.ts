// Commands made from what programs say of themselves: each with options from its help, and paths where they do harm.

import { spawnSync } from "node:child_process";
import process from "node:process";
import { readingPrograms } from "../../../packages/sotto/src/platform/shell/command-effects.ts";
import { type Random, seeded } from "../../support/seeded.ts";

const GIT =
  "status diff log show blame ls-files rev-parse shortlog describe branch remote tag stash grep".split(" ");
// The help of Git's commands is short.
const GIT_OPTIONS =
  "-p -s -v -vv -u -c --cc --patch --stat --raw --name-only --follow --all --no-index --output --ext-diff --textconv --contents --word-diff --color-words --ignore-revs-file --exclude-from --stdin --cached -M -C -R -a -z -1 --".split(
    " ",
  );
// What these need before they look at a file.
const FIRST: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ["grep", "egrep", "fgrep", "rg"].map((name) => [name, ["Z", "Z", "''", "-e Z", "src"]]),
  ),
  sed: ["-n 1,9p"],
  jq: [".", "-r .", "env"],
  cut: ["-c1-20", "-d= -f2"],
  tr: ["a b"],
  join: ["-a1 -a2"],
};
const VALUES = ["recurse", "1", "a.txt", "Z", "always"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].map((one) => `-${one}`);

export interface Program {
  /** With the subcommand, for Git. */
  name: string;
  first: readonly string[];
  options: readonly string[];
}

/** Those that are installed. */
export function findPrograms(): Program[] {
  const names = readingPrograms.flatMap((name) => (name === "git" ? GIT.map((one) => `git ${one}`) : [name]));
  return names.flatMap((name): Program[] => {
    if (shell(`command -v ${name.split(" ")[0]}`).status !== 0) return [];
    const isGit = name.startsWith("git ");
    const { stdout, stderr } = shell(isGit ? `${name} -h` : `${name} --help`);
    const told = `${stdout}\n${stderr}`.match(/(?<![\w-])--?[A-Za-z0-9.][\w-]*/gu) ?? [];
    const options = [...new Set([...told, ...LETTERS, ...(isGit ? GIT_OPTIONS : [])])];
    return [{ name, first: FIRST[name] ?? [""], options: [...options, ...abbreviated(options)] }];
  });
}

function shell(command: string) {
  return spawnSync("/bin/sh", ["-c", command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 20_000,
    env: { PATH: process.env.PATH, HOME: "/nonexistent", LC_ALL: "C" },
  });
}

/** The shortest beginning of each long option that no other has. */
function abbreviated(options: readonly string[]): string[] {
  return options.flatMap((option) => {
    for (let length = 3; length < option.length && option.startsWith("--"); length++) {
      const start = option.slice(0, length);
      if (options.filter((one) => one.startsWith(start)).length === 1) return [start];
    }
    return [];
  });
}

function pathsIn(root: string): string[] {
  return [
    ...[
      "../outside/plain.txt",
      `${root}/outside/plain.txt`,
      "src/../../outside/plain.txt",
      "..",
      "../outside",
    ],
    ...["near/../../../outside/plain.txt", "near/../../..", "node_modules/@s/foo/../../../outside/plain.txt"],
    ...["near/../../../outside", "near/../../../outside/*", "./near//.././../../outside/plain.txt"],
    ...[
      "links/a.txt",
      "links/dir/plain.txt",
      "links/dir/../outside/plain.txt",
      "links/dir",
      "links/*",
      "links",
    ],
    ...["links both", "both links", "both held", "held both", "near/../../both near/../../held", "src", "."],
    ...[
      "~/plain.txt",
      "~",
      "a.txt",
      "src/*",
      "*",
      "near/index.ts",
      "none/../a.txt",
      "HEAD",
      "HEAD~1",
      "HEAD~2",
    ],
    ...[
      ".env",
      "id_rsa",
      "near/../../.env",
      "near/../../id_rsa",
      "none/../.env",
      "notes.md",
      ".e*",
      "[i]d_rsa",
    ],
    ...[
      "near/../../.e*",
      "near/../../i*",
      "held",
      "held/*",
      "near/../../held",
      "held/.env",
      ".git/config",
      ".git",
    ],
    ...["held/notes.txt", "near/../../held/notes.txt", "near/../../held/*", "HEAD:.env", "HEAD~1:gone.pem"],
    ...["held/renamed.txt", "--follow held/renamed.txt", "-- held/renamed.txt", "HEAD:a.txt", ":.env"],
    ...["list", "@list", "list0", "@list0", "sums", "/proc/self/environ", "links/proc/environ", "/dev/stdin"],
    ...[
      "links/proc/../self/environ",
      "near/../../../../../../../../proc/self/environ",
      "/proc/self/cwd/.env",
    ],
  ];
}

/** Each once, the same on every machine with the same programs. */
export function makeCommands(
  programs: readonly Program[],
  root: string,
  count: number,
  seed: number,
): string[] {
  const random = seeded(seed);
  const paths = pathsIn(root);
  const made = new Set<string>();
  // Few programs have so few options that nothing new is left of them.
  for (let tried = 0; made.size < count && tried < count * 3; tried++) {
    const program = programs[tried % programs.length] as Program;
    made.add(makeCommand(program, paths, random));
  }
  return [...made];
}

function makeCommand({ name, first, options }: Program, paths: readonly string[], random: Random): string {
  const path = random.pick(paths);
  const words = Array.from({ length: random.below(3) }, () => withValue(random.pick(options), path, random));
  const other = random.pick(["", "", "a.txt", "src", random.pick(paths)]);
  const operands = random.pick([
    [random.pick(first), path, other],
    [random.pick(first), other, path],
    [random.pick(first), other],
    [path],
    [random.pick(first), "--", path],
  ]);
  return [name, ...words, ...operands].filter((word) => word !== "").join(" ");
}

/** Alone, behind other letters, and with a value in each form. */
function withValue(option: string, path: string, random: Random): string {
  const value = random.chance(0.5) ? path : random.pick(VALUES);
  const combined = option.length === 2 ? `-${random.pick([..."1hnaZ"])}${option[1]}` : option;
  return random.pick([
    option,
    option,
    combined,
    `${option} ${value}`,
    `${option}=${value}`,
    `${option}${value}`,
    `${combined}${value}`,
  ]);
}
