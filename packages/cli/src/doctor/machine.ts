// Checks of this machine: Node, packages, programs, the terminal, the store.

import { statSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isNodeSupported, OLDEST_NODE } from "sotto/internal";
import { findRipgrep } from "sotto-agent/session-data";
import { bytesWords, count, createStyle, oneLine, toFailure } from "sotto-agent/terminal";
import { openPlace, type StorePlace, storePlace } from "../sessions/open-store.ts";
import type { Check, Finding } from "./finding.ts";
import { type Unwritable, whyNotWritten } from "./writable.ts";

export const checkNode: Check = () => [nodeFinding(process.version)];

export function nodeFinding(version: string) {
  const words = `${version} (needs ${OLDEST_NODE} or later)`;
  if (isNodeSupported(version)) return { about: "node", status: "ok" as const, words };
  return { about: "node", status: "problem" as const, words, fix: "install a newer Node" };
}

const PACKAGES = [
  { name: "sharp", without: "large images are named but not shown" },
  { name: "unpdf", without: "PDFs are named but not shown" },
];

export const checkPackages: Check = () => Promise.all(PACKAGES.map(look));

/** Resolved from the library, which loads them. */
async function look({ name, without }: (typeof PACKAGES)[number]): Promise<Finding> {
  const fix = `npm install ${name}`;
  let path: string;
  try {
    path = createRequire(import.meta.resolve("sotto")).resolve(name);
  } catch {
    return { about: name, status: "warning", words: `not installed: ${without}`, fix };
  }
  try {
    await import(pathToFileURL(path).href);
    return { about: name, status: "ok", words: "installed" };
  } catch (error) {
    const words = `installed, but fails to load: ${oneLine(String(error)).slice(0, 200)}`;
    return { about: name, status: "warning", words, fix };
  }
}

export const checkRipgrep: Check = () => {
  const path = findRipgrep();
  if (path !== undefined) return [{ about: "ripgrep", status: "ok", words: path }];
  const words = "not installed: searches of `sotto run` are slower";
  return [{ about: "ripgrep", status: "warning", words, fix: "install ripgrep (rg)" }];
};

export const checkTerminal: Check = () => {
  const { stdout, env } = process;
  if (stdout.isTTY !== true)
    return [{ about: "terminal", status: "ok", words: "none: plain text, no questions" }];
  if (env.TERM === "dumb") {
    const words = "TERM=dumb: lines cannot be redrawn";
    return [{ about: "terminal", status: "warning", words, fix: "set TERM, e.g. to xterm-256color" }];
  }
  const colours = createStyle().bold("x") === "x" ? "no colours (NO_COLOR)" : "colours";
  return [{ about: "terminal", status: "ok", words: `${stdout.columns} columns, ${colours}` }];
};

const OTHERS = 0o077;

export const checkStore: Check = async ({ store: url }) => {
  const place = storePlace(url);
  if (place.kind === "memory") return [{ about: "store", status: "ok", words: "memory: stores nothing" }];
  if (place.kind === "postgres") return [await content(place)];
  const found = statSync(place.path, { throwIfNoEntry: false });
  const unwritable = whyNotWritten(place.path);
  if (found === undefined) return [absent(place.path, unwritable)];
  return [withAccess(await content(place), unwritable), ...permissions(place.path, found.mode)];
};

function absent(path: string, unwritable: Unwritable | undefined): Finding {
  if (unwritable !== undefined)
    return {
      about: "store",
      status: "problem",
      words: `cannot create ${path}: ${unwritable.words}`,
      fix: unwritable.fix,
    };
  const words = `${path} does not exist yet; the first stored session creates it`;
  return { about: "store", status: "ok", words };
}

function withAccess(finding: Finding, unwritable: Unwritable | undefined): Finding {
  if (finding.status === "problem" || unwritable === undefined) return finding;
  const words = `${finding.words}; cannot be written: ${unwritable.words}`;
  return { ...finding, status: "problem", words, fix: unwritable.fix };
}

async function content(place: StorePlace): Promise<Finding> {
  const { store, where } = await openPlace(place);
  try {
    const problems = await store.problems({ quick: true });
    const [first] = problems;
    if (first !== undefined) {
      const words = `${where}: ${first}${problems.length > 1 ? ` and ${problems.length - 1} more` : ""}`;
      return { about: "store", status: "problem", words, fix: "see sotto store check" };
    }
    const sessions = (await store.sessions()).length;
    const bytes = place.kind === "sqlite" ? sizeOf(place.path) : sum(await store.usage?.());
    const words = `${where}: ${count(sessions, "session")}, ${bytesWords(bytes)}`;
    return { about: "store", status: "ok", words };
  } catch (error) {
    return { about: "store", status: "problem", words: toFailure(error).message };
  } finally {
    await store.close();
  }
}

function sum(tables: readonly { bytes: number }[] = []): number {
  return tables.reduce((total, { bytes }) => total + bytes, 0);
}

/** Including the write-ahead log. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function permissions(path: string, mode: number): Finding[] {
  // Mode bits mean nothing there.
  if (process.platform === "win32") return [];
  const bits = (mode & 0o777).toString(8).padStart(3, "0");
  if ((mode & OTHERS) === 0)
    return [{ about: "store access", status: "ok", words: `readable only by its owner (${bits})` }];
  return [
    {
      about: "store access",
      status: "problem",
      words: `others can read ${path} (${bits}), which holds contents of your files`,
      fix: `chmod 600 ${path}`,
    },
  ];
}
