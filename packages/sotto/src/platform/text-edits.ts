// Edits as tools make them, and what a text is after them.

export interface TextEdit {
  /** Unset if the whole text is replaced, or lines are put in. */
  old?: string | undefined;
  new: string;
  /** In every place; otherwise it has to be in one place only. */
  all?: boolean | undefined;
  /** Whole lines, as in a patch: the first such lines. Without `old` they are put in, at the end. */
  lines?: true | undefined;
  /** Such lines are looked for behind those of the edit before, not from the beginning. */
  behind?: true | undefined;
  /** The line behind which such lines are. */
  after?: string | undefined;
  /** The number of the line behind which lines are put in; 0: before the first. */
  at?: number | undefined;
}

/** One behind the other; unknown if one of them is. */
export function bothEdits(
  one: readonly TextEdit[] | undefined,
  other: readonly TextEdit[] | undefined,
): TextEdit[] | undefined {
  return one === undefined || other === undefined ? undefined : [...one, ...other];
}

// In characters of text, for all edits together: some ten milliseconds.
const MOST_WORK = 20_000_000;

/** Whether it would take too long to find out what a text is after the edits. */
export function isTooMuch(text: string | undefined, edits: readonly TextEdit[]): boolean {
  return (text?.length ?? 0) * edits.length > MOST_WORK;
}

/** What a tool may do besides what it was told: the text on disk shows which. */
interface Habits {
  /** A line of which nothing is left goes with its end. */
  takesEnd?: boolean;
  dropsBlanks?: boolean;
  /** What is put in gets a line end more. */
  addsEnd?: boolean;
  /** What is at the end of the file stays without one. */
  leavesOpen?: boolean;
}

const HABITS = ["takesEnd", "dropsBlanks", "addsEnd", "leavesOpen"] as const;

/** The same by a tool with the habits that bring it nearest to what is on disk, and with the line ends that are there. */
export function editedAs(
  found: string,
  text: string | undefined,
  edits: readonly TextEdit[],
): string | undefined {
  let nearest = edited(text, edits);
  const isLong = (text?.length ?? 0) * edits.length > MOST_WORK / 4;
  const distance = distanceTo(plain(found));
  const away = (one: string | undefined) => (one === undefined ? Number.POSITIVE_INFINITY : distance(one));
  let least = away(nearest);
  let habits: Habits = {};
  for (const habit of isLong ? [] : HABITS) {
    const tried = { ...habits, [habit]: true };
    const result = edited(text, edits, tried);
    if (result === nearest || away(result) >= least) continue;
    [nearest, least, habits] = [result, away(result), tried];
  }
  const loosely = isLong || least === 0 ? undefined : editedLoosely(plain(found), text, edits);
  if (away(loosely) < least) nearest = loosely;
  return nearest === undefined ? undefined : withEndsOf(found, nearest);
}

/**
 * The same by a tool that looks for lines whatever their indentation is, and puts in others with one that is known from what is
 * on disk. Undefined if the edits are not whole lines, or do not fit.
 */
function editedLoosely(
  found: string,
  text: string | undefined,
  edits: readonly TextEdit[],
): string | undefined {
  const now = text === undefined ? undefined : plain(text).split("\n");
  const left = found.split("\n");
  for (const { old = "", new: by } of edits) {
    if (now === undefined || old.trim() === "") return undefined;
    const [gone, put] = [old, by].map(wholeLines) as [string[], string[]];
    const places = runsOf(now, gone);
    const runs = runsOf(left, put);
    // One place, or all of them.
    const isClear = places.length === 1 || runsOf(left, gone).length === 0;
    if (places.length === 0 || (put.length > 0 && runs.length === 0) || !isClear) return undefined;
    for (const [index, at] of [...places.entries()].reverse()) {
      const from = runs[index] ?? runs[0] ?? 0;
      now.splice(at, gone.length, ...left.slice(from, from + put.length));
    }
  }
  return now?.join("\n");
}

/**
 * The same where an edit is of lines that the text does not have, as somebody else wrote them: who made it has seen these
 * elsewhere, in a search for one, and nothing else of that. Undefined if it is not clear where on disk the edit is.
 */
export function editedUnseen(found: string, text: string, edits: readonly TextEdit[]): string | undefined {
  const there = plain(found);
  let now = plain(text);
  for (const edit of edits) {
    const next = edited(now, [edit]) ?? withPartOf(there, now, plain(edit.new));
    if (next === undefined) return undefined;
    now = next;
  }
  const distance = distanceTo(there);
  return distance(now) < distance(plain(text)) ? withEndsOf(found, now) : undefined;
}

/**
 * `text` with the lines of `found` that have `by` in them. Around these, up to the next on each side that both texts have once,
 * are the lines that both have: what somebody else put there is not known.
 */
