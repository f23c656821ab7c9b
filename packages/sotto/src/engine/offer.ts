// Offering: writes the turn and its reminders, with text and anchor, and claims their edges in one atomic batch, before
// any bytes leave. Settling: confirms or abandons them.

import { anchorAt, assistantsBehind } from "../history/history.ts";
import { placeFor } from "../history/insertion.ts";
import { saidBefore } from "../history/said-before.ts";
import { branchAt, listed } from "../log/branches.ts";
import type { Batch, NewEntry, OfferEntry, SettleEntry, TurnEntry } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import { type Outcome, type Spared, sharedOutcome, type TraceEntry, type TypeOutcome } from "../log/trace.ts";
import { errorText, problemText } from "../platform/errors.ts";
import { type Composition, composedOf } from "./compose.ts";
import { type Draft, mayBeNative } from "./draft.ts";
import { claimTime, type Engine } from "./engine.ts";
import { isUnderWay, type RequestView } from "./read-request.ts";

/** What a turn sends, as it is stored. */
export interface Offers {
  /** Offered by an earlier turn, and not confirmed. */
  again: OfferEntry[];
  /** New, one for each draft. */
  fresh: OfferEntry[];
  trace(): TraceEntry[];
}

/** `taken`: edges that other processes hold; nothing is offered then, and the turn has to be composed again. */
export type OfferResult = Offers | { taken: string[] } | { problem: string };

export async function offer(
  engine: Engine,
  requestView: RequestView,
  composition: Composition,
  taken: ReadonlySet<string>,
): Promise<OfferResult> {
  const { journal } = engine;
  const { seq } = journal.state;
  const { batch, ...offers } = toBatch(engine, requestView, composition, taken);
  const appended = await journal.append(batch).catch(errorText);
  if (typeof appended === "string") return { problem: appended };
  if (!appended.ok) return { taken: appended.taken.map((key) => key.slice(0, key.lastIndexOf("@"))) };
  if (appended.first === seq + 1) return offers;
  const isLate = (entry: OfferEntry) => isOvertaken(engine, entry, { after: seq, before: appended.first });
  const late = [
    ...offers.again.filter((entry) => isAnothers(engine, entry)),
    ...offers.fresh.filter((entry) => isAnothers(engine, entry) || isLate(entry)),
  ];
  if (late.length === 0) return offers;
  await giveUp(engine, late);
  return { taken: [] };
}

function toBatch(
  engine: Engine,
  requestView: RequestView,
  composed: Composition,
  taken: ReadonlySet<string>,
): Offers & { batch: Batch } {
  const { view } = requestView;
  const { platform, owner } = engine;
  const at = new Date(platform.now()).toISOString();
  const repeated = view.again.filter((one) => placeIn(requestView, one) !== undefined || isFree(one, taken));
  const again = repeated.map((delivery) => toOfferAgain(engine, delivery, { requestView, at }));
  const fresh = composed.drafts.map((draft) => toOffer(engine, draft, { requestView, at }));
  const { outcomes, trace } = withRepeats(composed, again);
  const rewritten = again.filter(
    (entry, index) => needsRewriting(engine, repeated[index] as Delivery) && isFree(entry, taken),
  );
  const entries: NewEntry[] = [
    ...view.passed.map((delivery) => toSettle(delivery, "confirmed", at)),
    toTurnEntry(engine, requestView, outcomes, at),
    ...rewritten,
    ...fresh,
  ];
  const next = nextTurnKeys(engine, requestView);
  const keys = [...claimKeys([...rewritten, ...fresh]), ...next];
  const now = claimTime(engine);
  const claim = { keys, owner, expiresAt: now + engine.settings.claim_ttl_ms, now };
  const settle = [...claimKeys(view.passed), ...next];
  const batch = { entries, settle, ...(keys.length > 0 ? { claim } : {}) };
  return { again, fresh, trace, batch };
}

/**
 * Two processes may take the next turn in the same moment. Where the provider keeps the history no request shows that, so
 * the second one has to look at the first one's turn.
 */
function nextTurnKeys({ journal }: Engine, { choice, read }: RequestView): string[] {
  const isKept = read?.history.kept !== undefined && choice.retryOf === undefined;
  const { turnSeq, rewoundAt } = journal.state;
  return isKept ? [`next turn@${Math.max(turnSeq, rewoundAt)}`] : [];
}

/** How many blocks stand before a delivery in the request. */
function placeIn({ view }: RequestView, delivery: Delivery): number | undefined {
  const { at, shownAt } = view.inView.get(delivery) ?? {};
  return at ?? shownAt;
}

function isFree({ covers }: { covers: readonly string[] }, taken: ReadonlySet<string>): boolean {
  return !covers.some((id) => taken.has(id));
}

