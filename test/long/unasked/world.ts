// Projects with files that no command may show unasked: outside, secret, denied, in the environment, in an address.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";

/** All begin with Z, for searches, and none is part of a command. */
const MARKS = {
  outside: "ZQOUTSIDEQZ",
  name: "ZQNAMEQZ",
  secret: "ZQSECRETQZ",
  denied: "ZQDENIEDQZ",
  environment: "ZQENVIRONQZ",
  address: "ZQADDRESSQZ",
};

export interface World {
  cwd: string;
  extraDirectories: readonly string[];
  denyRead?: readonly string[];
}

export interface Worlds {
  root: string;
  all: readonly World[];
  environment: NodeJS.ProcessEnv;
  /** Which marks a text shows, also backwards or in pieces. */
  marksIn(output: string): string[];
  /** All that commands must leave as it is. */
  picture(): string;
  remove(): void;
}

export function createWorlds(): Worlds {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-unasked-")));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  write("outside/plain.txt", `one\n${MARKS.outside}\n`);
  write(`outside/${MARKS.name}/deep.txt`, `${MARKS.outside}\n`);
  // A program that leaves a mark where anything runs it.
  write("mark", `#!/bin/sh\ntouch ${root}/ran\ncat\n`);
  chmodSync(join(root, "mark"), 0o755);
  for (const name of ["guarded", "open", "denied"]) {
    write(`${name}/a.txt`, "one Z\ntwo\n");
    write(`${name}/b.txt`, "one Z\nthree\n");
    write(`${name}/data.json`, '{ "a": ["Z"] }\n');
    write(`${name}/src/a.ts`, "const z = 'Z';\n");
    write(`${name}/packages/foo/index.ts`, "export const z = 'Z';\n");
    write(`${name}/both/a.txt`, "one\n");
    write(`${name}/list`, "../outside/plain.txt\n.env\nheld/notes.txt\n");
    write(`${name}/list0`, `../outside/plain.txt\0.env\0held/notes.txt\0`);
    write(`${name}/sums`, `${"0".repeat(32)}  ../outside/plain.txt\n`);
    const link = (target: string, path: string) => {
      mkdirSync(dirname(join(root, name, path)), { recursive: true });
      symlinkSync(target, join(root, name, path));
    };
    link("packages/foo", "near");
    link("../../packages/foo", "node_modules/@s/foo");
    link("../../outside/plain.txt", "links/a.txt");
    link("../../outside", "links/dir");
    link("/proc/self", "links/proc");
    // Not a directory that a shallow look finds.
    link("../../../outside", "src/more/way");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: join(root, name), stdio: "pipe" });
    git("init", "-q");
    git("add", ".");
    const commit = ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm"];
    git(...commit, "one");
    if (name === "guarded") {
      for (const path of [".env", "id_rsa", "both/.env", "held/.env", "held/id_rsa", "gone.pem"])
        write(`${name}/${path}`, `KEY=${MARKS.secret}\n`);
      write(`${name}/both/.env`, "KEY=other\n");
      link(".env", "notes.md");
      git("add", "-f", ".");
      git(...commit, "two");
      git("rm", "-q", "gone.pem");
      git("mv", "held/.env", "held/renamed.txt");
      write(`${name}/held/renamed.txt`, "KEY=gone\n");
      git("add", ".");
      git(...commit, "three");
      write(`${name}/.env`, `KEY=${MARKS.secret}\nMORE=1\n`);
      git("remote", "add", "origin", `https://me:${MARKS.address}@example.com/a.git`);
    }
    // A wildcard can become these.
    if (name === "open") for (const option of ["-R", "@list"]) write(`${name}/${option}`, "");
    if (name === "denied") write(`${name}/held/notes.txt`, `${MARKS.denied}\n`);
    git("status");
  }
  const world = (name: string) => ({ cwd: join(root, name), extraDirectories: [] });
  const program = join(root, "mark");
  return {
    root,
    all: [world("guarded"), world("open"), { ...world("denied"), denyRead: ["held/"] }],
    environment: {
      PATH: process.env.PATH,
      HOME: join(root, "outside"),
      LC_ALL: "C",
      SOME_VALUE: MARKS.environment,
      ...{ PAGER: program, GIT_PAGER: program, MANPAGER: program, BROWSER: program, LESSOPEN: `|${program}` },
      ...{ EDITOR: program, VISUAL: program, GIT_EDITOR: program },
    },
    marksIn(output) {
      const dense = output.replace(/\s/gu, "").toUpperCase();
      const shown = (mark: string) => dense.includes(mark) || dense.includes([...mark].reverse().join(""));
      return Object.entries(MARKS).flatMap(([kind, mark]) => (shown(mark) ? [kind] : []));
    },
    picture: () => pictureOf(root).join("\n"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Each entry with what it holds. Git may refresh its index. */
function pictureOf(path: string): string[] {
  if (path.endsWith("/.git/index")) return [];
  if (lstatSync(path).isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
  if (lstatSync(path).isFile()) return [`${path} ${readFileSync(path, "latin1")}`];
  if (path.endsWith("/.git/objects") && existsSync(path)) return [`${path} ${readdirSync(path).join()}`];
  return [path, ...readdirSync(path).flatMap((name) => pictureOf(join(path, name)))];
}