function withPartOf(found: string, text: string, by: string): string | undefined {
  const at = found.indexOf(by);
  const isClear = at >= 0 && found.indexOf(by, at + 1) < 0 && !text.includes(by);
  if (!isClear || by.trim() === "") return undefined;
  const [there, here] = [found.split("\n"), text.split("\n")];
  const [onceThere, onceHere] = [there, here].map(onlyOnce) as [Map<string, number>, Map<string, number>];
  const isInBoth = (index: number) =>
    onceThere.has(there[index] as string) && onceHere.has(there[index] as string);
  const first = found.slice(0, at).split("\n").length - 1;
  const last = found.slice(0, at + by.trimEnd().length).split("\n").length - 1;
  let before = first - 1;
  while (before >= 0 && !isInBoth(before)) before--;
  let behind = last + 1;
  while (behind < there.length && !isInBoth(behind)) behind++;
  const start = before < 0 ? 0 : (onceHere.get(there[before] as string) as number) + 1;
  const end = behind === there.length ? here.length : (onceHere.get(there[behind] as string) as number);
  if (start > end) return undefined;
  const left = countsOf(here.slice(start, end));
  const isKnown = (line: string, index: number) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return (before + 1 + index >= first && before + 1 + index <= last) || count > 0;
  };
  const part = there.slice(before + 1, behind).filter(isKnown);
  return [...here.slice(0, start), ...part, ...here.slice(end)].join("\n");
}

/** Where the lines are that are there once. */
function onlyOnce(lines: readonly string[]): Map<string, number> {
  const counts = countsOf(lines);
  return new Map([...lines.entries()].flatMap(([at, line]) => (counts.get(line) === 1 ? [[line, at]] : [])));
}

/** Without the end of the last one. */
function wholeLines(text: string): string[] {
  const lines = plain(text).replace(/\n$/u, "").split("\n");
  return text.trim() === "" ? [] : lines;
}

/** Where these lines are, whatever their indentation is; none of them is part of two. */
function runsOf(lines: readonly string[], part: readonly string[]): number[] {
  const words = part.map((line) => line.trim());
  const runs: number[] = [];
  if (words.length === 0) return runs;
  for (let at = 0; at + words.length <= lines.length; at++) {
    if (!words.every((word, index) => lines[at + index]?.trim() === word)) continue;
    runs.push(at);
    at += words.length - 1;
  }
  return runs;
}

/** Models write plain line ends, and tools choose: only somebody who looks at the bytes sees a difference. */
function withEndsOf(found: string, text: string): string {
  if (!found.includes("\r\n")) return text;
  const ends = new Map<string, string[]>();
  for (const raw of found.split("\n").slice(0, -1)) {
    const end = raw.endsWith("\r") ? "\r\n" : "\n";
    const line = end === "\n" ? raw : raw.slice(0, -1);
    const known = ends.get(line);
    if (known === undefined) ends.set(line, [end]);
    else known.push(end);
  }
  for (const known of ends.values()) known.reverse();
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return lines.map((line) => line + (ends.get(line)?.pop() ?? "\r\n")).join("") + last;
}

/** How many lines are in one of two texts only. */
function distanceTo(found: string): (text: string) => number {
  const counts = countsOf(found.split("\n"));
  return (text) => {
    const left = new Map(counts);
    let more = 0;
    for (const line of text.split("\n")) {
      const count = left.get(line) ?? 0;
      if (count === 0) more += 1;
      else left.set(line, count - 1);
    }
    for (const count of left.values()) more += count;
    return more;
  };
}

/** Undefined if the edits do not fit the text. With plain line ends, whatever the text has. */
export function edited(
  text: string | undefined,
  edits: readonly TextEdit[],
  habits: Habits = {},
): string | undefined {
  let now = text === undefined ? undefined : plain(text);
  /** Behind the last edit of lines. */
  let cursor = 0;
  for (const edit of edits) {
    if (edit.old === undefined && !edit.lines) {
      now = plain(edit.new);
      continue;
    }
    if (now === undefined) return undefined;
    const old = plain(edit.old ?? "");
    const from = edit.behind ? cursor : 0;
    const places = edit.lines ? placeOfLines(now, old, { ...edit, from }) : placesOf(now, old, edit.all);
    const [first] = places;
    if (first === undefined) return undefined;
    const by = written(edit, first.end === now.length, habits);
    const isEmpty = by === "" && !edit.lines && !old.endsWith("\n");
    const more = isEmpty && habits.takesEnd && now.startsWith("\n", first.end) ? 1 : 0;
    now = replaced(now, places, by, more);
    cursor = first.start + by.length;
  }
  return now;
}

