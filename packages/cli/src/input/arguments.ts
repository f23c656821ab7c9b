// Values of options and arguments: directories, times, mail addresses.

import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import type { MailAddress } from "sotto/team";
import { fileProblem, usageError } from "sotto-agent/terminal";

/** For every option and argument that names a directory to work in or look at. */
export function existingDirectory(given = ".", option = "--cwd"): string {
  const path = resolve(given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw usageError(`${option}: no such directory: ${path}`);
  if (!found.isDirectory()) throw usageError(`${option}: ${path} is not a directory`);
  return path;
}

/** For every option and argument that names a file to read. */
export function existingFile(given: string, option: string): string {
  const path = resolve(given);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw usageError(`${option}: ${fileProblem(path, error)}`);
  }
  if (statSync(path).isDirectory()) throw usageError(`${option}: ${path} is a directory; name a file`);
  return path;
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Parses a day (from local midnight), a time, or a duration before now, into milliseconds since the epoch. */
export function parseSince(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit] ?? 0);
  const isDay = /^\d{4}-\d{2}-\d{2}$/u.test(text);
  const at = /^\d{4}-\d{2}-\d{2}/u.test(text) ? Date.parse(isDay ? `${text}T00:00` : text) : Number.NaN;
  if (Number.isNaN(at))
    throw usageError(
      `--since ${text}: expected a day (2026-11-01), a time (2026-11-01T08:30) or 30m, 12h, 7d, 4w`,
    );
  return at;
}

export function parseAddress(text: string): MailAddress {
  const [team = "", agent = "", ...rest] = text.split("/");
  if (team === "" || agent === "" || rest.length > 0)
    throw usageError(`"${text}" is not an address: expected team/agent, e.g. parsers/grace`);
  return { team, agent };
}
