// What the user's prompt mentions: found, read and recorded, so that it is sent with the prompt.

import { isShown, nameHash, namePlace } from "../../facts/attached.ts";
import type { EventOf, SourceEvent } from "../../facts/events.ts";
import type { Mentioned, Unresolved } from "../../facts/facts.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { Serial } from "../../platform/serial.ts";
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

// A share of the turn's time: other sources build on the results, and they have to be recorded.
const PATIENCE = 0.4;
// How long a read may take, and how long closing a session waits for reads in progress.
const LATEST_MS = 10_000;

/** Names that a host knows besides files: they are not paths. */
export interface KnownNames {
  agents?: readonly string[] | undefined;
  servers?(): readonly string[];
}

export interface Limits {
  closeMs?: number;
  readMs?: number;
}

export function createMentionsSource(
  fileAccess: FileAccess,
  { agents = [], servers = () => [], closeMs = LATEST_MS, readMs = LATEST_MS }: KnownNames & Limits = {},
): Source<"mentioned"> {
  const serial = new Serial();
  const late = new Set<Promise<void>>();
  const patience = new AbortController();
  return {
    fact: "mentioned",
    forPrompt: true,
    observe(turn) {
      // MCP servers and agents have their own sources.
      const known = { servers: [...namesNow(servers), ...turn.servers], agents };
      const mentions = parseMentions(turn.userPrompt ?? "", known).filter(({ kind }) => kind === "path");
      return mentions.length === 0 ? { found: 0, unresolved: [] } : collect(mentions, turn);
    },
    async close() {
      if (late.size === 0) return;
      const timer = setTimeout(() => patience.abort(), closeMs);
      await Promise.all(late);
      clearTimeout(timer);
    },
  };

  async function collect(mentions: readonly Mention[], turn: TurnInfo): Promise<Mentioned> {
    const collecting = collectMentions(mentions, {
      ...{ fileAccess, turn, serial },
      patience: patience.signal,
      readMs,
    });
    // Added at once: on a busy machine the turn may be over before this one counts as late.
    const rest = collecting.end.catch(() => undefined);
    late.add(rest);
    void rest.then(() => late.delete(rest));
    if (await endsWithin(collecting.end, turn.settings.timeout_ms * PATIENCE)) return collecting.report();
    // The prompt comes only once, so slow files are not dropped but sent with the next turn.
    collecting.goOn();
    await collecting.record();
    return collecting.report();
  }
}

/** A host that cannot say which servers it has has none: files do not wait for them. */
function namesNow(servers: () => readonly string[]): readonly string[] {
  try {
    return [...servers()];
  } catch {
    return [];
  }
}

// Collects what a prompt mentions: read in parallel, recorded in the order of the mentions.

export interface Collecting {
  /** Everything was read and recorded. */
  end: Promise<void>;
  /** Records what was read so far. */
  record(): Promise<void>;
  /** From now on each one is recorded as soon as it was read. */
  goOn(): void;
  report(): { found: number; unresolved: Unresolved[] };
}

export interface CollectOptions {
  fileAccess: FileAccess;
  turn: TurnInfo;
  /** Prompts are recorded one after the other, as both may mention the same file. */
  serial: Serial;
  /** Aborted when there will be no further turn: what is not ready by then is only named. */
  patience: AbortSignal;
  readMs: number;
}

/** Something mentioned that exists. */
interface Place {
  path: string;
  load(looking: Looking): Promise<Attach>;
  /** Set once it was read. */
  attach?: Attach;
  /** Set once there was room for it. */
  attached?: SourceEvent | Unresolved;
}

/** The event for it, or why there is none. */
type Attach = (attaching: { turn: TurnInfo; room: TokenBudget }) => Promise<SourceEvent | Unresolved>;

interface Looking {
  reader: Reader;
  turn: TurnInfo;
  signal: AbortSignal;
  patience: AbortSignal;
}

