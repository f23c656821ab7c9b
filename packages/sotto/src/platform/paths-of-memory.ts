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