/** It was abandoned, or its owner is gone: whoever sends it again has to claim it. */
function needsRewriting(engine: Engine, delivery: Delivery): boolean {
  return delivery.state === "abandoned" || !isUnderWay(engine, delivery);
}

/** A type that only repeats what was not confirmed was sent, whatever its trigger says about now. */
function withRepeats(composed: Composition, again: readonly OfferEntry[]): Composition {
  if (again.length === 0) return composed;
  const trace = composed.trace().map((entry): TraceEntry => {
    const repeats = again.filter(({ type, blocks }) => type === entry.type && blocks.length > 0);
    if (repeats.length === 0 || entry.outcome === "sent" || entry.outcome === "cut") return entry;
    const tokens = repeats.reduce((sum, { tokens: one }) => sum + one, 0);
    const reason = `${repeats.length} offered again: not confirmed before`;
    return { ...entry, outcome: "sent", reason, tokens };
  });
  return composedOf(composed.drafts, trace);
}

// A damaged log may have hundreds.
const PROBLEMS_KEPT = 20;

function toTurnEntry(
  engine: Engine,
  { choice, turn, assistantTurns, read }: RequestView,
  outcomes: readonly TypeOutcome[],
  at: string,
): TurnEntry {
  const { state } = engine.journal;
  const problems = engine.problems();
  const isNew = state.branches[choice.id] === undefined;
  return stamp(at, {
    kind: "turn" as const,
    turn,
    branch: choice.id,
    ...(isNew && choice.parent !== undefined ? { parent: choice.parent } : {}),
    ...(isNew && choice.fresh ? { fresh: true } : {}),
    ...(read === undefined
      ? {}
      : {
          head: {
            anchor: anchorAt(read.history, read.history.end),
            assistants: assistantsBehind(read.history, 0),
            since: branchAt(state, choice).heads.at(-1)?.seq ?? 0,
            ...(read.hunks.length === 0 ? {} : { hunks: [...read.hunks] }),
            ...(read.history.kept === undefined ? {} : { kept: read.history.kept }),
            dialect: read.dialect.name,
          },
        }),
    assistantTurns,
    outcomes: changedOutcomes(outcomes, state.outcomes),
    ...sparedIn(outcomes),
    ...(problems.length === 0 ? {} : { problems: problems.slice(0, PROBLEMS_KEPT).map(problemText) }),
  });
}

function changedOutcomes(
  now: readonly TypeOutcome[],
  before: Record<string, Outcome>,
): Record<string, Outcome> {
  const changed: Record<string, Outcome> = {};
  for (const { type, outcome, reason } of now) {
    const known = before[type];
    if (known?.outcome !== outcome || known.reason !== reason)
      changed[type] = sharedOutcome({ outcome, reason });
  }
  return changed;
}

function sparedIn(outcomes: readonly TypeOutcome[]): Pick<TurnEntry, "spared"> {
  const spared = outcomes.filter((entry) => entry.spared !== undefined);
  if (spared.length === 0) return {};
  return { spared: Object.fromEntries(spared.map((entry) => [entry.type, entry.spared as Spared])) };
}

// A trigger may look at the data it sent before, if that is small.
const DATA_KEPT = 4000;

/** As the log gives it back: the session that stays awake has the same. */
function dataOf(data: unknown): { data?: unknown } {
  const text = JSON.stringify(data);
  return text === undefined || text.length > DATA_KEPT ? {} : { data: JSON.parse(text) };
}

interface OfferContext {
  requestView: RequestView;
  at: string;
}

function toOffer(engine: Engine, draft: Draft, { requestView, at }: OfferContext): OfferEntry {
  const { choice, turn, assistantTurns } = requestView;
  const { platform, settings } = engine;
  const { attachment, due, hash } = draft;
  const covers = [...(due.covers ?? [])].sort();
  const place = newPlace(engine, draft, requestView);
  const id = deliveryId(engine, draft, covers, requestView);
  const before = engine.journal.state.deliveries[deliveryKey({ id, branch: choice.id })];
  return stamp(at, {
    kind: "delivery" as const,
    state: "offered" as const,
    id,
    branch: choice.id,
    turn,
    type: attachment.type,
    ...(due.key === undefined ? {} : { key: due.key }),
    ...(due.counted ? { counted: true } : {}),
    ...(attachment.throttle?.backsOff ? { backsOff: true as const } : {}),
    ...(attachment.conversation ? { words: true as const } : {}),
    hash,
    covers,
    ...(draft.divides === undefined ? {} : { divides: draft.divides }),
    blocks: draft.blocks,
    textHashes: draft.blocks.flatMap((block) => (block.type === "text" ? [platform.hash(block.text)] : [])),
    tokens: draft.tokens,
    ...dataOf(due.data),
    ...(place === undefined ? {} : { anchor: place.anchor }),
    offeredAt: before?.offeredAt ?? at,
    ...quotedBefore(draft, requestView, place?.at),
    assistantTurns,
    assistantsBehind: place?.assistantsBehind ?? 0,
    ...(settings.role === "native" && mayBeNative(draft) ? { native: true as const } : {}),
    owner: engine.owner,
    expiresAt: claimTime(engine) + settings.claim_ttl_ms,
    ...(before?.unseen === undefined ? {} : { unseen: before.unseen }),
    ...claimedOn(engine, covers, requestView),
  });
}

