// Which files git tracks, read from the index of their repository. Git itself is not run: the config of a cloned
// repository can name programs.

import { lstat, realpath, stat } from "node:fs/promises";
import { absolutePath, below, joined, parentOf } from "../../platform/paths.ts";
import { createYielder, processIoLimit } from "./io-limit.ts";
import { readBounded, readSmallFile } from "./safe-open.ts";

export interface GitIndex {
  path: string;
  /** The real path of the work tree. */
  root: string;
}

export interface FoundIndex {
  index?: GitIndex;
  /** Where it was looked for: `.git`, and indexes that do not exist. */
  looked: readonly string[];
}

// A million files and more. What is larger is not read.
const MOST_BYTES = 100 * 1024 * 1024;
const INDEXES_KEPT = 50;
const NAMES_KEPT = 10_000;

/**
 * Those that git tracks, by name or where a link leads in the same repository. If an index cannot be understood, all
 * of its files. Rejects if the file system does not respond.
 */
export async function trackedAmong(paths: readonly string[]): Promise<Set<string>> {
  const tracked = new Set<string>();
  for (const [directory, inside] of Map.groupBy(paths, parentOf)) {
    const { index } = await gitIndexOf(directory);
    if (index === undefined) continue;
    const place = await limited(() => realPathOf(directory));
    const names: string[][] = [];
    // Each by itself: all together could take too long.
    for (const path of inside)
      names.push(
        await limited(() => namesOf(joined(place, path.slice(path.lastIndexOf("/") + 1)), index.root)),
      );
    const found = await namesTracked(index, names.flat());
    for (const [at, path] of inside.entries())
      if (names[at]?.some((name) => found === "all" || found.has(name))) tracked.add(path);
  }
  return tracked;
}

/** Of the nearest repository that has one: without an index it tracks nothing. */
export function gitIndexOf(directory: string): Promise<FoundIndex> {
  return limited(async () => {
    const looked: string[] = [];
    for (let root = await realPathOf(directory); ; root = parentOf(root)) {
      const mark = joined(root, ".git");
      looked.push(mark);
      const directory = await gitDirectory(mark);
      if (directory !== undefined) {
        const path = `${directory}/index`;
        if (await hasIndex(directory)) return { index: { path, root }, looked };
        looked.push(path);
      }
      if (parentOf(root) === root) return { looked };
    }
  });
}

/** In a linked worktree and a submodule `.git` is a file that names the directory. */
async function gitDirectory(mark: string): Promise<string | undefined> {
  const seen = await stat(mark).catch(missing);
  if (!seen?.isFile()) return seen?.isDirectory() ? mark : undefined;
  const file = await readSmallFile(mark);
  const named = file.kind === "text" ? /^gitdir: (.+?)\s*$/u.exec(file.text)?.[1] : undefined;
  return named === undefined ? mark : absolutePath(named, parentOf(mark));
}

/** Without the directory, it is a repository that cannot be read. */
async function hasIndex(directory: string): Promise<boolean> {
  if ((await stat(`${directory}/index`).catch(missing)) !== undefined) return true;
  return (await stat(directory).catch(missing))?.isDirectory() !== true;
}

/** Its name in the work tree, and that of the file it leads to. */
async function namesOf(place: string, root: string): Promise<string[]> {
  const isLink = (await lstat(place).catch(missing))?.isSymbolicLink() === true;
  const places = isLink ? [place, await realPathOf(place)] : [place];
  return places.flatMap((one) => below(root, one) ?? []);
}

async function realPathOf(path: string): Promise<string> {
  return absolutePath(await realpath(path).catch(() => path), "/");
}

function missing(): undefined {}

async function limited<Answer>(task: () => Promise<Answer>): Promise<Answer> {
  const answer = await processIoLimit.run<{ value: Answer } | string>({
    task: async () => ({ value: await task() }),
    refused: (why) => why,
  });
  if (typeof answer === "string") throw new Error(`the git index cannot be read now: ${answer}`);
  return answer.value;
}

// Git replaces the index as a whole, so its stat shows whether it is another one.

interface Kept {
  version: string;
  answers: Map<string, boolean>;
}

const kept = new Map<string, Kept>();

async function namesTracked(index: GitIndex, names: readonly string[]): Promise<Set<string> | "all"> {
  const seen = await limited(() => stat(index.path).catch(missing));
  if (seen === undefined) return "all";
  const version = [index.root, seen.dev, seen.ino, seen.size, seen.mtimeMs, seen.ctimeMs].join(" ");
  const known = kept.get(index.path);
  const isSame = known?.version === version && known.answers.size < NAMES_KEPT;
  const answers = isSame ? known.answers : new Map<string, boolean>();
  if (names.some((name) => !answers.has(name))) {
    const found = await lookUp(index.path, names);
    if (found === undefined) return "all";
    for (const name of names) answers.set(name, found.has(name));
    if (kept.size >= INDEXES_KEPT) kept.clear();
    kept.set(index.path, { version, answers });
  }
  return new Set(names.filter((name) => answers.get(name)));
}

