// Neutralises tool results in a request that is about to be sent, for hosts that ask for it.

import type { Dialect } from "../dialects/dialect.ts";
import type { Neutraliser } from "../render/neutralise/neutralise.ts";

// Most of a long history was neutralised the turn before.
const MOST_REMEMBERED = 32_000_000;
const SHORT = 200;

export type NeutralResults = <Body>(dialect: Dialect<Body>, body: Body) => Body;

/** `neutraliser` is called at each turn, as tag names can change. */
export function createNeutralResults(neutraliser: () => Neutraliser): NeutralResults {
  let known = new Map<string, string>();
  let remembered = 0;
  let current: Neutraliser | undefined;

  function neutral(text: string): string {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = current?.text(text) ?? text;
    if (text.length < SHORT) return made;
    remembered += text.length;
    if (remembered > MOST_REMEMBERED) {
      known = new Map();
      remembered = text.length;
    }
    known.set(text, made);
    return made;
  }

  return (dialect, body) => {
    try {
      if (dialect.problem(body) !== undefined) return body;
      const latest = neutraliser();
      if (latest !== current) known = new Map();
      current = latest;
      return dialect.mapResults(body, neutral);
    } catch {
      // A getter or proxy of the host's threw: the body could not be sent anyway.
      return body;
    }
  };
}
