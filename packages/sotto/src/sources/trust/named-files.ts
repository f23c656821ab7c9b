// The files of a project that a trusted command names, with their hashes, so that the command runs what was trusted.
// What such a file loads in turn is not checked.

import type { FileHandle } from "node:fs/promises";
import * as fileSystem from "node:fs/promises";
import { homedir } from "node:os";
import { createHash, randomUUID } from "../../platform/late-crypto.ts";
import { absolutePath, fromHome, isWithin, joined, parentOf } from "../../platform/paths.ts";
import { walk } from "../files/list.ts";
import { openPath } from "../files/safe-open.ts";
import { commandsIn, commandText } from "./commands.ts";
import { isWritten } from "./name-patterns.ts";
import { type NamedPattern, type NamedWord, namedWords } from "./named-words.ts";
import { endingWith, type ProjectFiles, projectFiles } from "./project-files.ts";

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
/** There are too many files to look for it among them. */
const NOT_COVERED = "not covered";
const MOST_FILES = 200;
const MOST_ENTRIES = 5000;
const MOST_DIRECTORIES = 16;
const MOST_NAMED = 1000;
// Nobody's commands have that many words, except in an attack.
const MOST_LOOKS = 20_000;
const MOST_TEXT = 50_000;
const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** What runs if a directory is named as a program. */
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"];

