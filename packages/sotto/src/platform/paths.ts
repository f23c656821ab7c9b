// Paths as strings, without access to the file system.

import { sha256 } from "./sha256.ts";

/** Absolute, with `.`, `..` and doubled separators resolved. */
export function absolutePath(path: string, cwd: string): string {
  const full = isAbsolute(path) ? path : `${cwd}/${path}`;
  if (isPlainPath(full)) return full;
  const unified = full.replace(/\\/gu, full.startsWith("/") ? "\\" : "/");
  const drive = /^[A-Za-z]:/u.exec(unified)?.[0] ?? "";
  const kept: string[] = [];
  for (const part of unified.slice(drive.length).split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${drive}/${kept.join("/")}`;
}

/** Nothing in it is to be resolved. Most paths are like that, and this takes a tenth of the time. */
function isPlainPath(path: string): boolean {
  if (path.charCodeAt(0) !== 47 || path.includes("//") || path.endsWith("/")) return false;
  if (!path.includes("/.")) return true;
  return !path.includes("/./") && !path.includes("/../") && !path.endsWith("/.") && !path.endsWith("/..");
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/u.test(path);
}

/** Absolute, as reminders show it. URIs and paths that begin with `~` stay as they are. */
export function wholePath(path: string, cwd: string): string {
  if (isAbsolute(path) || /^(?:~|\\|[A-Za-z][\w+.-]+:)/u.test(path)) return path;
  const end = /[\\/]$/u.test(path) ? "/" : "";
  return `${absolutePath(path, cwd)}${end}`;
}

/** Replaces a leading `~`, which an agent's tools may not understand. */
export function fromHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
}

// Where a session keeps its plan and its todo list by default: the same session has the same file.

/** Undefined if no directory is set. */
export function defaultPlanPath(directory: string, session: string, cwd: string): string | undefined {
  return directory === "" ? undefined : absolutePath(`${directory}/${fileName(session)}.md`, cwd);
}

/** Undefined if no file is set. `{session}` stands for the session's id. */
export function todoPath(file: string, session: string, cwd: string): string | undefined {
  return file === "" ? undefined : absolutePath(file.replaceAll("{session}", fileName(session)), cwd);
}

/** A name for a session's files. Other sessions have other names, whatever their ids look like. */
export function fileName(session: string): string {
  const plain = session.replace(/[^\w.-]+/gu, "-").replace(/^\.+/u, "-");
  if (plain === session && plain.length <= LONGEST_NAME) return session;
  return `${plain.slice(0, LONGEST_NAME)}-${sha256(session).slice(0, 12)}`;
}

const LONGEST_NAME = 150;

// Paths with `/` as the only separator.

// Nobody keeps code deeper than that, except to attack.
const MAX_LEVELS = 64;

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/";
}

export function joined(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** The relative path from a directory to a path below it; undefined if the path is not below it. */
export function below(directory: string, path: string): string | undefined {
  if (directory === "/") return path.length > 1 ? path.slice(1) : undefined;
  const { length } = directory;
  return path.length > length + 1 && path.charCodeAt(length) === 47 && path.startsWith(directory)
    ? path.slice(length + 1)
    : undefined;
}

export function isWithin(directory: string, path: string): boolean {
  return path === directory || below(directory, path) !== undefined;
}

/** The directories from just below `top` down to and including `bottom`. */
export function directoriesDown(top: string, bottom: string): string[] {
  const way = below(top, bottom);
  if (way === undefined) return [];
  const directories: string[] = [];
  let directory = top;
  for (const name of way.split("/")) {
    directory = joined(directory, name);
    directories.push(directory);
  }
  return directories.slice(-MAX_LEVELS);
}

/** The root of the project: the repository, unless that is the home directory or above it. */
export function projectRootOf(repository: string, { cwd, home }: { cwd: string; home: string }): string {
  return isWithin(repository, home) && cwd !== home ? cwd : repository;
}
