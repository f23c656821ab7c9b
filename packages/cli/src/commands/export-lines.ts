// Sessions as JSON Lines: a head, then for each session its line, its entries, the contents they refer to.

import type { Entry, SessionSummary, Store } from "sotto";
import { readLog } from "../../../sotto/src/log/read-log.ts";
import { referencesIn } from "../sessions/blob-references.ts";

export const EXPORT_VERSION = 1;

/** What can stand on a line besides an entry of the log. */
export type ExportLine =
  | { kind: "sotto_export"; v: number; sessions: number }
  | { kind: "session"; id: string; entries: number }
  /** Holds the number of an entry that could not be read back. */
  | { kind: "damaged"; v: number; at: string; seq: number; problem: string }
  | { kind: "blob"; hash: string; content: string };

export interface ExportOptions {
  sessions: readonly SessionSummary[];
  blobs: boolean;
  /** Told after each page. */
  onPage(words: string): void;
}

/** The same store gives the same bytes. */
export async function* exportLines(store: Store, options: ExportOptions): AsyncGenerator<string> {
  // In an order that does not depend on which of them was there first.
  const sessions = [...options.sessions].sort((a, b) => (a.id < b.id ? -1 : 1));
  yield line({ kind: "sotto_export", v: EXPORT_VERSION, sessions: sessions.length });
  const given = new Set<string>();
  for (const [index, { id, entries: many, firstAt }] of sessions.entries()) {
    yield line({ kind: "session", id, entries: many });
    const wanted = new Set<string>();
    let at = firstAt;
    for await (const { entries, damaged, last } of readLog(store, id)) {
      options.onPage(`session ${index + 1} of ${sessions.length}: entry ${last} of ${many}`);
      const holes = damaged.map(({ seq, problem }) => ({
        kind: "damaged" as const,
        v: 1,
        at: "",
        seq,
        problem,
      }));
      for (const entry of inOrder(entries, holes)) {
        // What was added meanwhile is not in the count.
        if (entry.seq > many) break;
        if (entry.kind === "damaged") yield line({ ...entry, at });
        else {
          at = entry.at;
          yield line(entry);
          if (options.blobs) for (const { hash } of referencesIn(entry)) wanted.add(hash);
        }
      }
    }
    for (const hash of [...wanted].sort()) {
      const content = given.has(hash) ? undefined : await store.getBlob(hash);
      given.add(hash);
      if (content !== undefined)
        yield line({ kind: "blob", hash, content: Buffer.from(content).toString("base64") });
    }
  }
}

type Damaged = Extract<ExportLine, { kind: "damaged" }>;

function inOrder(entries: readonly Entry[], damaged: readonly Damaged[]): (Entry | Damaged)[] {
  return [...entries, ...damaged].sort((a, b) => a.seq - b.seq);
}

function line(value: ExportLine | Entry): string {
  return `${JSON.stringify(value)}\n`;
}
