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
