// Which lines are selected: the editor tells the text and where the cursor is, which is at one end of it.

import type { EditorContext } from "./editor-protocol.ts";

export interface Lines {
  lineStart: number;
  lineEnd: number;
}

interface Place extends Lines {
  startCharacter: number;
  endCharacter: number;
}

const MOST_PLACES = 1000;

/** Undefined where it cannot be known: the text is not in the file as it is on disk, or stands there more than once. */
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
 * A file that was changed and not saved: the cursor alone. Where it cannot be at the end of the text it is at its
 * beginning; where it may be at either, nobody knows.
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

/** Whole lines end where the next one begins: that one is not selected. */
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

/** Editors and disks differ in how a line ends. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
