// The suites in the order in which they run, each a file in `rows/`.

import type { Suite } from "./bench.ts";

export interface SuiteAbout {
  name: string;
  about: string;
  /** It measures the built packages. */
  needsBuild?: boolean;
}

export const suites: readonly SuiteAbout[] = [
  { name: "turn", about: "a turn with nothing to say" },
  { name: "fresh-body", about: "a turn with a body that was parsed anew" },
  { name: "first-read", about: "the first read of a long history in a process" },
  { name: "first-turn", about: "the import, and the first turn of a process", needsBuild: true },
  { name: "hook-call", about: "a call of `sotto hook`", needsBuild: true },
  { name: "sessions", about: "the heap of an open session" },
  { name: "many-sessions", about: "10,000 open sessions: heap and time" },
  { name: "changed-files", about: "which tracked files have changed" },
  { name: "fetch", about: "the fetch integrations" },
  { name: "gateway", about: "the gateway, beside a bare pass-through" },
  { name: "nested-memory", about: "which instruction files are about a path" },
  { name: "neutraliser", about: "making untrusted text harmless" },
  { name: "throttle", about: "whether a reminder is due again" },
  { name: "open-session", about: "opening a session with a long log" },
  { name: "store", about: "appends to the SQLite store" },
  { name: "postgres", about: "appends and turns on the Postgres store" },
  { name: "diff", about: "what changed in a file" },
  { name: "tokens", about: "the estimate of tokens" },
  { name: "budget", about: "a turn with a thousand things to say" },
  { name: "prompt-cache", about: "what reminders cost with a prompt cache" },
];

/** The suite of that name, or those whose names contain the word; all if there are no words. */
export function chosenSuites(words: readonly string[]): readonly SuiteAbout[] {
  const names = new Set(words.flatMap(suitesNamed));
  return suites.filter(({ name }) => words.length === 0 || names.has(name));
}

function suitesNamed(word: string): readonly string[] {
  const names = suites.map(({ name }) => name);
  if (names.includes(word)) return [word];
  const found = names.filter((name) => name.includes(word));
  if (found.length === 0) throw new Error(`no suite is called ${word}; there are ${names.join(", ")}`);
  return found;
}

export async function loadSuite(name: string): Promise<Suite> {
  const { measure } = (await import(`./rows/${name}.ts`)) as { measure: Suite };
  return measure;
}
