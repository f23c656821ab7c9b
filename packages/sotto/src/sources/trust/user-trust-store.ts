// The trust store: which files of projects may run commands or inject trusted text, by their content.

import { realpath, stat } from "node:fs/promises";
import { replaceFile } from "../../platform/durable-file.ts";
import { SottoError } from "../../platform/errors.ts";
import { createHash } from "../../platform/late-crypto.ts";
import { makeDirectory } from "../../platform/make-directory.ts";
import { absolutePath, below, parentOf } from "../../platform/paths.ts";
import { repositoryOf } from "../config-files/find-config.ts";
import type { OutwardLink } from "../files/project.ts";
import { readSmallFile } from "../files/safe-open.ts";
import type { IsTrusted } from "../source.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";

/** `changed`: trusted before, with another content. */
export type TrustState = "trusted" | "changed" | "unknown";

/** A file that was approved, as the trust store keeps it. */
export interface TrustedFile {
  /** Its path in the project. */
  path: string;
  /** Of its content. */
  hash: string;
  /** When it was trusted. */
  at: string;
  /** Files that its commands name, as they were then. */
  named?: NamedFiles;
}

/** The files a user has approved with `sotto trust`. */
export interface TrustStore {
  /** Where it is stored. */
  readonly path: string;
  /** `named`: the files that its commands name, as they are now. */
  state(path: string, content: string, named?: NamedFiles): Promise<TrustState>;
  /** Every approved file. */
  list(): Promise<readonly TrustedFile[]>;
  /** Remembers these as they were shown. */
  allow(files: readonly { path: string; content: string; named?: NamedFiles }[]): Promise<void>;
  /** Forgets these; returns which of them were known. */
  revoke(paths: readonly string[]): Promise<readonly string[]>;
  /** Why nothing is trusted although there is a store. */
  problem(): Promise<string | undefined>;
}

interface StoredTrust {
  files: Record<string, Omit<TrustedFile, "path">>;
  problem?: string;
}

const VERSION = 1;
// A file can name a thousand others; if the store cannot be read, nothing is trusted.
const MOST_BYTES = 16 * 1024 * 1024;

export function trustPath(stateDirectory: string): string {
  return `${stateDirectory}/trust.json`;
}

export function openTrustStore(path: string): TrustStore {
  const change = async (edit: (files: StoredTrust["files"]) => void) => {
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

/** Which of the named files have changed. */
export function changedNames(before: NamedFiles = {}, now: NamedFiles = {}): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].filter((path) => before[path] !== now[path]).sort();
}

export function contentHash(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Read each time, as another process may have changed it. */
async function read(path: string): Promise<StoredTrust> {
  const file = await readSmallFile(path, MOST_BYTES);
  if (file.kind === "absent") return { files: {} };
  if (file.kind === "unreadable")
    return { files: {}, problem: `the trust store cannot be read: ${file.why}` };
  if (!(await isOwn(path)))
    return {
      files: {},
      problem: "users other than its owner can write the trust store, so nothing in it counts",
    };
  try {
    const { version, files } = JSON.parse(file.text) as { version?: unknown; files?: unknown };
    if (version !== VERSION || !areTrustedFiles(files)) throw new Error("another form");
    return { files: Object.assign(Object.create(null), files) };
  } catch {
    return {
      files: {},
      problem: "the trust store is damaged: remove it, and run `sotto trust` again",
    };
  }
}

function areTrustedFiles(files: unknown): files is StoredTrust["files"] {
  if (typeof files !== "object" || files === null || Array.isArray(files)) return false;
  return Object.values(files).every(
    (one) =>
      typeof one?.hash === "string" &&
      typeof one.at === "string" &&
      (one.named === undefined || (typeof one.named === "object" && one.named !== null)),
  );
}

/** Someone who could write it could trust their own files. */
async function isOwn(path: string): Promise<boolean> {
  const uid = process.getuid?.();
  if (uid === undefined) return true;
  const stats = await stat(path);
  return stats.uid === uid && (stats.mode & 0o022) === 0;
}

/** Atomic, and not readable for others. */
async function write(path: string, files: StoredTrust["files"]): Promise<void> {
  const directory = parentOf(path);
  await makeDirectory(directory);
  await replaceFile(path, `${JSON.stringify({ version: VERSION, files }, null, 2)}\n`);
}

// Whether a file of a project is trusted as it is: by its path in the project, its content, and the files that its
// commands name.

export interface Asked {
  path: string;
  content: string;
  /** The working directory of the agent. */
  cwd: string;
}

export interface LookedUp {
  /** Its key in the trust store. */
  key: string;
  named: NamedFiles;
  state: TrustState;
}

export async function lookUp(store: TrustStore, { path, content, cwd }: Asked): Promise<LookedUp> {
  const at = absolutePath(cwd, "/");
  const root = (await repositoryOf(at)) ?? at;
  const key = await trustKey(path, root);
  const named = await namedFiles({ path, content, cwd: at, root });
  return { key, named, state: await store.state(key, content, named) };
}

/**
 * A file of the project is identified by its path there, wherever links lead: a link to a file that was trusted
 * elsewhere is not trusted here, where its text means something else. A file outside is identified by its real path.
 */
async function trustKey(path: string, root: string): Promise<string> {
  const realRoot = await realpath(root).catch(() => root);
  const inside = below(root, path) ?? below(realRoot, path);
  if (inside !== undefined) return `${realRoot === "/" ? "" : realRoot}/${inside}`;
  return realpath(path).catch(() => path);
}

// Whether the user has allowed a link that leads out of the project.

/** What is behind a link may change, but not where it leads. */
export async function isLinkAllowed(link: OutwardLink, stateDirectory: string): Promise<boolean> {
  const store = openTrustStore(trustPath(stateDirectory));
  return (await store.state(link.place, linkContent(link))) === "trusted";
}

/** What the trust store remembers of it. */
export function linkContent({ target }: OutwardLink): string {
  return `a link to ${target}`;
}

// Whether a file of a project may do what it asks for. If that cannot be asked, it may not.

export async function isAllowed(
  isTrusted: IsTrusted | undefined,
  path: string,
  content: string,
): Promise<boolean> {
  try {
    return (await isTrusted?.(path, content)) === true;
  } catch {
    return false;
  }
}
