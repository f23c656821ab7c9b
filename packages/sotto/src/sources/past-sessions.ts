// Summaries of past sessions in this project: looked for once, when a session begins, and recorded. A project can
// contain such files: they only count as the agent's own notes if the user has said so.

import type { PastSession } from "../facts/events.ts";
import type { ObservedFacts } from "../facts/facts.ts";
import { absolutePath } from "../platform/paths.ts";
import type { FileAccess } from "./files/file-access.ts";
import type { Reader } from "./files/reader.ts";
import { sessionNoteName, sessionNotesPath } from "./session-places.ts";
import type { IsTrusted, Source, TurnInfo } from "./source.ts";
import { notTaken } from "./trust/outside-project.ts";

const SHOWN = 5;
const PREVIEW_LINES = 20;
const PREVIEW_CHARACTERS = 4000;
// Of a larger directory the last ones by name, as such files are named after their date.
const LOOKED_AT = 100;
const MAX_BYTES = 256 * 1024;
// A late look still counts as one at the start.
const START_TURNS = 3;

interface Found {
  memories: PastSession[];
  /** Of the project, and not trusted. */
  untrusted: string[];
}

export interface PastSessionsOptions {
  fileAccess: FileAccess;
  /** Whether a note in the project is the user's. Default: none is. */
  isTrusted?: IsTrusted | undefined;
}

export function createPastSessionsSource(options: PastSessionsOptions): Source<"sessionNotes"> {
  return new PastSessions(options);
}

// A class, as nearly every session has one.
class PastSessions implements Source<"sessionNotes"> {
  readonly #fileAccess: FileAccess;
  readonly #isTrusted: IsTrusted | undefined;
  /** The start of a session for which nothing was found, and why not. */
  #start: string | undefined;
  #untold: string | undefined;

  constructor({ fileAccess, isTrusted }: PastSessionsOptions) {
    this.#fileAccess = fileAccess;
    this.#isTrusted = isTrusted;
  }

  get fact() {
    return "sessionNotes" as const;
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<SessionNotes> | SessionNotes {
    const { pastSessions, turns, start } = turn.facts;
    if (!pastSessions.wanted) return {};
    if (this.#untold !== undefined && this.#start === start.at) return { untold: this.#untold };
    if (turns.assistant > START_TURNS)
      return {
        untold: `looked for at the start only, and there were ${turns.assistant} assistant turns, at most ${START_TURNS}`,
      };
    return this.#look(turn, signal);
  }

  async #look(turn: TurnInfo, signal: AbortSignal): Promise<SessionNotes> {
    const { pastSessions, start } = turn.facts;
    const fileAccess = this.#fileAccess;
    const directories = directoriesFor(turn, fileAccess);
    const [reader, project] = await Promise.all([fileAccess.reader(), fileAccess.project()]);
    const mayTell = async (path: string, text: string) =>
      !project.owns(path) || (await this.#isTrusted?.(path, text)) === true;
    const own = new Set([turn.session, ...(pastSessions.forkedFrom ?? [])].map(sessionNoteName));
    const { memories, untrusted } = await newest(directories, { reader, own, mayTell, signal });
    if (memories.length > 0) await turn.record([{ type: "past_sessions_found", memories }]);
    else {
      this.#start = start.at;
      this.#untold = whyNone(directories, untrusted, fileAccess);
    }
    return this.#untold === undefined ? {} : { untold: this.#untold };
  }
}

type SessionNotes = ObservedFacts["sessionNotes"];

function directoriesFor({ settings, cwd }: TurnInfo, { home, stateDirectory, takes }: FileAccess): string[] {
  const given = settings.session_memory_dir;
  const own = given.startsWith("~/") ? `${home}${given.slice(1)}` : given;
  return [
    ...(given === "" ? [] : [absolutePath(own, cwd)]),
    ...(stateDirectory === undefined || !takes("session_notes")
      ? []
      : [sessionNotesPath(stateDirectory, cwd)]),
  ];
}

function whyNone(
  directories: readonly string[],
  [untrusted, ...more]: readonly string[],
  { takes }: FileAccess,
): string {
  const left = takes("session_notes") ? "" : `; ${notTaken("session_notes")}`;
  if (untrusted === undefined)
    return `there are no notes of other sessions in ${directories.join(" or ")}${left}`;
  const others = more.length === 0 ? "is" : `and ${more.length} more are`;
  return `${untrusted} ${others} the project's, not written by this agent; \`sotto trust\` allows them`;
}

interface Looking {
  reader: Reader;
  /** Names of notes about this conversation itself. */
  own: ReadonlySet<string>;
  mayTell(path: string, text: string): Promise<boolean>;
  signal: AbortSignal;
}

/** Files that may not be read, or are not text, are skipped. */
async function newest(
  directories: readonly string[],
  { reader, own, mayTell, signal }: Looking,
): Promise<Found> {
  const found: { path: string; mtimeMs: number }[] = [];
  for (const directory of directories) {
    const listed = await reader.list(directory, { signal });
    if (listed.kind === "unreadable") throw new Error(`${directory} cannot be listed now (${listed.why})`);
    if (listed.kind !== "directory") continue;
    const names = listed.entries
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".md") && !own.has(name));
    for (const name of names.slice(-LOOKED_AT)) {
      const path = `${directory}/${name}`;
      const seen = await reader.stat(path, { signal });
      if (seen.kind === "file") found.push({ path, mtimeMs: seen.stat.mtimeMs });
    }
  }
  found.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? 1 : -1));
  const memories: PastSession[] = [];
  const untrusted: string[] = [];
  for (const { path, mtimeMs } of found) {
    if (memories.length === SHOWN) break;
    const outcome = await reader.read(path, { signal, maxBytes: MAX_BYTES });
    if (outcome.kind !== "text" || outcome.text.trim() === "") continue;
    if (!(await mayTell(path, outcome.text))) {
      untrusted.push(path);
      continue;
    }
    memories.push({
      fullPath: path,
      ...previewOf(outcome.text),
      lastModified: new Date(mtimeMs).toISOString(),
    });
  }
  return { memories, untrusted };
}

function previewOf(text: string): Pick<PastSession, "content" | "remainingLines"> {
  const lines = text
    .replace(/^\uFEFF/u, "")
    .trim()
    .split(/\r?\n/u);
  const content = lines.slice(0, PREVIEW_LINES).join("\n").trimEnd();
  return {
    content: content.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
    remainingLines: Math.max(0, lines.length - PREVIEW_LINES),
  };
}