/** Where a new reminder goes, and how many assistant messages stand behind that. */
function newPlace({ settings }: Engine, { due }: Draft, { read }: RequestView) {
  if (read === undefined) return undefined;
  const { at, anchor } = placeFor(due.atStart ? "start" : settings.placement, read, settings.context_forms);
  return { at, anchor, assistantsBehind: assistantsBehind(read.history, at) };
}

/** Blocks that say the same already. Not only quotes count: what a client keeps of an earlier one comes before it, too. */
function quotedBefore(
  { blocks }: Draft,
  { read }: RequestView,
  at: number | undefined,
): Pick<OfferEntry, "quoted" | "quotedHere"> {
  if (read === undefined || at === undefined) return {};
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const { quoted, quotedHere } = saidBefore(read.history, read.reminders).countAt(texts, at);
  return { ...(quoted > 0 && { quoted }), ...(quotedHere > 0 && { quotedHere }) };
}

/** The same edges have the same id, however often they are offered. */
function deliveryId(
  { platform, id, journal }: Engine,
  { attachment: { type }, due, hash }: Draft,
  covers: readonly string[],
  { turn, choice, view: { inView } }: RequestView,
): string {
  const idOf = (about: string) => platform.hash(`${id}\n${type}\n${about}`).slice(0, 22);
  if (covers.length > 0) return idOf(covers.join("\n"));
  const about = `${turn}\n${choice.id}\n${due.key ?? ""}\n${hash}`;
  const first = idOf(about);
  const before = journal.state.deliveries[deliveryKey({ id: first, branch: choice.id })];
  if (before === undefined || !inView.has(before)) return first;
  // It changed and changed back while this request was tried: the earlier one stays, and this one comes behind the other.
  const last = [...inView.keys()].filter((one) => one.type === type).map(({ seq }) => seq);
  return idOf(`${about}\n${Math.max(...last)}`);
}

/**
 * A claim that was settled on a branch stays settled. An edge that lost its place there is claimed for this turn; one
 * that was sent by a damaged entry, for that entry; one that a rewind has undone, since that rewind.
 */
function claimedOn(
  { journal }: Engine,
  covers: readonly string[],
  { choice, turn, view }: RequestView,
): { claimedOn?: string } {
  if (covers.some((id) => view.lost[id] !== undefined)) return { claimedOn: `${choice.id}~${turn}` };
  const seq = covers.reduce((latest, edge) => Math.max(latest, journal.voided.get(edge) ?? 0), 0);
  if (seq > 0) return { claimedOn: `${choice.id}!${seq}` };
  const { rewoundAt } = journal.state;
  return rewoundAt > 0 ? { claimedOn: `${choice.id}^${rewoundAt}` } : {};
}

/** An unconfirmed offer that this turn takes over, in its old place and with its first turn's number. */
function toOfferAgain(engine: Engine, delivery: Delivery, { requestView, at }: OfferContext): OfferEntry {
  const { seq: _seq, hidden: _hidden, handed: _handed, resent, claimedOn: before, ...rest } = delivery;
  const { choice, read } = requestView;
  const place = placeIn(requestView, delivery);
  const claims = resent ? before : choice.id === delivery.branch ? undefined : choice.id;
  return stamp(at, {
    ...rest,
    kind: "delivery" as const,
    state: "offered" as const,
    assistantsBehind: read === undefined || place === undefined ? 0 : assistantsBehind(read.history, place),
    owner: engine.owner,
    expiresAt: claimTime(engine) + engine.settings.claim_ttl_ms,
    ...(claims === undefined ? {} : { claimedOn: claims }),
    ...(resent ? {} : claimedOn(engine, delivery.covers, requestView)),
  });
}

/**
 * Between this turn's look at the log and its offer, another process has offered the same, and abandoned it or died: it
 * may stand in a history by now, so that offer's text and id count.
 */
