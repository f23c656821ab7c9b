// What an editor reports, validated and turned into events.

// The files and messages of editor companions: bounded, anything unexpected is ignored.

import { isAbsolute } from "node:path";
import * as v from "valibot";
import type { EventOf } from "../../facts/events.ts";
import type { IdeAccess } from "../../facts/facts.ts";
import { ideFile } from "../../facts/ide.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { Source } from "../source.ts";

/** The file that says how to reach a companion. */
export interface CompanionFile {
  port: number;
  workspacePath: string;
  token: string;
  ideName: string;
}

/** What the user has open in the editor. */
export interface EditorContext {
  /** Absent if nothing is open. */
  path?: string;
  selectedText?: string;
  /** From 1, as in the protocol. */
  cursor?: { line: number; character: number };
  /** Why it is ignored. */
  why?: string;
}

const fileSchema = v.object({
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
  workspacePath: v.string(),
  authToken: v.pipe(v.string(), v.nonEmpty()),
  ideInfo: v.optional(v.object({ name: v.optional(v.string()), displayName: v.optional(v.string()) }), {}),
});

const position = v.pipe(v.number(), v.integer(), v.minValue(1));
const openFile = v.object({
  path: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096)),
  isActive: v.optional(v.boolean()),
  cursor: v.optional(v.object({ line: position, character: position })),
  selectedText: v.optional(v.string()),
});
const contextSchema = v.object({
  workspaceState: v.optional(
    v.object({
      openFiles: v.optional(v.array(v.unknown()), []),
      isTrusted: v.optional(v.boolean()),
    }),
  ),
});

const LONGEST_NAME = 100;
// More than is ever shown of a selection, or kept in the log.
const LONGEST_SELECTION = 20_001;
const MOST_FILES = 100;

export function readCompanionFile(value: unknown): CompanionFile | undefined {
  const file = v.safeParse(fileSchema, value);
  if (!file.success) return undefined;
  const { port, workspacePath, authToken, ideInfo } = file.output;
  const ideName = (ideInfo.displayName || ideInfo.name || "the IDE").slice(0, LONGEST_NAME).toWellFormed();
  return { port, workspacePath, token: authToken, ideName };
}

/** From the parameters of `ide/contextUpdate`. */
export function readContext(params: unknown): EditorContext {
  const context = v.safeParse(contextSchema, params);
  if (!context.success) return { why: "the editor's message cannot be read" };
  const { openFiles = [], isTrusted } = context.output.workspaceState ?? {};
  if (isTrusted === false) return { why: "the workspace is not trusted in the editor" };
  const active = openFiles
    .slice(0, MOST_FILES)
    .map((file) => v.safeParse(openFile, file))
    .find((file) => file.success && file.output.isActive === true);
  if (active === undefined || !active.success) return {};
  const { path, cursor, selectedText = "" } = active.output;
  return {
    path,
    ...(cursor === undefined ? {} : { cursor }),
    ...(selectedText.trim() === ""
      ? {}
      : { selectedText: selectedText.slice(0, LONGEST_SELECTION).toWellFormed() }),
  };
}

// Turns what an editor reports into events. Nothing of a file that may not be shown is recorded.

export async function editorEvent(
  ideName: string,
  { path, selectedText, cursor }: EditorContext,
  fileAccess: FileAccess,
): Promise<{ event: EventOf<"ide_changed">; why?: string }> {
  const nothing = { type: "ide_changed" as const, ideName };
  if (path === undefined || !isAbsolute(path)) return { event: nothing };
  const open = { ...nothing, openFile: path };
  // If that is unknown, it may not.
  const access = await accessTo(path, fileAccess).then(
    (found) => found.access,
    () => "denied" as const,
  );
  // Its name is kept, so that the trace can say why nothing is sent.
  if (selectedText === undefined || access !== "allowed") return { event: open };
  const lines = locateSelection(selectedText, cursor, await textOf(path, fileAccess));
  if (lines === undefined)
    return {
      event: open,
      why: `which lines of ${path} are selected is unknown: the file has unsaved changes`,
    };
  const selection = { filename: path, ...lines, content: selectedText, checked: true };
  return { event: { ...open, selection } };
}

async function textOf(path: string, fileAccess: FileAccess): Promise<string | undefined> {
  const found = await (await fileAccess.reader()).read(path);
  return found.kind === "text" ? found.text : undefined;
}

// Which lines are selected: the editor reports the text and the cursor, which is at one end of it.

export interface Lines {
  lineStart: number;
  lineEnd: number;
}

interface Place extends Lines {
  startCharacter: number;
  endCharacter: number;
}

const MOST_PLACES = 1000;