/** Undefined if the index cannot be understood. */
async function lookUp(
  path: string,
  names: readonly string[],
  isShared = false,
): Promise<Set<string> | undefined> {
  const read = await limited(() => readBounded(path, MOST_BYTES));
  if (read.kind !== "bytes" || read.truncated) return undefined;
  const bytes = Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.byteLength);
  const found = new Set<string>();
  let isUnderstood = false;
  // The index does not say which hashes the repository has.
  for (const hashBytes of [SHA1_BYTES, SHA256_BYTES])
    try {
      const shared = await walk(bytes, { hashBytes, see: matcher(names, found) });
      if (shared !== undefined) {
        const file = `${parentOf(path)}/sharedindex.${shared}`;
        const more = isShared ? undefined : await lookUp(file, names, true);
        if (more === undefined) continue;
        // Also what was taken out since: that is in a bitmap, until git writes the shared part again.
        for (const name of more) found.add(name);
      }
      isUnderstood = true;
    } catch {
      // With these hashes it is not an index.
    }
  return isUnderstood ? found : undefined;
}

type See = (names: Buffer, start: number, end: number) => void;

/** Names are equal where some file system says so: without case, and however accents are written. */
function matcher(names: readonly string[], found: Set<string>): See {
  const wanted = Map.groupBy(names, folded);
  const first = mayBe(names.map((name) => Buffer.from(name).at(0)));
  const last = mayBe([...names.map((name) => Buffer.from(name).at(-1)), SLASH]);
  return (bytes, start, end) => {
    // Most names differ here, which saves decoding them.
    if (!first[bytes[start] as number] || !last[bytes[end - 1] as number]) return;
    const name = folded(bytes.toString("utf8", start, end));
    for (const one of wanted.get(name) ?? []) found.add(one);
    // A directory of a sparse index stands for everything in it.
    if (!name.endsWith("/")) return;
    for (const [key, ones] of wanted) if (key.startsWith(name)) for (const one of ones) found.add(one);
  };
}

function folded(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

const SLASH = 0x2f;
const ASCII = 0x80;

/** By byte, whether it can be part of the same letter as one of these. */
function mayBe(bytes: readonly (number | undefined)[]): boolean[] {
  const lower = (byte: number) => String.fromCharCode(byte).toLowerCase();
  return Array.from({ length: 256 }, (_, byte) =>
    bytes.some((one = ASCII) => byte >= ASCII || one >= ASCII || lower(byte) === lower(one)),
  );
}

// The format of the index: gitformat-index(5), versions 2 to 4.

const SHA1_BYTES = 20;
const SHA256_BYTES = 32;
const HEADER_BYTES = 12;
/** Of an entry before its hash: times, ids, mode and size. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
const LENGTH = 0xfff;
const STEP = 5000;

/** Shows every name. Returns the hash of the shared part of a split index, if it has one. Throws if it is no index. */
async function walk(
  bytes: Buffer,
  { hashBytes, see }: { hashBytes: number; see: See },
): Promise<string | undefined> {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4)
    throw new Error("not an index");
  const count = bytes.readUInt32BE(8);
  const breathe = createYielder();
  // In version 4 a name has only what differs from the one before.
  let name = Buffer.alloc(0);
  let length = 0;
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry++) {
    if (entry % STEP === 0) await breathe();
    const flags = bytes.readUInt16BE(at + STAT_BYTES + hashBytes);
    let start = at + STAT_BYTES + hashBytes + ((flags & EXTENDED) === 0 ? 2 : 4);
    let shared = 0;
    if (version === 4) {
      let byte = bytes.readUInt8(start++);
      let removed = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = bytes.readUInt8(start++);
        removed = (removed + 1) * 128 + (byte & 0x7f);
      }
      shared = length - removed;
    }
    const named = flags & LENGTH;
    const end = named === LENGTH ? bytes.indexOf(0, start) : start + named - shared;
    if (shared < 0 || end < start || bytes.readUInt8(end) !== 0) throw new Error("not a name");
    if (version < 4) {
      see(bytes, start, end);
      // Filled up to a multiple of eight.
      at += (end - at + 8) & ~7;
      continue;
    }
    length = shared + end - start;
    if (name.length < length) name = Buffer.concat([name], length * 2);
    bytes.copy(name, shared, start, end);
    see(name, 0, length);
    at = end + 1;
  }
  return sharedPart(bytes, at, hashBytes);
}

function sharedPart(bytes: Buffer, start: number, hashBytes: number): string | undefined {
  const end = bytes.length - hashBytes;
  let hash: string | undefined;
  let at = start;
  while (at < end) {
    const name = bytes.toString("latin1", at, at + 4);
    if (name === "link") hash = bytes.toString("hex", at + 8, at + 8 + hashBytes);
    // A small letter: who does not know it cannot read the index.
    else if (/^[^A-Z]/u.test(name) && name !== "sdir") throw new Error(`an extension ${name}`);
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  if (at !== end) throw new Error("it does not end where it should");
  return hash === undefined || /^0+$/u.test(hash) ? undefined : hash;
}
