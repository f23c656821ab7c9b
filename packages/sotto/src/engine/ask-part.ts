// What a person wrote and is too long for a turn: the longest part of it that fits, and the rest in later requests.

import { type Asked, ask, type ComposeOptions, draftsWith, withOnly } from "./ask.ts";
import type { Rendered } from "./draft.ts";
import { lengthsOf, pendingUpTo } from "../facts/all.ts";
import type { Delivery } from "../log/state.ts";

export interface PartOptions {
  /** Of one edge, and larger than the room there is for it. */
  draft: Rendered;
  room: number;
  said: Map<string, Delivery[]>;
  options: ComposeOptions;
}

// So much is said of it even where what stands around it takes all the room: else it would never get through.
const LEAST_CHARACTERS = 64;
// How much of a part may be given up for it to end where a line or a word does.
const NEAT_SHARE = 0.2;
// Agents that count characters take about as many for a token.
const CHARACTERS_PER_TOKEN = 4.5;
const NOTE = "a part of it: the rest comes in later requests";

/** The same, with the first part of the edge in its place. What is behind it waits: nothing overtakes it. */
export function askForPart(asked: Asked, { draft, room, said, options }: PartOptions): Asked {
  const { attachment, drafts, left: before = new Set() } = asked;
  const [id] = draft.candidate.due.covers as readonly [string];
  const kept = drafts.flatMap(({ candidate }) => candidate.due.covers ?? []);
  const facts = withOnly(options.facts, kept);
  const alone = withOnly(facts, [id]);
  const fits = (at: number): boolean => {
    const divided = pendingUpTo(alone, { id, at });
    const part = divided && draftsWith(attachment, divided, said, options)[0];
    return part !== undefined && weightOf(part).tokens <= room;
  };
  const at = longestFitting(lengthsOf(alone, id), fits);
  const divided = at === undefined ? undefined : pendingUpTo(facts, { id, at });
  // It cannot be made smaller.
  if (at === undefined || divided === undefined)
    return { ...asked, drafts: drafts.map((one) => (one === draft ? { ...one, smallest: true } : one)) };
  const again = ask(attachment, said, { ...options, facts: divided });
  const left = [...before, ...(again.left ?? []), ...kept.slice(kept.indexOf(id) + 1)];
  const isPart = ({ candidate }: Rendered) => candidate.due.covers?.includes(id);
  return {
    ...again,
    drafts: again.drafts.map((one) =>
      isPart(one) ? { ...one, note: noteOf(one), smallest: true, divides: { id, at } } : one,
    ),
    ...(left.length === 0 ? {} : { left: new Set(left) }),
  };
}

/** Of what is never cut, blank space counts as well: there are agents that count characters. */
export function weightOf(draft: Rendered): {
  tokens: number;
  uncut?: boolean | undefined;
  smallest?: boolean | undefined;
} {
  const { candidate, blocks, tokens, smallest } = draft;
  const { uncut } = candidate.due;
  if (!candidate.attachment.inParts) return { tokens, uncut };
  const characters = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  return { tokens: Math.max(tokens, Math.ceil(characters / CHARACTERS_PER_TOKEN)), uncut, smallest };
}

/** Tries from the short end on, so that what is far too long is never put together as a whole. */
function longestFitting(
  of: { text: string; length: number } | undefined,
  fits: (at: number) => boolean,
): number | undefined {
  if (of === undefined) return undefined;
  const { text, length } = of;
  const least = Math.min(LEAST_CHARACTERS, text.length) || 1;
  if (length <= least) return undefined;
  let low = least;
  let high = Math.min(2 * least, length - 1);
  while (high < length - 1 && fits(high)) {
    low = high;
    high = Math.min(2 * high, length - 1);
  }
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low < text.length ? neatEnd(text, low) : low;
}

/** Behind a line, else behind a word, where there is one near; never inside a character or a line end. */
function neatEnd(text: string, at: number): number {
  const from = Math.max(1, Math.ceil(at * (1 - NEAT_SHARE)));
  const near = text.slice(from, at);
  const line = near.lastIndexOf("\n");
  if (line >= 0) return from + line + 1;
  const word = near.lastIndexOf(" ");
  if (word >= 0) return from + word + 1;
  const isInside = text.codePointAt(at - 1) !== text.charCodeAt(at - 1) || text.startsWith("\r\n", at - 1);
  return isInside && at > 1 ? at - 1 : at;
}

function noteOf({ note }: Rendered): string {
  return note === undefined ? NOTE : `${note}; ${NOTE}`;
}
