// One document of a language server: the file it stands for, what the server knows of it and has said about it.

import { pathToFileURL } from "node:url";
import { type Findings, NO_FINDINGS } from "./diagnostics-in.ts";

/** A file as it was found. */
export interface Sight {
  /** Its real path. */
  key: string;
  /** As it is told. */
  path: string;
  text: string;
  languageId: string;
  /** The agent wrote it, or only looked; or somebody else changed it; or an earlier process had it open. */
  why: "written" | "read" | "changed" | "resumed";
}

export interface Document extends Omit<Sight, "why"> {
  uri: string;
  /** As the server knows it; 0: it does not. */
  version: number;
  next?: { text: string; written: boolean };
  /** Written without having been looked at: all that is in it is of the agent's making. */
  written: boolean;
  /** What is heard first is how it stood: before the agent came, or before the server was started again. */
  phase: "baseline" | "again" | "settled";
  pushed: Findings;
  pulled: Findings;
  heard: boolean;
  openedAt: number;
  settling?: () => void;
  pulling: boolean;
}

const MOST_OPEN = 32;
const MOST_CHARACTERS = 8_000_000;

export function newDocument(sight: Omit<Sight, "why">, why: Sight["why"]): Document {
  return {
    ...sight,
    uri: pathToFileURL(sight.key).href,
    version: 0,
    written: why === "written",
    phase: why === "written" ? "settled" : why === "resumed" ? "again" : "baseline",
    pushed: NO_FINDINGS,
    pulled: NO_FINDINGS,
    heard: false,
    openedAt: 0,
    pulling: false,
  };
}

/** The oldest that are too many, or too much. `documents`: the latest last. */
export function overflow(documents: Iterable<Document>): Document[] {
  let characters = 0;
  return [...documents].reverse().filter((document, index) => {
    characters += document.text.length + (document.next?.text.length ?? 0);
    return index >= MOST_OPEN || (index > 0 && characters > MOST_CHARACTERS);
  });
}
