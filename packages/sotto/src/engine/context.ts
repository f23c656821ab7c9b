// What a session's turns share: its log, its catalogue, its settings, and who rests.

import type { Attachment } from "../attachments/attachment.ts";
import type { Settings } from "../config/schema.ts";
import type { Agent, ToolNames } from "../facts/agent.ts";
import type { StoredEvent } from "../facts/events.ts";
import type { History } from "../history/history.ts";
import type { Store } from "../log/entries.ts";
import type { Journal } from "../log/journal.ts";
import type { Delivery } from "../log/state.ts";
import type { Platform } from "../platform/platform.ts";
import type { AgentTools } from "../profiles/agent-tools.ts";
import type { SeenCalls } from "../profiles/observe-calls.ts";
import type { Tags } from "../render/tags.ts";
import type { TypeTemplate } from "../render/template/apply-template.ts";
import type { TurnInfo } from "../sources/source.ts";
import type { Bad } from "./evaluate.ts";
import type { Observer } from "./observe.ts";

export interface SessionContext {
  id: string;
  cwd: string;
  /** The user's home directory; empty where nobody says. */
  home: string;
  agent: Agent;
  platform: Platform;
  store: Store;
  /** Keeps a text in a file that the agent can read, and gives its path. */
  keepWords?: ((text: string) => Promise<string>) | undefined;
  /** A text without secrets, before it is kept; as it is unless given. */
  redact?: ((text: string) => Promise<string>) | undefined;
  journal: Journal;
  catalogue: readonly Attachment[];
  settings: Settings;
  /** The words for the agent's tools in the turn that is being decided. */
  vocabulary: ToolNames;
  tools: AgentTools;
  tags: Tags;
  /** The user's own texts, by type. */
  templates: ReadonlyMap<string, TypeTemplate>;
  observer: Observer;
  /** Names of the MCP servers that sources know. */
  servers(): readonly string[];
  rests: Cooldowns;
  /** Edges that make a type fail, by type: they are tried again when the session is opened next. */
  aside: Map<string, ReadonlyMap<string, Bad>>;
  owner: string;
  /** Offers that hosts have in their hands, by key: how many turns had been asked for when they got them. */
  handed: Map<string, number>;
  /** Which tool calls of histories were looked at. */
  calls: SeenCalls;
  /** Types that are off because the agent does the same: in words. */
  doneByAgent: ReadonlyMap<string, string>;
  /** The history of the last turn with a body: what the next one shares with it is not read again. */
  history?: History;
}

/** Attachments that failed three times in a row rest for ten turns. */
export interface Cooldowns {
  restsUntil(type: string, turn: number): number | undefined;
  note(type: string, turn: number, failed: boolean): void;
}

const FAILURES_BEFORE_REST = 3;
const REST_TURNS = 10;

export function createCooldowns(): Cooldowns {
  const failures = new Map<string, number>();
  const until = new Map<string, number>();
  return {
    restsUntil(type, turn) {
      const end = until.get(type);
      return end !== undefined && turn < end ? end : undefined;
    },
    note(type, turn, failed) {
      const count = failed ? (failures.get(type) ?? 0) + 1 : 0;
      failures.set(type, count % FAILURES_BEFORE_REST);
      if (count >= FAILURES_BEFORE_REST) until.set(type, turn + 1 + REST_TURNS);
    },
  };
}

// Settings belong to one session, and are replaced, never changed.
const wantedBySettings = new WeakMap<Settings, Set<string>>();

/** Facts that types which are on, and meant for this agent, ask for: nobody looks for any other. */
export function wantedFacts({
  catalogue,
  settings,
  agent,
}: Pick<SessionContext, "catalogue" | "settings" | "agent">): ReadonlySet<string> {
  const known = wantedBySettings.get(settings);
  if (known !== undefined) return known;
  const speaking = catalogue.filter(
    ({ type, tier }) => settings.types.get(type)?.enabled && (tier !== "main_agent" || agent.kind === "main"),
  );
  const wanted = new Set<string>(speaking.flatMap(({ needs }) => needs));
  wantedBySettings.set(settings, wanted);
  return wanted;
}

/** An offer nobody has confirmed or given up yet. One that was handed over outlives its owner. */
export function isUnderWay(context: SessionContext, { owner, expiresAt, handed }: Delivery): boolean {
  const { platform } = context;
  const isHeld = handed || owner === context.owner || platform.isOwnerAlive(owner);
  return platform.now() < expiresAt && isHeld;
}

// What sources are told about the turn that asks them.

export interface TurnInfoOptions {
  userPrompt?: string | undefined;
  isTyped?: boolean;
  append(events: readonly StoredEvent[]): Promise<void>;
}

export function turnInfo(
  { journal, cwd, id, settings, store, platform, servers }: SessionContext,
  { userPrompt, isTyped = false, append }: TurnInfoOptions,
): Omit<TurnInfo, "observed"> {
  return {
    cwd,
    session: id,
    get facts() {
      return journal.state.facts;
    },
    settings,
    servers: servers(),
    work: platform.work,
    // What was given up stands there all the same when its history comes back.
    isOffered: (edge) =>
      Object.values(journal.state.deliveries).some(
        ({ state, anchor, covers }) =>
          (state !== "abandoned" || anchor !== undefined) && covers.includes(edge),
      ),
    record: append,
    putBlob: (content) => store.putBlob(content),
    getBlob: (hash) => store.getBlob(hash),
    isTyped,
    ...(userPrompt === undefined ? {} : { userPrompt }),
  };
}
