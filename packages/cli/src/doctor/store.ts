// The store: whether it can be opened, is sound, is readable by its owner only, and how large it is.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { createSqliteStore } from "sotto";
import { toFailure } from "../../../agent/src/terminal/failure.ts";
import { bytesWords, count } from "../../../agent/src/terminal/text.ts";
import { storePath } from "../sessions/open-store.ts";
import type { Check, Finding } from "./finding.ts";

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
