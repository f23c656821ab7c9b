// The files of a project that a trusted command names, with their hashes: what the command runs is what was trusted.
// What such a file loads in turn is not looked at.

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import * as fileSystem from "node:fs/promises";
import { absolutePath } from "../../core/path.ts";
import { openPath } from "../files/open.ts";
import { isWithin, joined, parentOf } from "../memory/paths.ts";
import { commandsIn } from "./commands.ts";
import { type NamedWord, namedWords } from "./named-words.ts";

/** By path: the hash of what is there, or that nothing is. */
export type NamedFiles = Readonly<Record<string, string>>;

export interface NamedFilesOptions {
  /** The file that names them. */
  path: string;
  content: string;
  cwd: string;
  root: string;
}

export const ABSENT = "absent";
const MOST_FILES = 200;
const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** What a directory runs when it is named as a program. */
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"];
const PROGRAMS = [
  /^#!/u,
  /^\u007fELF/u,
  /^MZ/u,
  /^\u00ca\u00fe\u00ba\u00be/u,
  /^[\u00ce\u00cf]\u00fa\u00ed\u00fe/u,
];

export async function namedFiles({ path, content, cwd, root }: NamedFilesOptions): Promise<NamedFiles> {
  const named: Record<string, string> = {};
  const note = (file: string, hash: string) => {
    if (Object.keys(named).length < MOST_FILES) named[file] = hash;
  };
  for (const command of commandsIn(path, content)) {
    const { words, directories } = namedWords(command);
    const places = [root, cwd, parentOf(path)];
    const bases = [
      ...new Set([...places, ...directories.flatMap((one) => places.map((base) => absolutePath(one, base)))]),
    ];
    for (const word of words) {
      const found = await lookFor(word, { bases, root });
      for (const [file, hash] of found) note(file, hash);
    }
  }
  return named;
}

interface Places {
  bases: readonly string[];
  root: string;
}

async function lookFor(word: NamedWord, { bases, root }: Places): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const path of new Set(bases.flatMap((base) => placesOf(word.text, base)))) {
    if (path === root || !isWithin(root, path)) continue;
    const look = await hashOf(path);
    if (look.kind === "directory" && word.isProgram)
      for (const entry of ENTRIES) {
        const inner = await hashOf(joined(path, entry));
        if (inner.kind === "file") found.push([joined(path, entry), inner.hash]);
      }
    const counts = word.isProgram || word.isLikeCode || (look.kind === "file" && look.isProgram);
    if (look.kind === "file" && counts) found.push([path, look.hash]);
  }
  // One that comes later is a change, too.
  const first = absolutePath(word.text, root);
  const isMissed = word.isSure && found.length === 0 && isWithin(root, first);
  return isMissed ? [[first, ABSENT]] : found;
}

/** What a shell filled in before a slash is most likely the project's directory. */
function placesOf(text: string, base: string): string[] {
  return [absolutePath(text, base), ...(text.startsWith("/") ? [absolutePath(`.${text}`, base)] : [])];
}

type Look = { kind: "file"; hash: string; isProgram: boolean } | { kind: "directory" | "other" };

async function hashOf(path: string): Promise<Look> {
  let handle: FileHandle | undefined;
  try {
    const descriptors = process.platform === "linux" ? "/proc/self/fd" : false;
    const opened = await openPath(path, { fileSystem, descriptors });
    if (opened.kind !== "opened") return { kind: "other" };
    ({ handle } = opened);
    if (opened.stats.isDirectory()) return { kind: "directory" };
    const hash = createHash("sha256");
    const buffer = Buffer.alloc(CHUNK);
    let start = "";
    for (let at = 0; at < MOST_BYTES; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) break;
      if (at === 0) start = buffer.toString("latin1", 0, Math.min(4, bytesRead));
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    const { size, mtimeMs } = opened.stats;
    // Nobody writes a script of that size; what lies behind is known by its time.
    if (Number(size) > MOST_BYTES) hash.update(`${size} ${mtimeMs}`);
    return { kind: "file", hash: hash.digest("hex"), isProgram: PROGRAMS.some((magic) => magic.test(start)) };
  } catch {
    return { kind: "other" };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}
