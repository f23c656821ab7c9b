// What an interrupted export has written: the sessions that are whole, to go on after them.

import { createReadStream } from "node:fs";

export interface ExportedPart {
  /** How many sessions the whole will have. */
  sessions: number;
  /** Those that are whole. */
  ids: ReadonlySet<string>;
  /** Hashes of the blobs among them. */
  blobs: ReadonlySet<string>;
  /** Where the next session begins. */
  bytes: number;
}

const LINE_FEED = 0x0a;

/** Undefined if there is none, or if it is not the beginning of an export. */
export async function exportedIn(path: string): Promise<ExportedPart | undefined> {
  let sessions: number | undefined;
  let at = 0;
  let whole = { ids: new Set<string>(), blobs: new Set<string>(), bytes: 0 };
  let current: string | undefined;
  const blobs = new Set<string>();
  for await (const { text, bytes } of linesIn(path)) {
    const line = read(text);
    if (line === undefined) break;
    if (at === 0) {
      if (line.kind !== "sotto_export" || typeof line.sessions !== "number") return undefined;
      sessions = line.sessions;
      whole.bytes = bytes;
    } else if (line.kind === "session") {
      // The one before is whole: another follows.
      if (current !== undefined) whole.ids.add(current);
      whole = { ...whole, blobs: new Set(blobs), bytes: at };
      current = String(line.id);
    } else if (line.kind === "blob") blobs.add(String(line.hash));
    at += bytes;
  }
  return sessions === undefined ? undefined : { sessions, ...whole };
}

/** Only lines that were written to their end. */
async function* linesIn(path: string): AsyncGenerator<{ text: string; bytes: number }> {
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        const line = Buffer.concat([...pieces, chunk.subarray(from, end + 1)]);
        pieces = [];
        from = end + 1;
        yield { text: line.toString("utf8"), bytes: line.length };
      }
      pieces.push(chunk.subarray(from));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function read(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
