// Which hooks an event is for. Regular expressions run in the worker: one that never ends costs only itself.

import { type Hook, isExactMatcher } from "./hook-format.ts";
import { errorText } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";

export interface Matching {
  matched: Hook[];
  /** Hooks of which it cannot be told, and why. */
  unsure: { hook: Hook; why: string }[];
}

export interface Matcher {
  match(hooks: readonly Hook[], subject: string | undefined): Promise<Matching>;
}

type Verdict = boolean | { why: string };

const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./jobs.ts" : "./hook-jobs.js", import.meta.url).href;
// Names of tools are few; a host that makes them up must not fill the memory.
const KEPT = 1000;
const LONGEST_SUBJECT = 1000;

export function createMatcher(work: (job: Job) => Promise<unknown>): Matcher {
  const known = new Map<string, Promise<Verdict>>();

  const byExpression = (matcher: string, subject: string): Promise<Verdict> => {
    const key = JSON.stringify([matcher, subject]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const about = `the matcher ${JSON.stringify(matcher)}`;
    const asked = work({ module: JOBS, name: "matches", input: { matcher, subject }, about }).then(
      (answer): Verdict => answer === true,
      (error: unknown): Verdict => ({ why: errorText(error) }),
    );
    known.set(key, asked);
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return asked;
  };

  const verdictOn = async ({ matcher }: Hook, subject: string | undefined): Promise<Verdict> => {
    if (matcher === "" || subject === undefined) return true;
    if (isExactMatcher(matcher)) return namesIn(matcher).includes(subject);
    return byExpression(matcher, subject.slice(0, LONGEST_SUBJECT));
  };

  return {
    async match(hooks, subject) {
      const verdicts = await Promise.all(hooks.map((hook) => verdictOn(hook, subject)));
      const matching: Matching = { matched: [], unsure: [] };
      for (const [index, hook] of hooks.entries()) {
        const verdict = verdicts[index];
        if (verdict === true) matching.matched.push(hook);
        else if (typeof verdict === "object") matching.unsure.push({ hook, why: verdict.why });
      }
      return { ...matching, matched: eachOnce(matching.matched) };
    },
  };
}

/** The same command in two tables is one hook. */
function eachOnce(hooks: readonly Hook[]): Hook[] {
  const byCommand = new Map<string, Hook>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.command, hook.args, hook.async, hook.env]);
    if (!byCommand.has(key)) byCommand.set(key, hook);
  }
  return [...byCommand.values()];
}

function namesIn(matcher: string): string[] {
  return matcher.split(/[|,]/u).map((name) => name.trim());
}
