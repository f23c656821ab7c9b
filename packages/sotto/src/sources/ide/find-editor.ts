// Finds the editor that has this directory open, by the files that companions leave in the temporary directory.

import { lstat, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { isRunning } from "../../platform/node-platform.ts";
import { readSmallFile } from "../files/safe-open.ts";
import { readCompanionFile } from "./editor-events.ts";

export interface Editor {
  ideName: string;
  port: number;
  token: string;
  /** The workspace that contains the directory. */
  workspace: string;
}

export interface EditorPlace {
  cwd: string;
  /** Where the files are. */
  directory?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
}

interface Candidate extends Editor {
  writtenMs: number;
}

const NAME = /^gemini-ide-server-(?<pid>\d+)-(?<port>\d+)\.json$/u;
const MOST_FILES = 200;
const MOST_BYTES = 64 * 1024;

export function usualDirectory(): string {
  return join(tmpdir(), "gemini", "ide");
}

/** The editor to connect to, or why there is none. */
export async function findEditor(place: EditorPlace): Promise<Editor | string> {
  const { directory = usualDirectory(), environment } = place;
  const names = await readdir(directory).catch(() => []);
  const cwd = await realpath(place.cwd).catch(() => place.cwd);
  const found: Candidate[] = [];
  for (const name of names.filter((one) => NAME.test(one)).slice(0, MOST_FILES)) {
    const candidate = await readCandidate(join(directory, name), NAME.exec(name)?.groups ?? {}, cwd);
    if (candidate !== undefined) found.push(candidate);
  }
  const wanted = Number(environment.GEMINI_CLI_IDE_SERVER_PORT);
  // The editor whose terminal this is; otherwise the one with the nearest workspace; otherwise the latest.
  found.sort(
    (a, b) =>
      Number(b.port === wanted) - Number(a.port === wanted) ||
      b.workspace.length - a.workspace.length ||
      b.writtenMs - a.writtenMs,
  );
  return found[0] ?? `no editor with a companion has ${place.cwd} open`;
}

async function readCandidate(
  path: string,
  { pid, port }: Record<string, string>,
  cwd: string,
): Promise<Candidate | undefined> {
  try {
    const stat = await lstat(path);
    // Anyone can write to that directory: a file of another user is not this user's editor.
    if (!stat.isFile() || stat.size > MOST_BYTES || !isOwn(stat.uid) || !isRunning(Number(pid)))
      return undefined;
    const small = await readSmallFile(path, MOST_BYTES);
    const file = small.kind === "text" ? readCompanionFile(JSON.parse(small.text)) : undefined;
    if (file?.port !== Number(port)) return undefined;
    const workspaces = file.workspacePath.split(delimiter).filter(isAbsolute);
    const real = await Promise.all(workspaces.map((one) => realpath(one).catch(() => one)));
    const [workspace] = real.filter((one) => holds(one, cwd)).sort((a, b) => b.length - a.length);
    if (workspace === undefined) return undefined;
    const { ideName, token } = file;
    return { ideName, port: file.port, token, workspace, writtenMs: stat.mtimeMs };
  } catch {
    return undefined;
  }
}

function holds(workspace: string, cwd: string): boolean {
  const way = relative(workspace, cwd);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
