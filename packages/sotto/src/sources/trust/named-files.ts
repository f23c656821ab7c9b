// The files of a project that a trusted command names, with their hashes, so that the command runs what was trusted.
// What such a file loads in turn is not checked.

import type { FileHandle } from "node:fs/promises";
import * as fileSystem from "node:fs/promises";
import { createHash, randomUUID } from "../../platform/late-crypto.ts";
import { absolutePath, isWithin, joined, parentOf } from "../../platform/paths.ts";
import { walk } from "../files/list.ts";
import { openPath } from "../files/safe-open.ts";
import { commandsIn, type NamedWord, namedWords } from "./commands.ts";

/**
 * By path: the hash of the file, or that there is none. A path that ends with a slash stands for a directory of many
 * files, by their times; if there are too many, it never equals itself, so that nothing is trusted unseen.
 */
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
const MOST_ENTRIES = 5000;
const MOST_DIRECTORIES = 16;
const MOST_NAMED = 1000;
// Nobody's commands have that many words, except in an attack.
const MOST_LOOKS = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** What runs if a directory is named as a program. */
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"];

export async function namedFiles({ path, content, cwd, root }: NamedFilesOptions): Promise<NamedFiles> {
  const named: Record<string, string> = {};
  const places = [...new Set([root, cwd, parentOf(path)])];
  let looks = 0;
  const isExhausted = () => ++looks > MOST_LOOKS;
  for (const command of commandsIn(path, content)) {
    const { words, isOpen, isSearch, isCut } = namedWords(command);
    const directories = await directoriesIn(words, { bases: places, root, isOpen, isExhausted });
    const bases = [...new Set([...places, ...directories.slice(0, MOST_DIRECTORIES)])];
    for (const word of words) Object.assign(named, await lookFor(word, { bases, root, isOpen, isExhausted }));
    if (isOpen) {
      const isHere = isSearch && words.some(({ text }) => /^\.\/*$/u.test(text));
      for (const directory of isHere ? [root] : directories.slice(0, MOST_DIRECTORIES))
        Object.assign(named, await filesBelow(directory));
      for (const place of [root, cwd]) Object.assign(named, await globbedIn(place, words));
    }
    const isTooMuch = isCut || looks > MOST_LOOKS || directories.length > MOST_DIRECTORIES;
    if (isTooMuch || Object.keys(named).length > MOST_NAMED) return { [`${root}/`]: randomUUID() };
  }
  return named;
}

interface Places {
  bases: readonly string[];
  root: string;
  /** Not everything that is named is written out. */
  isOpen: boolean;
  /** The limit is reached. */
  isExhausted(): boolean;
}

/** Directories of the project that the words name: a command may change to them, or run files in them. */
async function directoriesIn(
  words: readonly NamedWord[],
  { bases, root, isOpen, isExhausted }: Places,
): Promise<string[]> {
  const found = new Set<string>();
  for (const { text } of words)
    for (const base of bases)
      for (const path of placesOf(text, base)) {
        // For `hooks/g*` that is `hooks`.
        for (let at = path; isWithin(root, at) && !bases.includes(at); at = parentOf(at)) {
          if (isExhausted()) return [...found];
          const stats = await fileSystem.stat(at).catch(() => undefined);
          if (stats?.isDirectory()) found.add(at);
          if (stats !== undefined || !isOpen) break;
        }
      }
  return [...found];
}

/** One by one if they are few. */
async function filesBelow(directory: string): Promise<Record<string, string>> {
  const paths: string[] = [];
  const isWhole = await walk(directory, {
    most: MOST_ENTRIES,
    see: (path, entry) => void (entry.isDirectory() || paths.push(path)),
  });
  if (!isWhole) return { [`${directory}/`]: randomUUID() };
  if (paths.length <= MOST_FILES) return hashesOf(paths);
  const hash = createHash("sha256");
  for (const path of paths.sort()) {
    const stats = await fileSystem.stat(path).catch(() => undefined);
    // Unlike the mtime, the ctime of a file cannot be set.
    hash.update(`${path}\0${stats?.size} ${stats?.ctimeMs}\0`);
  }
  return { [`${directory}/`]: hash.digest("hex") };
}

/** What globs without a directory match, or a little more. */
async function globbedIn(directory: string, words: readonly NamedWord[]): Promise<Record<string, string>> {
  const globs = words.flatMap(({ text }) => {
    const [, head, tail] = /^(?:\.\/)*([^/*?[]*)[*?[](?:.*[*?\]])?([^/*?\]]*)$/su.exec(text) ?? [];
    return head === undefined || tail === undefined ? [] : [{ head, tail }];
  });
  if (globs.length === 0) return {};
  const names = await fileSystem.readdir(directory).catch(() => []);
  const matched = names.filter((name) =>
    globs.some(({ head, tail }) => name.startsWith(head) && name.endsWith(tail)),
  );
  if (matched.length > MOST_FILES) return { [`${directory}/`]: randomUUID() };
  return hashesOf(matched.map((name) => joined(directory, name)));
}

async function hashesOf(paths: readonly string[]): Promise<Record<string, string>> {
  const named: Record<string, string> = {};
  for (const path of paths) {
    const look = await hashOf(path);
    if (look.kind === "file") named[path] = look.hash;
  }
  return named;
}

async function lookFor(
  word: NamedWord,
  { bases, root, isExhausted }: Places,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of new Set(bases.flatMap((base) => placesOf(word.text, base)))) {
    if (path === root || !isWithin(root, path)) continue;
    if (isExhausted()) break;
    const look = await hashOf(path);
    if (look.kind === "file") found[path] = look.hash;
    if (look.kind === "directory" && word.isProgram)
      Object.assign(found, await hashesOf(ENTRIES.map((entry) => joined(path, entry))));
  }
  // A file that is created later is a change, too.
  const first = absolutePath(word.text, root);
  const isMissed = word.isSure && Object.keys(found).length === 0 && isWithin(root, first);
  return isMissed ? { [first]: ABSENT } : found;
}

/** What a shell expands before a slash is most likely the project's directory. */
function placesOf(text: string, base: string): string[] {
  return [absolutePath(text, base), ...(text.startsWith("/") ? [absolutePath(`.${text}`, base)] : [])];
}

type Look = { kind: "file"; hash: string } | { kind: "directory" | "other" };

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
    for (let at = 0; at < MOST_BYTES; ) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    const { size, mtimeMs } = opened.stats;
    // No script is that large; for the bytes after that, the time counts.
    if (Number(size) > MOST_BYTES) hash.update(`${size} ${mtimeMs}`);
    return { kind: "file", hash: hash.digest("hex") };
  } catch {
    return { kind: "other" };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}