export async function namedFiles({ path, content, cwd, root }: NamedFilesOptions): Promise<NamedFiles> {
  const named: Record<string, string> = {};
  const starts = [...new Set([root, cwd, parentOf(path)])];
  let looks = 0;
  const isExhausted = () => ++looks > MOST_LOOKS;
  const lists = new Map<string, Promise<string[]>>();
  const namesIn = (directory: string) => {
    const names = lists.get(directory) ?? fileSystem.readdir(directory).catch(() => []);
    lists.set(directory, names);
    return names;
  };
  let project: ProjectFiles | undefined;
  let read = 0;
  for (const command of commandsIn(path, content)) {
    read += commandText(command).length;
    const { words, patterns, places, isOpen, isSearch, isCut, isLost } = namedWords(command);
    const given = { root, isOpen, isExhausted };
    const { directories, run } = await directoriesIn(words, { ...given, bases: starts });
    directories.push(...(await placesFrom(places, { ...given, bases: [...starts, ...directories] })));
    const bases = [...new Set([...starts, ...directories.slice(0, MOST_DIRECTORIES)])];
    for (const word of words) Object.assign(named, await lookFor(word, { ...given, bases }));
    const above = directoriesAbove([...bases, ...Object.keys(named).map(parentOf)], root);
    const isHere = isSearch && isOpen && words.some(({ text }) => /^\.\/*$/u.test(text));
    for (const directory of isHere ? [root] : run.slice(0, MOST_DIRECTORIES))
      Object.assign(named, await filesBelow(directory));
    for (const pattern of patterns.filter(({ isAnywhere }) => !isAnywhere))
      for (const base of pattern.isConvention ? above : bases)
        Object.assign(named, await matching(pattern, { base, root, counted: run, isExhausted, namesIn }));
    const far = [
      ...patterns.filter(({ isAnywhere }) => isAnywhere || isLost),
      ...(isLost ? words.flatMap(asPattern) : []),
    ];
    if (far.length > 0) {
      project ??= await projectFiles(root);
      Object.assign(named, await anywhere(far, { root, project }));
    }
    const isTooMuch =
      isCut || read > MOST_TEXT || looks > MOST_LOOKS || directories.length > MOST_DIRECTORIES;
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

/** Directories of the project that the words name: a command may change to them, or run the files in them. */
async function directoriesIn(
  words: readonly NamedWord[],
  { bases, root, isOpen, isExhausted }: Places,
): Promise<{ directories: string[]; run: string[] }> {
  const found = new Map<string, boolean>();
  for (const { text, isRun } of words)
    for (const base of bases)
      for (const path of placesOf(text, base)) {
        // For `hooks/g*` that is `hooks`.
        for (let at = path; isWithin(root, at) && !bases.includes(at); at = parentOf(at)) {
          if (isExhausted()) break;
          const stats = await fileSystem.stat(at).catch(() => undefined);
          if (stats?.isDirectory()) found.set(at, isRun || isOpen || found.get(at) === true);
          if (stats !== undefined || !isOpen) break;
        }
      }
  const directories = [...found.keys()];
  return { directories, run: directories.filter((directory) => found.get(directory)) };
}

/** `cd a; cd b` goes to `a/b`. */
async function placesFrom(
  places: readonly string[],
  { bases, root, isExhausted }: Places,
): Promise<string[]> {
  const known = new Set(bases);
  for (let added = [...bases]; added.length > 0 && known.size <= bases.length + MOST_DIRECTORIES; ) {
    const next = added.flatMap((base) => places.map((place) => absolutePath(place, base)));
    added = [];
    for (const path of new Set(next)) {
      if (known.has(path) || !isWithin(root, path) || isExhausted()) continue;
      if (!(await fileSystem.stat(path).catch(() => undefined))?.isDirectory()) continue;
      known.add(path);
      added.push(path);
    }
  }
  return [...known].slice(bases.length);
}

/** With themselves, up to the project's own. */
function directoriesAbove(directories: readonly string[], root: string): string[] {
  const found = new Set<string>([root]);
  for (const directory of directories)
    for (let at = directory; isWithin(root, at) && !found.has(at); at = parentOf(at)) found.add(at);
  return [...found];
}

/** In a directory that nobody knows. */
function asPattern({ text, isProgram, isSure }: NamedWord): NamedPattern[] {
  if (!(isProgram || isSure || text.includes("/"))) return [];
  return [{ text, parts: text.split("/"), isRun: false, isConvention: false, isAnywhere: true }];
}

async function anywhere(
  patterns: readonly NamedPattern[],
  { root, project }: { root: string; project: ProjectFiles },
): Promise<Record<string, string>> {
  const named: Record<string, string> = { ...project.links };
  for (const { text, parts: given, isRun } of patterns) {
    const parts = given.filter((part) => typeof part !== "string" || !/^\.{0,2}$/u.test(part));
    const place = joined(root, `**/${text}`);
    const paths = isWritten(parts) ? endingWith(project, parts, { withDirectories: isRun }) : [];
    Object.assign(named, await allOf(paths, place));
    if (!project.isWhole) named[place] = NOT_COVERED;
  }
  return named;
}

/** One by one if they are few. */
async function filesBelow(directory: string): Promise<Record<string, string>> {
  const paths: string[] = [];
  const isWhole = await walk(directory, {
    most: MOST_ENTRIES,
    see: (path, entry) => void (entry.isDirectory() || paths.push(path)),
  });
  return isWhole ? allOf(paths, directory) : { [`${directory}/`]: randomUUID() };
}

async function allOf(paths: string[], directory: string): Promise<Record<string, string>> {
  if (paths.length <= MOST_FILES) return hashesOf(paths);
  const hash = createHash("sha256");
  for (const path of paths.sort()) {
    const stats = await fileSystem.stat(path).catch(() => undefined);
    // Unlike the mtime, the ctime of a file cannot be set.
    hash.update(`${path}\0${stats?.size} ${stats?.ctimeMs}\0`);
  }
  return { [`${directory}/`]: hash.digest("hex") };
}

/** The files that a glob or a computed name matches, or a little more, and those below a directory that it matches. */
async function matching(
  { text, parts, isRun }: NamedPattern,
  {
    base,
    root,
    counted,
    isExhausted,
    namesIn,
  }: Omit<Places, "bases" | "isOpen"> & {
    base: string;
    counted: string[];
    namesIn(directory: string): Promise<string[]>;
  },
): Promise<Record<string, string>> {
  let places = [base];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next: string[] = [];
    for (const place of places) {
      if (isExhausted()) return {};
      if (typeof part === "string" && part !== "**") next.push(absolutePath(part, place));
      else if (part === "**") {
        const below = await directoriesBelow(place);
        if (below === undefined) return { [`${place}/`]: randomUUID() };
        next.push(...(isLast ? [place] : below));
      } else {
        const names = await namesIn(place);
        next.push(
          ...names
            .filter((name) => name.startsWith(part.head) && name.endsWith(part.tail))
            .map((name) => joined(place, name)),
        );
      }
    }
    places = next.filter((place) => isWithin(root, place));
  }
  places = places.filter((place) => !counted.some((directory) => isWithin(directory, place)));
  const named = await allOf(places, joined(base, text));
  // `*` alone is more often a `case` than every directory of a project.
  const last = parts.at(-1);
  if (!isRun || (typeof last === "object" && last.head + last.tail === "")) return named;
  for (const place of places) {
    if (isExhausted()) break;
    const stats = await fileSystem.stat(place).catch(() => undefined);
    if (stats?.isDirectory() && place !== root) Object.assign(named, await filesBelow(place));
  }
  return named;
}

async function directoriesBelow(directory: string): Promise<string[] | undefined> {
  const found = [directory];
  const see = (path: string, entry: { isDirectory(): boolean }) => {
    if (entry.isDirectory()) found.push(path);
  };
  return (await walk(directory, { most: MOST_ENTRIES, see })) ? found : undefined;
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
    if (!isWithin(root, path)) continue;
    if (isExhausted()) break;
    const look = path === root ? { kind: "directory" as const } : await hashOf(path);
    if (look.kind === "file") found[path] = look.hash;
    else if (look.kind === "directory" && word.isProgram)
      Object.assign(found, await hashesOf(ENTRIES.map((entry) => joined(path, entry))));
    if (look.kind !== "file" && path !== root && (word.isProgram || word.text.includes("/")))
      Object.assign(found, await withExtension(path));
  }
  // A file that is created later is a change, too.
  const first = absolutePath(word.text, root);
  const isMissed = word.isSure && Object.keys(found).length === 0 && isWithin(root, first);
  return isMissed ? { [first]: ABSENT } : found;
}

/** `node hooks/x` runs `hooks/x.js`. */
async function withExtension(path: string): Promise<Record<string, string>> {
  const directory = parentOf(path);
  const names = await fileSystem.readdir(directory).catch(() => []);
  const same = names.map((name) => joined(directory, name)).filter((one) => one.startsWith(`${path}.`));
  return allOf(same, `${path}.*`);
}

/** What a shell expands before a slash is most likely the project's directory. */
function placesOf(word: string, base: string): string[] {
  const text = fromHome(word, homedir());
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
