// What the user's prompt mentions: looked up, read and recorded, so that it comes with the prompt.

import { nameHash, namePlace } from "../../facts/attached.ts";
import type { EventOf, SourceEvent } from "../../facts/events.ts";
import type { Unresolved } from "../../facts/facts.ts";
import { createSerial, type Serial } from "../../platform/serial.ts";
import { isOver } from "../../platform/time-limit.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { Reader } from "../files/reader.ts";
import { hashOf } from "../files/version.ts";
import type { Source, TurnInfo } from "../source.ts";
import { notTaken } from "../trust/outside-project.ts";
import { attachFile, type TokenBudget } from "./attach.ts";
import { limitsIn } from "./content.ts";
import { loadDirectory, loadFile } from "./load.ts";
import { type Mention, parseMentions } from "./parse-mentions.ts";
import {
  type MentionedFile,
  type MentionedPlace,
  type ResolvedMentions,
  type ResolveOptions,
  resolveMentions,
} from "./resolve.ts";

// Of the turn's time: others build on what is found, and what is there by then has to be written down.
const PATIENCE = 0.4;
// How long whoever closes a session waits for what is still being read.
const LATEST_MS = 10_000;

/** What a host says there is besides files: what names one of these is no path. */
export interface KnownNames {
  agents?: readonly string[] | undefined;
  servers?(): readonly string[];
}

export function createMentionsSource(
  desk: FileAccess,
  { agents = [], servers = () => [], closeMs = LATEST_MS }: KnownNames & { closeMs?: number } = {},
): Source<"mentioned"> {
  const serial = createSerial();
  const late = new Set<Promise<void>>();
  const patience = new AbortController();
  return {
    fact: "mentioned",
    forPrompt: true,
    async observe(turn) {
      // What belongs to an MCP server or an agent is for sources of its own.
      const known = { servers: [...servers(), ...turn.servers], agents };
      const mentions = parseMentions(turn.userPrompt ?? "", known).filter(({ kind }) => kind === "path");
      if (mentions.length === 0) return { found: 0, unresolved: [] };
      const gathering = gather(mentions, { desk, turn, serial, patience: patience.signal });
      // From the start: on a busy machine the turn may be over before this one is late.
      const rest = gathering.end.catch(() => undefined);
      late.add(rest);
      void rest.then(() => late.delete(rest));
      if (await isOver(gathering.end, turn.settings.timeout_ms * PATIENCE)) return gathering.report();
      // The prompt comes only once: what is slow is not given up, it comes with the next turn.
      gathering.goOn();
      await gathering.record();
      return gathering.report();
    },
    async close() {
      if (late.size === 0) return;
      const timer = setTimeout(() => patience.abort(), closeMs);
      await Promise.all(late);
      clearTimeout(timer);
    },
  };
}

// Gathers what a prompt mentions: found, read side by side, recorded in the order in which it was mentioned.

export interface Gathering {
  /** All of it was read and recorded. */
  end: Promise<void>;
  /** Records what was read by now. */
  record(): Promise<void>;
  /** From now on each is recorded as soon as it was read. */
  goOn(): void;
  report(): { found: number; unresolved: Unresolved[] };
}

export interface GatherOptions {
  desk: FileAccess;
  turn: TurnInfo;
  /** One prompt is recorded behind the other: the same file may be in both. */
  serial: Serial;
  /** Aborted when nobody will take another turn: what is not ready by then is named. */
  patience: AbortSignal;
}

/** Something mentioned that is there. */
interface Place {
  path: string;
  load(looking: Looking): Promise<Attach>;
  /** Once it was read. */
  attach?: Attach;
  /** Once there was room for it. */
  attached?: SourceEvent | Unresolved;
}

/** What is recorded of it, or why nothing is. */
type Attach = (attaching: { turn: TurnInfo; room: TokenBudget }) => Promise<SourceEvent | Unresolved>;

interface Looking {
  reader: Reader;
  turn: TurnInfo;
  signal: AbortSignal;
  patience: AbortSignal;
}

// What one prompt can bring, so that a pasted log does not empty a disk into a request.
const MOST = 50;
// So that a slow one does not hold up the others; what a worker has to look at waits for the rest.
const LANES = 4;
const SLOW_KINDS = /\.(?:png|jpe?g|gif|webp|pdf|ipynb)$/iu;
const SLOW = "could not be read in time: it comes with a later turn";

