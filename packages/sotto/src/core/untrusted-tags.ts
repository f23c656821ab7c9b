// Finds the places in a text that can be read as the beginning of a reserved tag.
import { bracketsBefore, bracketsIn, type Place } from "./untrusted-brackets.ts";
import { beginsSequence, type Cursor, isResolved, type Resolved, step } from "./untrusted-cursor.ts";
import { fold, invisible, softHyphen } from "./untrusted-fold.ts";
import * as name from "./untrusted-names.ts";
import { skipLeftOver, skipSequence } from "./untrusted-sequences.ts";

/** Answers with the places, in order, of the brackets that open a reserved tag. */
export type TagFinder = (text: string, resolved: Resolved) => Place[];

const lessThan = 0x3c;
const colon = 0x3a;
const connectors = new Set(Array.from("_＿﹍﹎﹏‿⁀", (character) => character.charCodeAt(0)));
const longestPrefix = 40;
const mostSequences = 64;

export function createTagFinder(reserved: readonly string[]): TagFinder {
  const names = reserved.map(name.nameOf).filter(({ codes }) => codes.length > 0);
  const beginnings = name.possibleAt(names, 0);
  const lengths = names.map(({ codes }) => codes.length);
  const shortest = Math.min(...lengths);
  const mostTokens = Math.max(...lengths) * 2 + longestPrefix + 4;
  const tokens: name.Tokens = { codes: new Uint16Array(mostTokens + 20), count: 0, known: 0 };

  const brackets = bracketsBefore(names);

  return (text, resolved) => {
    const places: Place[] = [];
    const cursor: Cursor = { text, resolved, position: 0, ahead: 0, disguised: false, gap: false };
    let ahead = resolved.count;
    brackets.lastIndex = 0;
    let run = brackets.exec(text);
    while (run !== null || ahead > 0) {
      const next = ahead > 0 ? (resolved.starts[ahead - 1] ?? 0) : text.length;
      if (run !== null && run.index < next) {
        for (const place of bracketsIn(run)) if (opensTag(cursor, place.end, ahead)) places.push(place);
        run = brackets.exec(text);
      } else {
        ahead -= 1;
        if (fold(resolved.codes[ahead] ?? 0) !== lessThan) continue;
        const place = { start: next, end: resolved.ends[ahead] ?? next };
        if (opensTag(cursor, place.end, ahead)) places.push(place);
      }
    }
    return places;
  };

  function opensTag(cursor: Cursor, position: number, ahead: number): boolean {
    cursor.position = position;
    cursor.ahead = ahead;
    const sequences = readTokens(cursor, false);
    if (readsName()) return true;
    if (!sequences) return false;
    // Only references can have brought an escape back; taking it for one can hide a tag as well as show one.
    cursor.position = position;
    cursor.ahead = ahead;
    readTokens(cursor, true);
    return readsName();
  }

  function readsName(): boolean {
    for (let from = 0; from + shortest <= tokens.count && from <= longestPrefix; ) {
      for (const reserved of names) if (name.reads(reserved, tokens, from)) return true;
      while (from < tokens.count && tokens.codes[from] !== colon) from += 1;
      from += name.isGap(tokens.codes[from + 1] ?? 0) ? 2 : 1;
    }
    return false;
  }

  /** Reads what follows a bracket into `tokens`; answers whether escapes came out of references. */
  function readTokens(cursor: Cursor, skipSequences: boolean): boolean {
    tokens.count = 0;
    tokens.known = 0;
    let between = 0;
    let onlyPrefix = false;
    let sequences = 0;
    while (cursor.position < cursor.text.length && tokens.count < mostTokens) {
      const resolved = isResolved(cursor);
      const code = step(cursor);
      const disguised = resolved || code > 0x7f;
      let plain = fold(code);
      if (code === 0x5b && skipLeftOver(cursor, resolved)) plain = invisible;
      if (resolved && beginsSequence(code) && sequences < mostSequences) {
        sequences += 1;
        if (skipSequences) skipSequence(cursor, code);
      }
      if (tokens.count === 0 && connectors.has(code)) {
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
      if (tokens.count === 0) onlyPrefix = !disguised && !beginnings.has(plain);
      else if (between > 0) name.addToken(tokens, name.gap.base | between);
      if (plain === colon) onlyPrefix = false;
      between = 0;
      if (disguised) name.addDisguised(tokens, plain, code);
      else name.addToken(tokens, plain);
    }
    return sequences > 0;
  }

  /** No name begins with a hyphen, and what is only a prefix so far goes on to its colon without a gap. */
  function canFollow(between: number, onlyPrefix: boolean): boolean {
    if (tokens.count === 0) return (between & (name.gap.hyphen | name.gap.disguisedHyphen)) === 0;
    return !onlyPrefix || (between & name.gap.space) === 0;
  }
}

function gapOf(plain: number, disguised: boolean): number {
  if (plain === invisible) return name.gap.invisible;
  if (plain === 0x20) return name.gap.space;
  if (plain === 0x2d) return disguised ? name.gap.disguisedHyphen : name.gap.hyphen;
  return plain === softHyphen ? name.gap.softHyphen : 0;
}