/** Undefined if it cannot be known: the text is not in the file on disk, or more than once. */
export function locateSelection(
  selected: string,
  cursor: EditorContext["cursor"],
  file: string | undefined,
): Lines | undefined {
  const count = linesIn(selected);
  // A selection within one line is in the line of the cursor.
  if (count === 1 && cursor !== undefined) return { lineStart: cursor.line, lineEnd: cursor.line };
  const places = file === undefined ? [] : placesOf(plain(selected), plain(file));
  if (places.length > 0) return nearest(places, cursor);
  return cursor === undefined ? undefined : byCursor(selected, cursor, count);
}

function nearest(places: readonly Place[], cursor: EditorContext["cursor"]): Lines | undefined {
  if (cursor === undefined) return places.length === 1 ? linesOf(places[0]) : undefined;
  const { line, character } = cursor;
  const atEnd = places.find(({ lineEnd, endCharacter }) => lineEnd === line && endCharacter === character);
  const atStart = places.find(
    ({ lineStart, startCharacter }) => lineStart === line && startCharacter === character,
  );
  if (atEnd !== undefined && atStart !== undefined) return undefined;
  const exact = atEnd ?? atStart;
  if (exact !== undefined) return linesOf(exact);
  const around = places.filter(({ lineStart, lineEnd }) => lineStart <= line && line <= lineEnd);
  return around.length === 1 ? linesOf(around[0]) : undefined;
}

/**
 * For a file with unsaved changes there is only the cursor. If it cannot be at the end of the text it is at its
 * beginning; if it can be at either, the lines are unknown.
 */
function byCursor(
  selected: string,
  { line, character }: NonNullable<EditorContext["cursor"]>,
  count: number,
): Lines | undefined {
  const last = plain(selected).split("\n").at(-1) ?? "";
  if (last.length === character - 1) return undefined;
  return { lineStart: line, lineEnd: lastLine(selected, line + count - 1) };
}

function placesOf(selected: string, file: string): Place[] {
  const places: Place[] = [];
  let line = 1;
  let lineFrom = 0;
  let seen = 0;
  for (
    let at = file.indexOf(selected);
    at !== -1 && places.length < MOST_PLACES;
    at = file.indexOf(selected, at + 1)
  ) {
    for (let end = file.indexOf("\n", seen); end !== -1 && end < at; end = file.indexOf("\n", seen)) {
      line += 1;
      lineFrom = end + 1;
      seen = end + 1;
    }
    const lineEnd = line + linesIn(selected) - 1;
    const lastFrom = at + selected.lastIndexOf("\n") + 1;
    const endCharacter = at + selected.length - (selected.includes("\n") ? lastFrom : lineFrom) + 1;
    places.push({ lineStart: line, lineEnd, startCharacter: at - lineFrom + 1, endCharacter });
  }
  return places;
}

/** A selection of whole lines ends at the start of the next one, which is not selected. */
function linesOf(place: Place | undefined): Lines | undefined {
  if (place === undefined) return undefined;
  const { lineStart, lineEnd, endCharacter } = place;
  return { lineStart, lineEnd: endCharacter === 1 && lineEnd > lineStart ? lineEnd - 1 : lineEnd };
}

function lastLine(selected: string, lineEnd: number): number {
  return selected.endsWith("\n") ? lineEnd - 1 : lineEnd;
}

function linesIn(text: string): number {
  return plain(text).split("\n").length;
}

/** Editors and disks differ in line endings. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

// Whether the file that is open in the IDE may be shown. If not, nothing of it is kept.

export function createIdeAccessSource(fileAccess: FileAccess): Source<"ideAccess"> {
  return {
    fact: "ideAccess",
    observe({ facts }, signal) {
      const path = ideFile(facts.ide);
      return path === undefined ? { access: "allowed" } : accessTo(path, fileAccess, signal);
    },
    async prepare(event) {
      if (event.type !== "ide_changed" || event.selection === undefined) return event;
      const { selection } = event;
      // Not kept either if that is unknown now.
      const checked = await accessTo(selection.filename, fileAccess).then(
        ({ access }) => access === "allowed",
        () => false,
      );
      return { ...event, selection: { ...selection, content: checked ? selection.content : "", checked } };
    },
  };
}

/** The same rules as for reading. A file that was never saved only has a name. */
export async function accessTo(
  path: string,
  fileAccess: FileAccess,
  signal?: AbortSignal,
): Promise<IdeAccess> {
  const found = await (await fileAccess.reader()).access(absolutePath(path, fileAccess.cwd), { signal });
  if (found.kind === "allowed" || found.kind === "secret") return { path, access: found.kind };
  if (found.kind === "denied") return { path, access: "denied", rule: found.rule };
  throw new Error(`${path} cannot be looked at now`);
}
