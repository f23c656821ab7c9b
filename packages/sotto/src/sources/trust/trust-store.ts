// The book of trust: which files of projects were allowed to run things or to speak with authority, by their content.

import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { SottoError } from "../../platform/errors.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { parentOf } from "../../platform/paths-of-memory.ts";
import type { NamedFiles } from "./named-files.ts";

/** `changed`: allowed once, and it was something else then. */
export type TrustState = "trusted" | "changed" | "unknown";

export interface TrustedFile {
  /** Its place in the project. */
  path: string;
  /** Of its content. */
  hash: string;
  /** When it was allowed. */
  at: string;
  /** Files that its commands name, as they were then. */
  named?: NamedFiles;
}

export interface TrustBook {
  /** Where it is kept. */
  readonly path: string;
  /** `named`: the files that its commands name, as they are now. */
  state(path: string, content: string, named?: NamedFiles): Promise<TrustState>;
  list(): Promise<readonly TrustedFile[]>;
  /** Remembers these as they were shown. */
  allow(files: readonly { path: string; content: string; named?: NamedFiles }[]): Promise<void>;
  /** Forgets these; tells which of them were known. */
  revoke(paths: readonly string[]): Promise<readonly string[]>;
  /** Why nothing is trusted although there is a book. */
  problem(): Promise<string | undefined>;
}

interface Pages {
  files: Record<string, Omit<TrustedFile, "path">>;
  problem?: string;
}

const VERSION = 1;
// A file can name a thousand others; a book that cannot be read trusts nothing.
const MOST_BYTES = 16 * 1024 * 1024;

export function trustPath(stateDirectory: string): string {
  return `${stateDirectory}/trust.json`;
}

export function openTrustBook(path: string): TrustBook {
  const change = async (edit: (files: Pages["files"]) => void) => {
    const { files, problem } = await read(path);
    if (problem !== undefined) throw new SottoError("invalid_request", `${path}: ${problem}`);
    edit(files);
    await write(path, files);
  };
  return {
    path,
    async state(file, content, named = {}) {
      const known = (await read(path)).files[file];
      if (known === undefined) return "unknown";
      const isSame = known.hash === contentHash(content) && changedNames(known.named, named).length === 0;
      return isSame ? "trusted" : "changed";
    },
    async list() {
      const { files } = await read(path);
      return Object.entries(files).map(([file, known]) => ({ path: file, ...known }));
    },
    allow: (files) =>
      change((known) => {
        const at = new Date().toISOString();
        for (const { path: file, content, named = {} } of files)
          known[file] = {
            ...{ hash: contentHash(content), at },
            ...(Object.keys(named).length === 0 ? {} : { named }),
          };
      }),
    async revoke(paths) {
      const gone: string[] = [];
      await change((known) => {
        for (const one of paths)
          if (Object.hasOwn(known, one)) {
            delete known[one];
            gone.push(one);
          }
      });
      return gone;
    },
    problem: async () => (await read(path)).problem,
  };
}

/** Which of the named files are not as they were. */
export function changedNames(before: NamedFiles = {}, now: NamedFiles = {}): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path]).sort();
}

export function contentHash(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Read each time: another process may have been told to trust, or no longer to. */
async function read(path: string): Promise<Pages> {
  const file = await readSmallFile(path, MOST_BYTES);
  if (file.kind === "absent") return { files: {} };
  if (file.kind === "unreadable")
    return { files: {}, problem: `the book of trust cannot be read: ${file.why}` };
  if (!(await isOwn(path)))
    return {
      files: {},
      problem: "others than its owner may write the book of trust, so nothing in it counts",
    };
  try {
    const { version, files } = JSON.parse(file.text) as { version?: unknown; files?: unknown };
    if (version !== VERSION || !isBook(files)) throw new Error("another form");
    return { files: Object.assign(Object.create(null), files) };
  } catch {
    return {
      files: {},
      problem: "the book of trust is damaged: remove it, and trust again what is to be trusted",
    };
  }
}

function isBook(files: unknown): files is Pages["files"] {
  if (typeof files !== "object" || files === null || Array.isArray(files)) return false;
  return Object.values(files).every(
    (one) =>
      typeof one?.hash === "string" &&
      typeof one.at === "string" &&
      (one.named === undefined || (typeof one.named === "object" && one.named !== null)),
  );
}

/** Whoever could write it could trust itself. */
async function isOwn(path: string): Promise<boolean> {
  const uid = process.getuid?.();
  if (uid === undefined) return true;
  const stats = await stat(path);
  return stats.uid === uid && (stats.mode & 0o022) === 0;
}

/** Whole or not at all, and for nobody else to read. */
async function write(path: string, files: Pages["files"]): Promise<void> {
  const directory = parentOf(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: VERSION, files }, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await chmod(path, 0o600);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
