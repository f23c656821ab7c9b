// Reads what checkers write: `file(line,column): error CODE: message` and `file:line:column: message`.

import { stripVTControlCharacters } from "node:util";
import type { EventOf } from "sotto";

export type Diagnostic = EventOf<"diagnostics_published">["diagnostics"][number];

export interface Found extends Diagnostic {
  /** As the checker wrote it. */
  path: string;
}

const MOST = 2000;
const LONGEST = 1000;
const LEVEL = "fatal error|error|warning|information|info|note|hint";

/** As TypeScript and MSBuild write. */
const ROUND = new RegExp(
  `^(?<path>\\S[^():]*)\\((?<line>\\d+)(?:,\\d+)*\\): (?<level>${LEVEL}) ?(?<code>[\\w-]*): (?<message>.+)$`,
  "iu",
);
/** As compilers, mypy, ruff and linters with a unix format write. */
const COLONS = new RegExp(
  `^(?<path>(?:[A-Za-z]:)?[^\\s:][^:]*):(?<line>\\d+)(?::\\d+)?:? ?(?:(?<level>${LEVEL})[:\\s] ?)?(?<message>.+)$`,
  "iu",
);

/** Lines that name no file of `exists` are talk. */
export function parseDiagnostics(output: string, exists: (path: string) => boolean): Found[] {
  const found: Found[] = [];
  for (const line of stripVTControlCharacters(output).split(/\r?\n/u)) {
    if (found.length === MOST) break;
    const one = line.length > 4 * LONGEST ? undefined : read(line);
    if (one !== undefined && exists(one.path)) found.push(one);
  }
  return found;
}

function read(line: string): Found | undefined {
  const groups = (ROUND.exec(line) ?? COLONS.exec(line))?.groups;
  if (groups === undefined) return undefined;
  const { path = "", line: number = "", level, code, message = "" } = groups;
  if (Number(number) < 1) return undefined;
  return {
    path,
    line: Number(number),
    severity: severityOf(level),
    message: message.trim().slice(0, LONGEST),
    ...(code === undefined || code === "" ? {} : { code }),
  };
}

function severityOf(level = "error"): Diagnostic["severity"] {
  if (/error/iu.test(level)) return "Error";
  if (/warning/iu.test(level)) return "Warning";
  return /hint/iu.test(level) ? "Hint" : "Info";
}
