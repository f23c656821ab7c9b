// What a model believes about files, from nothing but the conversation it is sent: what it read and wrote, and what
// reminders told it since.

import { applySnippet, linesOf } from "./apply-snippet.ts";
import { type ChangingFile, type Content, files, GONE } from "./changing-files.ts";

export interface Belief {
  /** As it was last read. */
  name: string;
  /** One of these: of some contents a notice only says that they are other ones. */
  may: readonly Content[];
}

export type Beliefs = Map<ChangingFile, Belief>;

/** A piece of the conversation: a text, or what is no text. */
export type Piece = { text: string } | { image: string };

export interface Reading {
  beliefs: Beliefs;
  problems: string[];
  /** What each reminder about a file found and left, in their order. */
  told: { text: string; file: ChangingFile; before: Belief | undefined; after: readonly Content[] }[];
}

/** What a conversation refers to by number: contents, or all that was believed when it began. */
export type Marked = Content | Beliefs;

export interface ReadOptions {
  root: string;
  marks: readonly Marked[];
  /** Contents that a reminder's text may be about, as known from when it was first said. */
  meant: ReadonlyMap<string, readonly Content[]>;
  /** What was believed before. */
  known?: Beliefs | undefined;
}

const MARK = /^\[(READ|WRITE|REMOVE|KNOW) (\S+) #(\d+)\]$/u;
const EDITED =
  /^<system-reminder>\nNote: (.+?) was modified(?: outside this conversation|,? ?(?:possibly )?by .+?)\.(?: (?:Build on|Go on from) .+ What changed:\n([\s\S]*)| It looks like this now:)\n<\/system-reminder>$/u;
const DELETED = /^<system-reminder>\n(.+?), which you read earlier, no longer exists: /u;
const SHOWN =
  /^<system-reminder>\nCalled the Read tool with the following input: (.+)\n\nResult of calling the Read tool: ([\s\S]*)\n<\/system-reminder>$/u;
/** To an agent that has no tool to read with. */
const ATTACHED =
  /^<system-reminder>\nThis file is attached: (.+?)( \(lines? .+\))?\n\nIts content:\n([\s\S]*)\n<\/system-reminder>$/u;

export function readConversation(pieces: readonly Piece[], options: ReadOptions): Reading {
  const reading: Reading = { beliefs: new Map(options.known), problems: [], told: [] };
  for (const [index, piece] of pieces.entries()) {
    if (!("text" in piece)) continue;
    const next = pieces[index + 1];
    try {
      if (piece.text.startsWith("<system-reminder>"))
        hear(reading, piece.text, next && "image" in next ? next.image : undefined, options);
      else live(reading.beliefs, piece.text, options);
    } catch (error) {
      reading.problems.push(`${(error as Error).message} in ${piece.text}`);
    }
  }
  return reading;
}

/** The file a path leads to. */
export function fileOf(path: string, root: string): { file: ChangingFile; name: string } {
  const name = path.replace(`${root}/`, "");
  const file = files.find(({ names }) => names.includes(name));
  if (file === undefined) throw new Error(`${path} is no file of this world`);
  return { file, name };
}

/** The model itself has read or written something, or begins with what another one knew. */
function live(beliefs: Beliefs, text: string, { root, marks }: ReadOptions): void {
  const [, what, path = "", number] = MARK.exec(text) ?? [];
  if (what === undefined) return;
  const mark = marks[Number(number)] as Marked;
  if (mark instanceof Map) {
    for (const [file, belief] of mark) beliefs.set(file, belief);
    return;
  }
  if (what === "REMOVE") {
    for (const file of files)
      if (file.names.some((name) => name === path || name.startsWith(`${path}/`))) beliefs.delete(file);
    return;
  }
  const { file, name } = fileOf(`${root}/${path}`, root);
  // What may not be read is not followed.
  if (file.kind === "denied") return;
  const known = beliefs.get(file);
  beliefs.set(file, { name: what === "WRITE" ? (known?.name ?? name) : name, may: [mark] });
}

function hear(reading: Reading, text: string, image: string | undefined, options: ReadOptions): void {
  const [, edited, snippet] = EDITED.exec(text) ?? [];
  const [, deleted] = DELETED.exec(text) ?? [];
  const [, input, shown = ""] = SHOWN.exec(text) ?? [];
  const [, attached, lines, content = ""] = ATTACHED.exec(text) ?? [];
  if (input !== undefined) {
    const { file_path, offset } = JSON.parse(input) as { file_path: string; offset?: number };
    if (offset === undefined) show(reading, text, { path: file_path, shown, image }, options);
  }
  if (attached !== undefined && lines === undefined)
    show(reading, text, { path: attached, shown: content, image }, options);
  const path = edited ?? deleted;
  if (path === undefined) return;
  const { file, name } = fileOf(path, options.root);
  const before = reading.beliefs.get(file);
  if (before === undefined) throw new Error("it was never read");
  if (before.name !== name) throw new Error(`it was read as ${before.name}`);
  const candidates = deleted === undefined ? (options.meant.get(text) ?? []) : [GONE as Content];
  const after = candidates.filter(
    (content) =>
      deleted !== undefined || before.may.some((old) => leadsTo({ file, old, content, snippet, image })),
  );
  if (after.length === 0)
    throw new Error(`it does not lead from ${JSON.stringify(before.may)} to ${JSON.stringify(candidates)}`);
  reading.told.push({ text, file, before, after });
  reading.beliefs.set(file, { name, may: after });
}

function show(
  reading: Reading,
  text: string,
  { path, shown, image }: { path: string; shown: string; image: string | undefined },
  options: ReadOptions,
): void {
  const { file, name } = fileOf(path, options.root);
  const lines = shown.split("\n").map((line) => line.replace(/^ *\d+\t/u, ""));
  const after = (options.meant.get(text) ?? []).filter((content) => {
    if (content === GONE) return false;
    if (file.kind === "image") return image === Buffer.from(content, "latin1").toString("base64");
    return content === "" ? shown.endsWith("is empty") : isSame(linesOf(content), lines);
  });
  if (after.length === 0) throw new Error("it shows what was never there");
  reading.told.push({ text, file, before: undefined, after });
  reading.beliefs.set(file, { name, may: after });
}

interface Step {
  file: ChangingFile;
  old: Content;
  content: Content;
  snippet: string | undefined;
  image: string | undefined;
}

/** Whether a notice says that the one content became the other. */
function leadsTo({ file, old, content, snippet = "", image }: Step): boolean {
  if (content === GONE) return false;
  if (file.kind === "image") return image === Buffer.from(content, "latin1").toString("base64");
  if (file.kind === "binary") return snippet === `It is a binary file, of ${content.length} bytes now.`;
  if (file.kind === "secret") return snippet.startsWith("What changed is not shown");
  const lines = linesOf(content);
  const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  // That it was gone may have been told to someone else, or to nobody who listened.
  if (snippet.startsWith("It is there again")) return snippet.includes(`, with ${count};`);
  if (old === GONE) return false;
  if (snippet.startsWith("The file is empty now")) return content === "";
  const after = applySnippet(linesOf(old), snippet);
  if (typeof after === "string") return false;
  return isSame(after, lines) && (old === content || !isSame(linesOf(old), lines) || saysEndings(snippet));
}

function saysEndings(snippet: string): boolean {
  return /newline at the end|[Ll]ine endings/u.test(snippet);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
