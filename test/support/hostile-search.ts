// A search for texts that keep the neutraliser busy: hill climbing over repeated pieces, in steps per character.

import {
  createNeutraliser,
  defaultReservedTags,
} from "../../packages/sotto/src/render/neutralise/neutralise.ts";
import { type Random, seeded } from "./seeded.ts";

export interface Found {
  readonly piece: string;
  /** Steps per character in a text of `SEARCHED` characters that repeats the piece. */
  readonly steps: number;
}

const SEARCHED = 240;
const MOST_GENES = 14;

// biome-ignore format: a table
const genes: readonly string[] = [
  "<", "<", "</", "＜", "≮", "𝈶", "«", "&lt", "&lt;", "&#60", "&#x3c", "%3c", "\\x3c", "\\u003c", "\\u{3c}", "\\074", "\\74", "&amp;", "&amp", "&", "&&", "＆",
  "&#27;", "&#27", "&#x1b", "%1b", "\\x1b", "\\x9b", "\\u009d", "&#7;", "%07", "&#x90;", "&#x9c;", "[", "]", "[31m", "[3", "[U+202E]", "[U+20", "m",
  "&shy", "&shy;", "\u00ad", "\ufeff", "&zwj", "\u200b", "\u0301", "&#8203", "&#x61", "&#x73", "&#48", "&#x3ca", "&#x", "&#0", "0", "00", "1", "a", "f", "s", "e",
  "sy", "system", "system-reminde", "-", "_", " ", "\n", "ｓ", "ы", "日", "ﬁ", ":", "a:", "s:", "?", "!", "|", ".", "@", ";", "{", "}", "\\u{", "\\u", "%", "%25",
  "&eacute", "&ccedil", "&ltcc", "&less", "&negativethinspace", "&foo;", "\\ud835", "\\udc2c", "&#xd835;", "\u{1d42c}", "\u{e0041}", "\u202e", "\u001b[", "\u009d", "\r",
  ...defaultReservedTags,
];

/** The worst pieces among so many candidates, the worst first. */
export function searchHostile(candidates: number, seed: number, kept = 16): Found[] {
  const random = seeded(seed);
  const work = { steps: 0 };
  const { text } = createNeutraliser({ onWork: (steps) => (work.steps = steps) });
  const measure = (parts: readonly string[]): Found => {
    const piece = parts.join("");
    const value = repeated(piece, SEARCHED);
    text(value);
    return { piece, steps: work.steps / value.length };
  };
  const best = new Map<string, Found>();
  const note = (found: Found) => {
    best.set(found.piece, found);
    if (best.size < kept * 4) return;
    const worst = [...best.values()].sort((a, b) => b.steps - a.steps).slice(0, kept);
    best.clear();
    for (const one of worst) best.set(one.piece, one);
  };
  for (let made = 0; made < candidates; ) {
    let parts = Array.from({ length: 1 + random.below(4) }, () => random.pick(genes));
    let current = measure(parts);
    // Each climb goes on while it finds something worse, and a little beyond.
    for (let idle = 0; idle < 60 && made < candidates; made += 1) {
      const changed = mutated(random, parts);
      const found = measure(changed);
      idle += 1;
      if (found.steps < current.steps) continue;
      if (found.steps > current.steps) idle = 0;
      parts = changed;
      current = found;
    }
    note(current);
  }
  return [...best.values()].sort((a, b) => b.steps - a.steps).slice(0, kept);
}

export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / Math.max(1, piece.length))).slice(0, length);
}

function mutated(random: Random, parts: readonly string[]): string[] {
  const changed = [...parts];
  const at = random.below(changed.length);
  const gene = random.pick(genes);
  const way = random.below(5);
  if (way === 0 && changed.length > 1) changed.splice(at, 1);
  else if (way === 1 && changed.length < MOST_GENES) changed.splice(at, 0, gene);
  else if (way === 2 && changed.length < MOST_GENES) changed.splice(at, 0, changed[at] ?? gene);
  else if (way === 3) changed.push(changed.shift() ?? gene);
  else changed[at] = gene;
  return changed;
}