/** What the tool writes for it. */
function written(edit: TextEdit, isLast: boolean, { dropsBlanks, addsEnd, leavesOpen }: Habits): string {
  const given = plain(edit.new);
  const by = dropsBlanks ? given.replaceAll(/[ \t]+(?=\n|$)/gu, "") : given;
  if (addsEnd && edit.at !== undefined) return `${by}\n`;
  return leavesOpen && edit.lines && isLast && by.endsWith("\n") ? by.slice(0, -1) : by;
}

interface Place {
  start: number;
  end: number;
}

function placesOf(text: string, part: string, all: boolean | undefined): Place[] {
  if (part === "") return [];
  const places: Place[] = [];
  for (let start = text.indexOf(part); start >= 0; start = text.indexOf(part, start + part.length)) {
    if (places.length > 0 && !all) return [];
    places.push({ start, end: start + part.length });
  }
  return places;
}

function placeOfLines(
  text: string,
  part: string,
  { from: given, after, at }: Pick<TextEdit, "after" | "at"> & { from: number },
): Place[] {
  if (at !== undefined) return [behindLine(text, at)].flatMap((start) => start ?? []).map(emptyAt);
  const from = after === undefined ? given : behindEqual(text, after.trim(), given);
  if (from === undefined) return [];
  if (part === "") return [emptyAt(text.length)];
  let start = text.indexOf(part, from);
  while (start > 0 && text[start - 1] !== "\n") start = text.indexOf(part, start + 1);
  if (start >= 0) return [{ start, end: start + part.length }];
  // The last line may have no end.
  const open = part.slice(0, -1);
  const last = text.length - open.length;
  const isLast = last >= from && text.endsWith(open) && (last === 0 || text[last - 1] === "\n");
  return isLast ? [{ start: last, end: text.length }] : [];
}

function emptyAt(start: number): Place {
  return { start, end: start };
}

function behindLine(text: string, count: number): number | undefined {
  let end = 0;
  for (let line = 0; line < count; line++) {
    if (end >= text.length) return undefined;
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}

/** Behind the first line with these words. */
function behindEqual(text: string, words: string, from: number): number | undefined {
  for (let at = text.indexOf(words, from); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = lineEnd(text, at);
    if (text.slice(lineStart(text, at), end).trim() === words) return end;
  }
  return undefined;
}

function replaced(text: string, places: readonly Place[], by: string, more: number): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(from, start), by);
    from = end + more;
  }
  return parts.join("") + text.slice(from);
}

function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Behind the end of the line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Whether a text looks as if edits of parts of it had been made. */
export function isMade(text: string, edits: readonly TextEdit[]): boolean {
  const all = plain(text);
  const has = (part: string) => all.includes(plain(part));
  return edits.every(({ old = "", new: by, lines }) =>
    old === "" && !lines ? false : by === "" ? !has(old) : has(by),
  );
}

/** Whether a text shows nothing of what the edits do to `known`, however the tool indented, broke and quoted it. */
export function isUnmade(text: string, known: string, edits: readonly TextEdit[]): boolean {
  const [now, before] = [text, known].map((one) => ({ plain: plain(one), letters: lettersOf(one) }));
  if (now === undefined || before === undefined) return false;
  const [lines, linesBefore] = [countsOf(now.plain.split("\n")), countsOf(before.plain.split("\n"))];
  const hasMore = (line: string) =>
    lettersOf(line) !== "" && (lines.get(line) ?? 0) > (linesBefore.get(line) ?? 0);
  return edits.every(({ old = "", new: by, lines }) => {
    if (old === "" && !lines) {
      const distance = distanceTo(now.plain);
      return distance(plain(by)) > distance(before.plain);
    }
    // Others may have changed the lines around.
    const { gone, put } = withoutCommon(plain(old), plain(by));
    if (countOf(now.plain, put) > countOf(before.plain, put)) return false;
    if (countOf(now.plain, gone) < countOf(before.plain, gone)) return false;
    if (put.split("\n").some((line) => hasMore(line))) return false;
    const words = lettersOf(put);
    return words === "" || !now.letters.includes(words) || before.letters.includes(words);
  });
}

/** What is left of two texts without the lines at their beginnings and ends that are the same. */
function withoutCommon(one: string, other: string): { gone: string; put: string } {
  const [a, b] = [one.split("\n"), other.split("\n")];
  const least = Math.min(a.length, b.length);
  let head = 0;
  while (head < least && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < least - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const rest = (lines: string[]) => lines.slice(head, lines.length - tail).join("\n");
  return { gone: rest(a), put: rest(b) };
}

/** How often each line is there. */
function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function countOf(text: string, part: string): number {
  return part === "" ? 0 : text.split(part).length - 1;
}

/** Tools choose line ends, and how a text ends. */
export function isSameText(one: string, other: string): boolean {
  return one === other || plain(one).trimEnd() === plain(other).trimEnd();
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