function isOvertaken(
  { journal }: Engine,
  { covers, branch }: OfferEntry,
  { after, before }: { after: number; before: number },
): boolean {
  return listed(journal.state.deliveries).some(
    ([, other]) =>
      other.seq > after &&
      other.seq < before &&
      other.branch === branch &&
      other.state !== "confirmed" &&
      other.covers.some((id) => covers.includes(id)),
  );
}

/** Another process has handed it over: what became of it is for that one to say. */
function isAnothers({ journal, owner }: Engine, entry: OfferEntry): boolean {
  const delivery = journal.state.deliveries[deliveryKey(entry)];
  return delivery?.handed === true && delivery.owner !== owner;
}

/** Abandons what is ours, and releases the claims on the rest. */
async function giveUp(engine: Engine, late: readonly OfferEntry[]): Promise<void> {
  const { journal, owner } = engine;
  const ours = late.filter((entry) => !isAnothers(engine, entry));
  await settle(engine, ours, "abandoned");
  const keys = claimKeys(late.filter((entry) => isAnothers(engine, entry)));
  if (keys.length > 0) await journal.append({ entries: [], release: { keys, owner } });
}

export function toSettle(
  { id, branch }: { id: string; branch: string },
  state: SettleEntry["state"],
  at: string,
): SettleEntry {
  return stamp(at, { kind: "delivery" as const, state, id, branch });
}

interface Claiming {
  covers: readonly string[];
  branch: string;
  claimedOn?: string;
}

/** One process at a time may send an edge on a branch. */
export function claimKeys(deliveries: readonly Claiming[]): string[] {
  return deliveries.flatMap(({ covers, branch, claimedOn = branch }) =>
    covers.map((id) => `${id}@${claimedOn}`),
  );
}

export async function settle(
  engine: Engine,
  deliveries: readonly (Claiming & { id: string })[],
  state: "confirmed" | "abandoned",
): Promise<void> {
  const known = engine.journal.state.deliveries;
  // An answer counts even if an earlier try with the same reminder was abandoned meanwhile.
  const open = deliveries.filter((one) => {
    const delivery = known[deliveryKey(one)];
    return delivery?.state === "offered" || (delivery?.state === "abandoned" && state === "confirmed");
  });
  if (open.length === 0) return;
  const at = new Date(engine.platform.now()).toISOString();
  const entries: NewEntry[] = open.map((one) => toSettle(one, state, at));
  const keys = claimKeys(open);
  await engine.journal.append(
    state === "confirmed" ? { entries, settle: keys } : { entries, release: { keys, owner: engine.owner } },
  );
}

/** By the key of each offer: the call. Made with the first offer: many sessions never have one. */
export function noted(calls: Engine["held"], offers: readonly OfferEntry[], call: number): Engine["held"] {
  if (offers.length === 0) return calls;
  const all = calls ?? new Map<string, number>();
  for (const one of offers) all.set(deliveryKey(one), call);
  return all;
}

/** Whether no later turn of this process sends it as well. `call`: the turn, as `turnsAsked` counts them. */
export function isLastToSend(
  { sending }: Engine,
  offer: { id: string; branch: string },
  call: number,
): boolean {
  return (sending?.get(deliveryKey(offer)) ?? call) === call;
}

/** Of a turn whose request went out without them, or not at all: they have no place in it. */
export async function takeBack(engine: Engine, { again, fresh }: Offers, call: number): Promise<void> {
  const isLast = (one: OfferEntry) => isLastToSend(engine, one, call);
  await settle(engine, again.filter(isLast), "abandoned");
  const { journal, platform, owner } = engine;
  const own = fresh.filter(isLast).filter((one) => {
    const known = journal.state.deliveries[deliveryKey(one)];
    return known?.state === "offered" && known.owner === owner;
  });
  if (own.length === 0) return;
  const at = new Date(platform.now()).toISOString();
  const entries = own.map((one): NewEntry => ({ ...toSettle(one, "abandoned", at), unsent: true, owner }));
  await journal.append({ entries, release: { keys: claimKeys(own), owner } });
}

/**
 * Ends what this owner has under way when its session closes. What a host was to place itself is abandoned; for the
 * rest the history tells, but whoever opens the session next may send it.
 */
export async function releaseAll(engine: Engine): Promise<void> {
  const { journal, owner } = engine;
  const own = Object.values(journal.state.deliveries).filter(
    (delivery) =>
      delivery.owner === owner &&
      delivery.state === "offered" &&
      !delivery.handed &&
      isUnderWay(engine, delivery),
  );
  await settle(
    engine,
    own.filter(({ anchor }) => anchor === undefined),
    "abandoned",
  );
  const keys = claimKeys(own);
  if (keys.length > 0) await journal.append({ entries: [], release: { keys, owner } });
}
