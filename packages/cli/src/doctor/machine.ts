// The Node it runs on: SQLite comes with it.

import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createSqliteStore } from "sotto";
import { findRipgrep } from "sotto-agent/session-data";
import { bytesWords, count, createStyle, oneLine, toFailure } from "sotto-agent/terminal";
import { hookLogPath, lastProblems } from "../hooks/hook-log.ts";
import { storePath } from "../sessions/open-store.ts";
import type { Check, Finding } from "./finding.ts";

// The first with node:sqlite and no flag for it.
const LEAST = [22, 13];

export const checkNode: Check = () => [nodeFinding(process.version)];

export function nodeFinding(version: string) {
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST;
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  const words = `${version}, ${LEAST.join(".")} or later is needed`;
  if (isEnough) return { about: "node", status: "ok" as const, words };
  return { about: "node", status: "problem" as const, words, fix: "install a later Node" };
}

// Optional packages: what reads PDFs and scales images, where they are installed.

const PACKAGES = [
  { name: "sharp", without: "large images are named, not shown" },
  { name: "unpdf", without: "PDFs are named, not shown" },
];

export const checkPackages: Check = () => Promise.all(PACKAGES.map(look));

/** From where the library stands: that is who loads them. */
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
    const words = `installed, but it does not load: ${oneLine(String(error)).slice(0, 200)}`;
    return { about: name, status: "warning", words, fix };
  }
}

// ripgrep: what the reference agent searches with, where it is installed.

export const checkRipgrep: Check = () => {
  const path = findRipgrep();
  if (path !== undefined) return [{ about: "ripgrep", status: "ok", words: path }];
  const words = "not installed: `sotto run` searches by itself, more slowly";
  return [{ about: "ripgrep", status: "warning", words, fix: "install ripgrep (rg)" }];
};

// The terminal: what `sotto run` has to draw on.

export const checkTerminal: Check = () => {
  const { stdout, env } = process;
  if (stdout.isTTY !== true)
    return [{ about: "terminal", status: "ok", words: "none: plain text, no questions are asked" }];
  if (env.TERM === "dumb") {
    const words = "TERM=dumb: lines cannot be drawn over";
    return [{ about: "terminal", status: "warning", words, fix: "set TERM, e.g. to xterm-256color" }];
  }
  const colours = createStyle().bold("x") === "x" ? "no colours (NO_COLOR)" : "colours";
  return [{ about: "terminal", status: "ok", words: `${stdout.columns} columns, ${colours}` }];
};

// The store: whether it can be opened, is sound, is readable by its owner only, and how large it is.

const OTHERS = 0o077;

export const checkStore: Check = async ({ store: url }) => {
  const path = storePath(url);
  if (path === undefined) return [{ about: "store", status: "ok", words: "memory: keeps nothing" }];
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [absent(path)];
  return [await content(path), ...permissions(path, found.mode)];
};

function absent(path: string): Finding {
  const place = existingAbove(path);
  const words = `${path} is not there yet, it is made when a session is kept`;
  try {
    accessSync(place, constants.W_OK);
    return { about: "store", status: "ok", words };
  } catch {
    const fix = `make ${place} writable, set XDG_STATE_HOME, or use --store`;
    return { about: "store", status: "problem", words: `${path} cannot be made in ${place}`, fix };
  }
}

function existingAbove(path: string): string {
  const parent = dirname(path);
  return parent === path || statSync(parent, { throwIfNoEntry: false }) !== undefined
    ? parent
    : existingAbove(parent);
}

async function content(path: string): Promise<Finding> {
  const store = createSqliteStore({ path });
  try {
    const problems = await store.problems({ quick: true });
    const [first] = problems;
    if (first !== undefined) {
      const words = `${path}: ${first}${problems.length > 1 ? ` and ${problems.length - 1} more` : ""}`;
      return { about: "store", status: "problem", words, fix: "sotto store check says more" };
    }
    const sessions = (await store.sessions()).length;
    const words = `${path}: ${count(sessions, "session")}, ${bytesWords(sizeOf(path))}`;
    return { about: "store", status: "ok", words };
  } catch (error) {
    return { about: "store", status: "problem", words: toFailure(error).message };
  } finally {
    await store.close();
  }
}

/** With what is not in the file itself yet. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce(
    (sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function permissions(path: string, mode: number): Finding[] {
  // There such bits say nothing.
  if (process.platform === "win32") return [];
  const bits = (mode & 0o777).toString(8).padStart(3, "0");
  if ((mode & OTHERS) === 0)
    return [{ about: "store access", status: "ok", words: `for its owner only (${bits})` }];
  return [
    {
      about: "store access",
      status: "problem",
      words: `others can reach ${path} (${bits}), it holds contents of your files`,
      fix: `chmod 600 ${path}`,
    },
  ];
}

// What went wrong in hook calls of coding agents: they must not hear of it, so it is shown here.

const LOOKED_AT = 200;

export const checkHookCalls: Check = () => {
  const path = hookLogPath();
  const problems = lastProblems(path, LOOKED_AT);
  const last = problems.at(-1);
  if (last === undefined) return [{ about: "hook calls", status: "ok", words: "no problems" }];
  const words = `${count(problems.length, "problem")} in ${path}, the last: ${last}`;
  return [{ about: "hook calls", status: "warning", words, fix: "remove the file once it is mended" }];
};
