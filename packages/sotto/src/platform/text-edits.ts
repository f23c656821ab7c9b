// Edits as tools make them, and what a text is after them.

export interface TextEdit {
  /** Unset if the whole text is replaced, or lines are put in. */
  old?: string | undefined;
  new: string;
  /** In every place; otherwise it has to be in one place only. */
  all?: boolean | undefined;
  /** Whole lines, as in a patch: in the first place behind the last such edit. Without `old` they are put in, at the end. */
  lines?: true | undefined;
  /** The line behind which such lines are. */
  after?: string | undefined;
  /** The number of the line behind which lines are put in; 0: before the first. */
  at?: number | undefined;
}

// In characters of text, for all edits together: some ten milliseconds.
const MOST_WORK = 20_000_000;

/** Whether it would take too long to find out what a text is after the edits. */
export function isTooMuch(text: string | undefined, edits: readonly TextEdit[]): boolean {
  return (text?.length ?? 0) * edits.length > MOST_WORK;
}

/**
 * Undefined if the edits do not fit the text. Tools differ in the line ends and blanks that they write; `found`, what is
 * on disk afterwards, shows what this one does.
 */
export function edited(text: string | undefined, edits: readonly TextEdit[], found = ""): string | undefined {
  let now = text;
  /** Behind the last edit of lines. */
  let cursor = 0;
  for (const edit of edits) {
    if (edit.old === undefined && !edit.lines) {
      now = edit.new;
      cursor = 0;
      continue;
    }
    if (now === undefined) return undefined;
    const ending = now.includes("\r\n") ? "\r\n" : "\n";
    const places = edit.lines ? placeOfLines(now, edit, { cursor, ending }) : placesOf(now, edit, ending);
    const [first] = places;
    if (first === undefined) return undefined;
    const { by, more } = formOf(now, first, { edit, ending, found });
    now = replaced(now, places, by, more);
    cursor = edit.lines ? first.start + by.length : 0;
  }
  return now;
}

interface Place {
  start: number;
  end: number;
}

function placesOf(text: string, { old = "", all }: TextEdit, ending: string): Place[] {
  const usual = withEnds(old, ending);
  // Some lines may have other ends.
  const part = text.includes(usual) ? usual : old;
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
  { old = "", after, at }: TextEdit,
  { cursor, ending }: { cursor: number; ending: string },
): Place[] {
  if (at !== undefined) return [behindLine(text, at)].flatMap((start) => start ?? []).map(emptyAt);
  const from = after === undefined ? cursor : behindEqual(text, after.trim(), cursor);
  if (from === undefined) return [];
  if (old === "") return [emptyAt(text.length)];
  const part = withEnds(old, ending);
  let start = text.indexOf(part, from);
  while (start > 0 && text[start - 1] !== "\n") start = text.indexOf(part, start + 1);
  if (start >= 0) return [{ start, end: start + part.length }];
  // The last line may have no end.
  const open = part.slice(0, -ending.length);
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

/** What is written in place of a part; `more`: how much behind it goes with it. */
interface Form {
  by: string;
  more: number;
}

/** How the tool wrote it: the first form that is on disk with the lines around it. */
function formOf(
  text: string,
  { start, end }: Place,
  { edit, ending, found }: { edit: TextEdit; ending: string; found: string },
): Form {
  const forms = formsOf(text, end, edit, ending);
  const [usual = { by: edit.new, more: 0 }] = forms;
  if (forms.length === 1 || found === "") return usual;
  const before = text.slice(lineStart(text, start - 1), start);
  const behind = (more: number) => text.slice(end + more, lineEnd(text, lineEnd(text, end)));
  const above = before.endsWith("\n") ? "\n" : "";
  const rest = (more: number) => text.slice(end + more, lineEnd(text, end));
  // Others may have changed the lines around it.
  const looks = [
    ({ by, more }: Form) => before + by + behind(more),
    ({ by, more }: Form) => before + by + rest(more),
    ({ by, more }: Form) => above + by + behind(more),
    ({ by, more }: Form) => above + by + rest(more),
  ];
  for (const look of looks) {
    const fits = forms.find((form) => found.includes(look(form)));
    if (fits !== undefined) return fits;
  }
  return usual;
}

function formsOf(text: string, end: number, edit: TextEdit, ending: string): Form[] {
  const by = withEnds(edit.new, ending);
  const forms = new Set([by, edit.new, by.replaceAll(/[ \t]+(?=\r?\n|$)/gu, "")]);
  if (edit.at !== undefined) forms.add(by + ending);
  if (edit.lines && end === text.length && by.endsWith(ending)) forms.add(by.slice(0, -ending.length));
  const all = [...forms].map((one): Form => ({ by: one, more: 0 }));
  // A line of which nothing is left may go with it.
  const isLine = by === "" && !edit.lines && !edit.old?.endsWith("\n") && text.startsWith(ending, end);
  return isLine ? [...all, { by, more: ending.length }] : all;
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
  const plain = withEnds(text, "\n");
  const has = (part: string) => plain.includes(withEnds(part, "\n"));
  return edits.every(({ old = "", new: by, lines }) =>
    old === "" && !lines ? false : by === "" ? !has(old) : has(by),
  );
}

/** Whether nothing that the edits write is in the text, however it is indented and broken into lines. */
export function isUnmade(text: string, edits: readonly TextEdit[]): boolean {
  const bare = withoutBlanks(text);
  return edits.every(({ new: by }) => withoutBlanks(by) !== "" && !bare.includes(withoutBlanks(by)));
}

/** Tools choose line ends, and how a text ends. */
export function isSameText(one: string, other: string): boolean {
  return one === other || withEnds(one, "\n").trimEnd() === withEnds(other, "\n").trimEnd();
}

/** Models write plain line ends, whatever the file has. */
function withEnds(text: string, ending: string): string {
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", ending);
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}
