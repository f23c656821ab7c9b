// A worker's job: the cells of a notebook and their textual outputs.

import { createRemainingLimits, type RemainingLimits } from "../cut-text.ts";
import type { JobBytes, NotebookCell } from "./content.ts";

export interface NotebookInput extends JobBytes {
  lines: number;
  characters: number;
}

export type NotebookText = { cells: NotebookCell[]; truncated: boolean } | { problem: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

type Fields = Record<string, unknown>;

// Far more than a readable notebook has. The parser cannot be stopped: if it exceeded the worker's memory, the whole
// process would end.
const MAX_PARTS = 100_000;
/** Colours and links for terminals. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/gu;

export function readNotebook({ bytes, lines, characters }: NotebookInput): NotebookText {
  const json = Buffer.from(bytes);
  if (!hasFewParts(json)) return { problem: `it has more than ${MAX_PARTS} parts` };
  const found = parse(json.toString());
  if ("problem" in found) return found;
  const room = createRemainingLimits({ lines, characters });
  const cells: NotebookCell[] = [];
  for (const cell of found.cells) {
    if (!room.isLeft()) break;
    cells.push(readCell(isFields(cell) ? cell : {}, room));
  }
  return { cells, truncated: room.isCut() || cells.length < found.cells.length };
}

/** Counts the starts of values outside of strings. */
function hasFewParts(json: Uint8Array): boolean {
  let parts = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) inString = !inString;
    else if (inString) {
      if (byte === BACKSLASH) at++;
    } else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      parts++;
      if (parts > MAX_PARTS) return false;
    }
  }
  return true;
}

function parse(text: string): { cells: unknown[] } | { problem: string } {
  try {
    const root: unknown = JSON.parse(text);
    if (!isFields(root)) return { problem: "it is not an object" };
    // Before version 4 there were worksheets of cells.
    const cells =
      root.cells ?? listOf(root.worksheets).flatMap((sheet) => (isFields(sheet) ? sheet.cells : []));
    return Array.isArray(cells) && (cells.length > 0 || root.cells !== undefined)
      ? { cells }
      : { problem: "it has no cells" };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function readCell(cell: Fields, room: RemainingLimits): NotebookCell {
  const source = room.take(textOf(cell.source ?? cell.input));
  const outputs: string[] = [];
  for (const output of listOf(cell.outputs)) {
    const text = isFields(output) ? outputText(output) : "";
    // What is taken is short, the output need not be.
    const taken = text === "" ? "" : room.take(text).replace(ESCAPES, "");
    if (taken !== "") outputs.push(taken);
    if (room.isCut()) break;
  }
  return {
    type: typeof cell.cell_type === "string" ? cell.cell_type.slice(0, 100) : "unknown",
    source,
    outputs,
  };
}

/** Printed text, the textual form of a result, or an error; "" for an image. */
function outputText(output: Fields): string {
  if (output.traceback !== undefined) {
    const traceback = listOf(output.traceback).map(textOf).join("\n");
    return traceback === "" ? `${textOf(output.ename)}: ${textOf(output.evalue)}` : traceback;
  }
  const data = isFields(output.data) ? output.data["text/plain"] : undefined;
  return textOf(data ?? output.text);
}

/** Text is a string or a list of lines with their ends. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value.toWellFormed();
  return listOf(value)
    .filter((part) => typeof part === "string")
    .join("")
    .toWellFormed();
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
