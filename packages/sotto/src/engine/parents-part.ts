// A sub-agent whose first request begins with its parent's history: which calls in it are the parent's, and which version of
// each file it shows. What the parent was told by a reminder that is not in the request, the sub-agent does not know.

import { finishedCalls } from "../facts/calls.ts";
import type { EventOf, StoredEvent } from "../facts/events.ts";
import { unsaidSteps } from "../facts/file-steps.ts";
import { type FilesFact, files, isForAgent, type TrackedFile } from "../facts/files.ts";
import { settleEdges } from "../facts/pending.ts";
import { cutOut } from "../history/said-texts.ts";
import type { Entry, OfferEntry } from "../log/entries.ts";
import { readWhole } from "../log/read-log.ts";
import { liveEntries } from "../log/refold.ts";
import { deliveryKey } from "../log/state.ts";
import type { SeenUse } from "../profiles/observe-calls.ts";
import { standingOfCalls } from "./earlier-calls.ts";
import type { Engine } from "./engine.ts";
import { type Request, reminderTexts, toRequest } from "./read-request.ts";
import { asSeenByNewAgent } from "./sibling-agents.ts";

type Inherited = EventOf<"files_inherited">["files"][number];

export interface ParentsPart {
  calls: SeenUse[];
  /** Those that the sub-agent is taken to know in another version than its request shows. */
  files: Inherited[];
}

/** `uses`: the calls in the request that are not known here. */
export async function parentsPart(
  engine: Engine,
  request: Request,
  uses: readonly SeenUse[],
): Promise<ParentsPart> {
  const { parent } = engine;
  const { turn, facts } = engine.journal.state;
  const isFirst = turn === 0 && (uses.length > 0 || facts.calls.count === 0);
  if (parent === undefined || !isFirst) return NOTHING;
  return parent.using(async () => {
    await parent.ready();
    const calls = uses.length === 0 ? [] : await callsOf(parent, request, uses);
    const said = deliveriesIn(request, parent);
    if (calls.length === 0 && said.size === 0) return NOTHING;
    if (parent.journal.state.seq > ENTRIES_MOST) return { calls, files: [] };
    const ids = new Set(calls.map(({ callId }) => callId));
    const { entries } = await readWhole(parent.store, parent.id);
    const shown = filesShown(liveEntries(entries), ids, said);
    return { calls, files: otherVersions(shown, facts.files) };
  });
}

const NOTHING: ParentsPart = { calls: [], files: [] };

// To read so many takes a quarter of a second. With more, a sub-agent is taken to know of files what its parent knows.
const ENTRIES_MOST = 20_000;

/** By their ids; or by their places, as a host that records what its tools do tells no ids. */
async function callsOf(parent: Engine, request: Request, uses: readonly SeenUse[]): Promise<SeenUse[]> {
  const known = finishedCalls(parent.journal.state.facts.calls);
  if (uses.every(({ callId }) => known.has(callId))) return [...uses];
  const asked = toRequest(parent, request);
  const standing = typeof asked === "object" ? await standingOfCalls(parent, asked, known) : undefined;
  const isThere = (use: SeenUse) => standing !== undefined && ["there", "renamed"].includes(standing(use));
  return uses.filter((use) => known.has(use.callId) || isThere(use));
}

/** The files as the parent knew them from these calls and reminders. */
function filesShown(
  entries: readonly Entry[],
  calls: ReadonlySet<string>,
  said: ReadonlySet<string>,
): FilesFact {
  const isSaid = (entry: Entry): entry is Entry & OfferEntry =>
    entry.kind === "delivery" && entry.state === "offered" && said.has(deliveryKey(entry));
  const covered = new Set(entries.filter(isSaid).flatMap(({ covers }) => covers));
  const next = nextCall(entries, calls);
  const shown = files.initial();
  for (const [index, entry] of entries.entries()) {
    if (isSaid(entry)) tell(shown, entry);
    if (entry.kind !== "event" || !files.on.includes(entry.event.type)) continue;
    const { seq, at } = entry;
    const event = shownOf(entry.event, { isLater: index > next.from, isBehindNext: index > next.to });
    if (event === undefined || (event.type === "file_attached" && !covered.has(`attached/${seq}`))) continue;
    files.apply(shown, event, { seq, at, turns: 0, supersede: () => undefined });
  }
  return shown;
}

function tell(shown: FilesFact, { covers, branch, turn }: OfferEntry): void {
  const edges = shown.pending.filter(({ id }) => covers.includes(id));
  settleEdges(shown, new Set(covers), { branch, turn });
  for (const edge of edges) files.settled?.(shown, edge);
}

/** The reminders of the parent that the request has. */
function deliveriesIn({ dialect, body }: Request, { journal, tags }: Engine): ReadonlySet<string> {
  const reminders = reminderTexts(journal.state, tags.wrapping);
  const found = new Set<string>();
  if (reminders.texts.size === 0) return found;
  for (const [index, message] of dialect.messages(body).entries())
    for (const { role, text } of dialect.read(message, index)) {
      if (role === "assistant" || text === undefined) continue;
      for (const said of cutOut(text, reminders).said) {
        const key = reminders.texts.get(said)?.deliveries.find((one) => !found.has(one));
        if (key !== undefined) found.add(key);
      }
    }
  return found;
}

/** Between which entries the parent made its first call that the request does not have; at the end if it has all of them. */
function nextCall(entries: readonly Entry[], calls: ReadonlySet<string>): { from: number; to: number } {
  const last = entries.findLastIndex((entry) => callsIn(entry).some((id) => calls.has(id)));
  const next = entries.findIndex((entry, at) => at > last && callsIn(entry).length > 0);
  const end = entries.length;
  // Without an id in common: of those that the host recorded itself, or that have other ids now, it has all.
  const isAll = last < 0 ? calls.size > 0 : next < 0;
  return isAll ? { from: end, to: end } : { from: last, to: next < 0 ? end : next };
}

function callsIn(entry: Entry): readonly string[] {
  if (entry.kind !== "event") return [];
  const { event } = entry;
  return event.type === "tool_finished" ? [event.callId] : event.type === "calls_known" ? event.ids : [];
}

interface Place {
  /** Behind the last call that the request has. */
  isLater: boolean;
  /** Behind one that it does not have. */
  isBehindNext: boolean;
}

/** The event as the request shows it; undefined if it does not. */
function shownOf(event: StoredEvent, { isLater, isBehindNext }: Place): StoredEvent | undefined {
  switch (event.type) {
    case "file_read":
      return isLater ? undefined : event;
    case "file_written":
    case "file_removed":
      return isLater && !isForAgent(event.cause) ? undefined : event;
    case "file_changed": {
      // The command is not there that says so.
      const { expected, ...found } = event;
      return expected && isBehindNext ? found : event;
    }
    default:
      return event;
  }
}

function otherVersions(shown: FilesFact, known: FilesFact): Inherited[] {
  return Object.entries(shown.tracked).flatMap(([realPath, { path, seen: version }]) => {
    const now = known.tracked[realPath];
    if (version === undefined || isSame(version, now?.seen)) return [];
    const steps = unsaidSteps(shown, realPath).map(asSeenByNewAgent);
    const led = steps.findLastIndex((step) => step.version?.hash === now?.seen?.hash);
    const all = [...(led < 0 ? steps : steps.slice(0, led + 1)), ...unsaidSteps(known, realPath)];
    return [{ path, version, ...(all.length === 0 ? {} : { steps: all }) }];
  });
}

function isSame(version: TrackedFile["seen"], other: TrackedFile["seen"]): boolean {
  return version?.hash === other?.hash && version?.shownLines === other?.shownLines;
}