// The limit for one prompt, so that a pasted log does not fill a request.
const MOST = 50;
// A slow one does not block the others; what needs a worker waits for the rest.
const AT_ONCE = 4;
const SLOW_KINDS = /\.(?:png|jpe?g|gif|webp|pdf|ipynb)$/iu;
const SLOW = "could not be read in time: it comes with a later turn";

export function collectMentions(mentions: readonly Mention[], options: CollectOptions): Collecting {
  const { fileAccess, turn, serial, patience, readMs } = options;
  const all = turn.settings.max_prompt_tokens;
  const room: TokenBudget = { left: all, all, isEmpty: true, shown: new Set() };
  const unresolved: Unresolved[] = [];
  const signal = AbortSignal.timeout(readMs);
  let open: Place[] | undefined;
  let found = 0;
  let isLate = false;

  const record = () =>
    serial.run(async () => {
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
    const reader = await fileAccess.reader();
    const anywhere = (path: string) => reader.stat(path, { signal });
    const stat = turn.isTyped ? anywhere : isMentionAllowed(fileAccess, anywhere);
    const resolved = await resolveMentions(mentions, { cwd: fileAccess.cwd, home: fileAccess.home, stat });
    for (const one of [...resolved.unresolved, ...leftOut(resolved)]) unresolved.push(one);
    open = [
      ...resolved.files.slice(0, MOST).map(filePlace),
      ...resolved.directories.slice(0, MOST).map(directoryPlace),
    ];
    const isSlow = ({ path }: Place) => SLOW_KINDS.test(path);
    const queue = [...open.filter((place) => !isSlow(place)), ...open.filter(isSlow)];
    const worker = async () => {
      for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
        place.attach = await place.load({ reader, turn, signal, patience });
        if (isLate) await record();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await record();
  };
  const end = run();
  // The caller handles it.
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
        // It may well exist: the agent gets its name, and can try.
        const content = { type: "reference" as const, why: reason, slow: true as const };
        return unlessNamed(
          { type: "file_attached", path, for: "mention", content, hash: hashOf(reason) },
          turn,
        );
      };
    },
  };
}

/** A file that is only named, in the same words that are still in view: nothing new. */
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
        if (isShown(turn.facts.attached, turn.sentKeys("directory"), { thing: path, version: hash }))
          return { ...missing, reason: "the same listing is in view" };
        return { type: "file_attached", path, for: "mention", content: { type: "directory", content }, hash };
      };
    },
  };
}

function leftOut({ files, directories }: ResolvedMentions): Unresolved[] {
  return [...files.slice(MOST).map(({ path }) => path), ...directories.slice(MOST)].map((text) => ({
    text,
    reason: `more than ${MOST} are mentioned: this one is skipped`,
  }));
}

// Which places a prompt found in a request may mention: its author need not be the user of this machine.

/** Outside the project nothing is checked, not even for existence, unless the host has opted in. */
export function isMentionAllowed(
  fileAccess: FileAccess,
  stat: ResolveOptions["stat"],
): ResolveOptions["stat"] {
  if (fileAccess.takes("mentioned_files")) return stat;
  return async (path): Promise<MentionedPlace> =>
    (await fileAccess.project()).owns(path)
      ? stat(path)
      : { kind: "denied", rule: notTaken("mentioned_files") };
}

// Which known agents the user's prompt mentions; recorded, so that it is sent until it is delivered.

// Names with an extension or a directory are paths.
const AGENT = /^@agent-[^./\\]+$/u;

export function createMentionedAgentsSource({
  agents,
}: {
  agents: readonly string[];
}): Source<"mentionedAgents"> {
  return {
    fact: "mentionedAgents",
    forPrompt: true,
    observe(turn) {
      const mentions = parseMentions(turn.userPrompt ?? "", { servers: [], agents });
      const found = mentions.flatMap((mention) =>
        mention.kind === "agent" ? [{ type: "agent_mentioned" as const, agentType: mention.agentType }] : [],
      );
      const unknown = mentions.flatMap(({ kind, text }) =>
        kind === "path" && AGENT.test(text) ? [text] : [],
      );
      const value = { found: found.length, unknown };
      return found.length === 0 ? value : turn.record(found).then(() => value);
    },
  };
}
