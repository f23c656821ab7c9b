// Paths as text: made absolute and normalised, no file system asked.

/** Absolute, with `.`, `..` and doubled separators resolved. */
export function absolutePath(path: string, cwd: string): string {
  const full = isAbsolute(path) ? path : `${cwd}/${path}`;
  const unified = full.replace(/\\/gu, full.startsWith("/") ? "\\" : "/");
  const drive = /^[A-Za-z]:/u.exec(unified)?.[0] ?? "";
  const kept: string[] = [];
  for (const part of unified.slice(drive.length).split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${drive}/${kept.join("/")}`;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/u.test(path);
}

/** Whole, as reminders show it. What is no path but a URI, or begins with `~`, stays as it is. */
export function wholePath(path: string, cwd: string): string {
  if (isAbsolute(path) || /^(?:~|\\|[A-Za-z][\w+.-]+:)/u.test(path)) return path;
  const end = /[\\/]$/u.test(path) ? "/" : "";
  return `${absolutePath(path, cwd)}${end}`;
}

/** Whole, where it begins with `~`: an agent's tools need not know what that stands for. */
export function fromHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
}

// Where a session keeps its plan and its todo list unless it is told otherwise. The same id is the same file.

/** Nothing where no directory is set. */
export function defaultPlanPath(directory: string, session: string, cwd: string): string | undefined {
  return directory === "" ? undefined : absolutePath(`${directory}/${fileName(session)}.md`, cwd);
}

/** Nothing where no file is set; `{session}` in it stands for the session. */
export function todoPath(file: string, session: string, cwd: string): string | undefined {
  return file === "" ? undefined : absolutePath(file.replaceAll("{session}", fileName(session)), cwd);
}

function fileName(session: string): string {
  return session.replace(/[^\w.-]+/gu, "-");
}

// Paths as text, with `/` as the only separator.

// Nobody keeps code deeper; a path made to hurt does.
const MAX_LEVELS = 64;

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/";
}

export function joined(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** The way from a directory down to a path, without `..`; undefined where the path is not below it. */
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

/** The directories from just below `top` down to `bottom`, which is the last of them. */
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

/** Where a project begins: a repository of the whole home directory does not make everything in it one project. */
export function groundOf(repository: string, { cwd, home }: { cwd: string; home: string }): string {
  return isWithin(repository, home) && cwd !== home ? cwd : repository;
}
