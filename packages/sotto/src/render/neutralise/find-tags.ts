// Finds the positions in a text that can be read as the start of a reserved tag.

import { bracketsBefore } from "./brackets.ts";
import {
  beginsSequence,
  type Cursor,
  createCursor,
  isResolved,
  moveTo,
  skipLeftOver,
  skipSequence,
  step,
} from "./cursor.ts";
import { fold, foldPlain, invisible, softHyphen } from "./fold.ts";
import * as name from "./tag-names.ts";

/**
 * Returns the positions, in order, of the brackets that open a reserved tag; without an allowance, of every bracket that
 * could. Returns undefined if the search used up the allowance. The cursor has what was resolved.
 */
export type TagFinder = (cursor: Cursor, allowance?: Allowance) => Place[] | undefined;

/** The steps that searching a text may still take, over all its readings. */
export interface Allowance {
  steps: number;
}

const lessThan = 0x3c;
const greaterThan = 0x3e;
const colon = 0x3a;
const backslash = 0x5c;
const lowLine = 0x5f;
const connectors = new Set(Array.from("＿﹍﹎﹏‿⁀", (character) => character.charCodeAt(0)));
const longestPrefix = 40;
/** Nobody hides so many in a tag by accident: beyond that, a bracket counts as opening a tag. */
const mostSequences = 4;
const longestSpelling = 40;
const mostSpellings = 100;

/** Far more than any ordinary text needs, and proportional to its length. */
export function allowanceFor(text: string): Allowance {
  return { steps: 20_000 + 4 * text.length };
}