export function gather(mentions: readonly Mention[], options: GatherOptions): Gathering {
  const { desk, turn, serial, patience } = options;
  const all = turn.settings.max_prompt_tokens;
  const room: TokenBudget = { left: all, all, isEmpty: true, shown: new Set() };
  const unresolved: Unresolved[] = [];
  const signal = AbortSignal.timeout(LATEST_MS);
  let open: Place[] | undefined;
  let found = 0;
  let isLate = false;

  const record = () =>
    serial(async () => {
      const ready = open?.filter(({ attach }) => attach !== undefined) ?? [];
      const events: SourceEvent[] = [];
      const refused: Unresolved[] = [];
      for (const place of ready) {
        place.attached ??= await (place.attach as Attach)({ turn, room });
        if ("type" in place.attached) events.push(place.attached);
        else refused.push(place.attached);
      }
      await turn.record(events);
      open = open?.filter((place) => !ready.includes(place));
      unresolved.push(...refused);
      found += events.length;
    });
  const run = async () => {
    const reader = await desk.reader();
    const anywhere = (path: string) => reader.stat(path, { signal });
    const stat = turn.isTyped ? anywhere : isMentionAllowed(desk, anywhere);
    const resolved = await resolveMentions(mentions, { cwd: desk.cwd, home: desk.home, stat });
    unresolved.push(...resolved.unresolved, ...leftOut(resolved));
    open = [
      ...resolved.files.slice(0, MOST).map(filePlace),
      ...resolved.directories.slice(0, MOST).map(directoryPlace),
    ];
    const isSlow = ({ path }: Place) => SLOW_KINDS.test(path);
    const queue = [...open.filter((place) => !isSlow(place)), ...open.filter(isSlow)];
    const lane = async () => {
      for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
        place.attach = await place.load({ reader, turn, signal, patience });
        if (isLate) await record();
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await record();
  };
  const end = run();
  // Whoever waits for it hears of it.
  end.catch(() => undefined);

  return {
    end,
    record,
    goOn() {
      isLate = true;
    },
    report() {
      const slow = open?.map(({ path }) => path) ?? mentions.map(({ text }) => text);
      return { found, unresolved: [...unresolved, ...slow.map((text) => ({ text, reason: SLOW }))] };
    },
  };
}

function filePlace(file: MentionedFile): Place {
  const { path } = file;
  return {
    path,
    async load({ reader, turn, signal, patience }) {
      const from = Date.now();
      const loaded = await loadFile(file, {
        reader,
        work: turn.work,
        signal,
        patience,
        limits: limitsIn(turn.settings),
      });
      return async (attaching) => {
        if (loaded.kind !== "refused")
          return unlessNamed(await attachFile(file, loaded, { ...attaching, reason: "mention", from }), turn);
        const reason = loaded.why;
        if (!signal.aborted) return { text: path, reason };
        // It may well be there: the agent hears of it, and can try.
        const content = { type: "reference" as const, why: reason, slow: true as const };
        return unlessNamed(
          { type: "file_attached", path, for: "mention", content, hash: hashOf(reason) },
          turn,
        );
      };
    },
  };
}

/** A file that is only named, in the same words as before, which are still in view: nothing new. */
function unlessNamed(event: EventOf<"file_attached">, { facts }: TurnInfo): SourceEvent | Unresolved {
  const { path, content } = event;
  if (content.type !== "reference" || facts.attached.said[namePlace(path)] !== nameHash(content))
    return event;
  const reason = `it was named before, which is still in view (${content.why})`;
  const named = { ...(content.tooLarge ? { tooLarge: true } : {}), ...(content.slow ? { slow: true } : {}) };
  return { text: path, reason, of: "compact_file_reference", named };
}

function directoryPlace(path: string): Place {
  return {
    path,
    async load({ reader, signal }) {
      const listed = await loadDirectory(path, { reader, signal });
      return async ({ turn }) => {
        const missing = { text: path, of: "directory" as const };
        if (listed.kind === "refused") return { ...missing, reason: listed.why };
        const { content } = listed;
        const hash = hashOf(content);
        if (turn.facts.attached.said[path] === hash)
          return { ...missing, reason: "the same listing is in view" };
        return { type: "file_attached", path, for: "mention", content: { type: "directory", content }, hash };
      };
    },
  };
}

function leftOut({ files, directories }: ResolvedMentions): Unresolved[] {
  return [...files.slice(MOST).map(({ path }) => path), ...directories.slice(MOST)].map((text) => ({
    text,
    reason: `more than ${MOST} are mentioned: this one is left out`,
  }));
}

// Which places a prompt that stood in a request may ask for: whoever wrote it need not be the user of this machine.

/** Outside the project nothing is looked at, not even whether it is there, unless the host has opted in to it. */
export function isMentionAllowed(
  { takes, project }: FileAccess,
  stat: ResolveOptions["stat"],
): ResolveOptions["stat"] {
  if (takes("mentioned_files")) return stat;
  return async (path): Promise<MentionedPlace> =>
    (await project()).owns(path) ? stat(path) : { kind: "denied", rule: notTaken("mentioned_files") };
}