export function createTagFinder(names: readonly name.Name[]): TagFinder {
  const beginnings = name.beginningsOf(names);
  const lengths = names.map(({ codes }) => codes.length);
  const shortest = Math.min(...lengths);
  const mostTokens = Math.max(...lengths) * 2 + longestPrefix + 4;
  const tokens: name.Tokens = { codes: new Uint16Array(mostTokens + 20), count: 0, known: 0, compared: 0 };
  const namesFrom = name.beginningWith(names);
  const brackets = bracketsBefore(names);

  return (cursor, allowance) => {
    const { text, resolved } = cursor;
    const places: Place[] = [];
    const scout = createCursor(text, resolved);
    const before = cursor.steps;
    const most = allowance?.steps ?? Number.POSITIVE_INFINITY;
    /** The steps that reading a spelling took, negative if it is no tag: many texts repeat a few. */
    const read = new Map<string, number>();
    let closing = -1;
    let ahead = resolved.count;
    brackets.lastIndex = 0;
    let isFound = brackets.test(text);
    while (isFound || ahead > 0) {
      if (cursor.steps - before > most) return undefined;
      const next = ahead > 0 ? (resolved.starts[ahead - 1] ?? 0) : text.length;
      const end = brackets.lastIndex;
      if (isFound && end <= next) {
        const start = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 ? end - 2 : end - 1;
        if (fold(text.codePointAt(start) ?? 0) === lessThan && opens(end)) places.push({ start, end });
        brackets.lastIndex = end;
        isFound = brackets.test(text);
      } else {
        ahead -= 1;
        if (fold(resolved.codes[ahead] ?? 0) !== lessThan) continue;
        const place = { start: next, end: resolved.ends[ahead] ?? next };
        if (opens(place.end)) places.push(place);
      }
    }
    if (allowance !== undefined) allowance.steps -= cursor.steps - before;
    return places;

    function opens(end: number): boolean {
      if (allowance === undefined) return true;
      const written = spellingFrom(end);
      const taken = written === "" ? undefined : read.get(written);
      if (taken !== undefined) {
        cursor.steps += Math.abs(taken);
        return taken > 0;
      }
      const stepsBefore = cursor.steps;
      const isTag = opensTag(cursor, scout, end, ahead);
      const steps = cursor.steps - stepsBefore;
      // After a square bracket a look further ahead decides.
      if (written !== "" && read.size < mostSpellings && !written.includes("["))
        read.set(written, isTag ? steps : -steps);
      return isTag;
    }

    /** What follows a bracket up to the next closing one, where reading ends; empty if that is not all that counts. */
    function spellingFrom(position: number): string {
      if (closing < position) closing = text.indexOf(">", position);
      if (closing < 0) closing = text.length + longestSpelling;
      const next = ahead > 0 ? (resolved.starts[ahead - 1] ?? 0) : closing;
      if (next < closing && fold(resolved.codes[ahead - 1] ?? 0) !== greaterThan) return "";
      const length = Math.min(next, closing) - position;
      return length > longestSpelling ? "" : text.slice(position, position + length);
    }
  };

  function opensTag(cursor: Cursor, scout: Cursor, position: number, ahead: number): boolean {
    moveTo(cursor, position, ahead);
    const sequences = readTokens(cursor, scout, false);
    if (readsName(cursor)) return true;
    if (sequences === 0) return false;
    // Only references can have produced an escape; treating it as one can hide a tag as well as reveal one.
    moveTo(cursor, position, ahead);
    return readTokens(cursor, scout, true) > mostSequences || readsName(cursor);
  }

  function readsName(cursor: Cursor): boolean {
    const before = tokens.compared;
    const found = nameStands();
    cursor.steps += tokens.compared - before;
    return found;
  }

  function nameStands(): boolean {
    for (let from = 0; from + shortest <= tokens.count && from <= longestPrefix; ) {
      for (const reserved of namesFrom(tokens.codes[from] ?? 0))
        if (name.reads(reserved, tokens, from)) return true;
      while (from < tokens.count && tokens.codes[from] !== colon) from += 1;
      from += name.isGap(tokens.codes[from + 1] ?? 0) ? 2 : 1;
    }
    return false;
  }

  /** Reads what follows a bracket into `tokens`; returns how many escapes came from references. */
  function readTokens(cursor: Cursor, scout: Cursor, skipSequences: boolean): number {
    tokens.count = 0;
    tokens.known = 0;
    let between = 0;
    let onlyPrefix = false;
    let sequences = 0;
    const { text } = cursor;
    while (cursor.position < text.length && tokens.count < mostTokens) {
      const resolved = isResolved(cursor);
      const letter = resolved ? 0 : foldPlain(text.charCodeAt(cursor.position));
      if (letter > 0) {
        if (tokens.count === 0) onlyPrefix = !beginnings.has(letter);
        else if (between > 0) name.addToken(tokens, name.gap.base | between);
        between = 0;
        readLetters(cursor, letter);
        continue;
      }
      const code = step(cursor);
      const disguised = resolved || code > 0x7f;
      let plain = fold(code);
      if (foldPlain(plain) === 0) {
        if (code === 0x5b && skipLeftOver(cursor, scout, resolved)) plain = invisible;
        if (resolved && beginsSequence(code)) {
          sequences += 1;
          if (skipSequences && sequences > mostSequences) break;
          if (skipSequences) skipSequence(cursor, scout, code);
        }
        if (tokens.count === 0 && (code === lowLine || (code > 0x7f && connectors.has(code)))) {
          onlyPrefix = !beginnings.has(name.leadingHyphen);
          name.addToken(tokens, name.leadingHyphen);
          continue;
        }
        const part = gapOf(plain, disguised);
        if (part > 0) {
          between |= part;
          if (!canFollow(between, onlyPrefix)) break;
          continue;
        }
        const kinds = name.kindOf(plain);
        if (tokens.count === 0 && (kinds & name.kind.beforeName) > 0) continue;
        if ((kinds & (name.kind.word | name.kind.sign)) === 0) break;
      }
      if (tokens.count === 0) onlyPrefix = !disguised && !beginnings.has(plain);
      else if (between > 0) name.addToken(tokens, name.gap.base | between);
      if (plain === colon) onlyPrefix = false;
      between = 0;
      if (disguised) name.addDisguised(tokens, plain, code);
      else name.addToken(tokens, plain);
    }
    return sequences;
  }

  /** Letters that are written plainly, one after the other: nearly all that is read. */
  function readLetters(cursor: Cursor, first: number): void {
    const { text, position, resolvedAt } = cursor;
    const { codes, count } = tokens;
    let letter = first;
    let read = 0;
    do {
      codes[count + read] = letter;
      read += 1;
      letter = position + read === resolvedAt ? 0 : foldPlain(text.charCodeAt(position + read));
    } while (letter > 0 && count + read < mostTokens);
    tokens.count = count + read;
    tokens.known += read;
    cursor.position = position + read;
    cursor.steps += read;
  }

  /** No name starts with a hyphen, and what is only a prefix so far continues to its colon without a gap. */
  function canFollow(between: number, onlyPrefix: boolean): boolean {
    if (tokens.count === 0) return (between & (name.gap.hyphen | name.gap.disguisedHyphen)) === 0;
    return !onlyPrefix || (between & name.gap.space) === 0;
  }
}

function gapOf(plain: number, disguised: boolean): number {
  // Markdown and line ends are escaped with a backslash, which is not shown.
  if (plain === invisible || plain === backslash) return name.gap.invisible;
  if (plain === 0x20) return name.gap.space;
  if (plain === 0x2d) return disguised ? name.gap.disguisedHyphen : name.gap.hyphen;
  return plain === softHyphen ? name.gap.softHyphen : 0;
}

export interface Place {
  readonly start: number;
  readonly end: number;
}
