// What a turn writes: what is confirmed by its history, where it stands, what it offers anew and again.

import type { BranchChoice } from "../history/branch.ts";
import { anchorAt, assistantsBehind } from "../history/history.ts";
import { placeFor } from "../history/place.ts";
import type { Placed, Read } from "../history/view.ts";
import type { Anchor, NewEntry, OfferEntry, SettleEntry, TurnEntry } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import type { Outcome, Spared, TraceEntry } from "../log/trace.ts";
import type { Composition, Draft } from "./compose.ts";
import { isUnderWay, type SessionContext } from "./context.ts";
import { mayBeNative } from "./draft.ts";
import type { RequestView } from "./read-request.ts";

export type Offer = OfferEntry & { again: boolean };

export interface BatchOptions {
  situation: RequestView;
  context: SessionContext;
  /** Edges that another process holds. */
  taken: ReadonlySet<string>;
}

export function toOffers({ drafts, trace }: Composition, batch: BatchOptions) {
  const { situation, context, taken } = batch;
  const { choice, turn, assistantTurns, view, read } = situation;
  const { platform, owner } = context;
  const at = new Date(platform.now()).toISOString();
  const options: OfferOptions = {
    context,
    choice,
    turn,
    assistantTurns,
    at,
    lost: view.lost,
    place: placer(situation, context),
  };
  const unconfirmed = view.again.filter((placed) => stands(placed) || !isTaken(placed.delivery, taken));
  const again = unconfirmed.map(
    ({ delivery, at: place, shownAt }): Offer => ({
      ...toOfferAgain(delivery, behind(read, place ?? shownAt), options),
      again: true,
    }),
  );
  const fresh = drafts.map((draft): Offer => ({ ...toOffer(draft, options), again: false }));
  const offers = [...again, ...fresh];
  const told = withRepeats(trace, offers);
  const rewritten = again.filter(
    (offer, index) =>
      needsRewriting(unconfirmed[index]?.delivery as Delivery, context) && !isTaken(offer, taken),
  );
  const entries: NewEntry[] = [
    ...view.passed.map((delivery) => toSettle(delivery, "confirmed", at)),
    turnEntry(situation, told, context, at),
    ...[...rewritten, ...fresh].map(({ again: _again, ...entry }) => entry),
  ];
  const keys = claimKeys([...rewritten, ...fresh]);
  const claim = {
    keys,
    owner,
    expiresAt: platform.now() + context.settings.claim_ttl_ms,
    now: platform.now(),
  };
  return {
    entries,
    settle: claimKeys(view.passed),
    offers,
    trace: told,
    ...(keys.length > 0 ? { claim } : {}),
  };
}

function stands({ at, shownAt }: Placed): boolean {
  return at !== undefined || shownAt !== undefined;
}

function isTaken({ covers }: { covers: readonly string[] }, taken: ReadonlySet<string>): boolean {
  return covers.some((id) => taken.has(id));
}

/** Given up, or its owner is gone: whoever says it again has to claim it. */
function needsRewriting(delivery: Delivery, context: SessionContext): boolean {
  return delivery.state === "abandoned" || !isUnderWay(context, delivery);
}

function placer(situation: RequestView, context: SessionContext): OfferOptions["place"] {
  const { read } = situation;
  if (read === undefined) return undefined;
  const { placement, context_forms } = context.settings;
  return ({ candidate }) => {
    const { at, anchor } = placeFor(candidate.due.atStart ? "start" : placement, read, context_forms);
    return { anchor, assistantsBehind: behind(read, at) };
  };
}

function behind(read: Read | undefined, at: number | undefined): number {
  if (read === undefined || at === undefined) return 0;
  return assistantsBehind(read.history, at);
}

/** A type that only repeats what was not confirmed was sent, whatever its trigger said about now. */
function withRepeats(trace: readonly TraceEntry[], offers: readonly Offer[]): TraceEntry[] {
  return trace.map((entry) => {
    const repeats = offers.filter(
      ({ type, again, blocks }) => again && type === entry.type && blocks.length > 0,
    );
    if (repeats.length === 0 || entry.outcome === "sent" || entry.outcome === "cut") return entry;
    const tokens = repeats.reduce((sum, { tokens: one }) => sum + one, 0);
    return {
      ...entry,
      outcome: "sent",
      reason: `${repeats.length} offered again: not confirmed before`,
      tokens,
    };
  });
}

function turnEntry(
  situation: RequestView,
  trace: readonly TraceEntry[],
  context: SessionContext,
  at: string,
): TurnEntry {
  const { choice, turn, assistantTurns, read } = situation;
  const { state } = context.journal;
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
            ...(read.hunks.length === 0 ? {} : { hunks: [...read.hunks] }),
            ...(read.history.kept === undefined ? {} : { kept: read.history.kept }),
          },
        }),
    assistantTurns,
    outcomes: changedOutcomes(trace, state.outcomes),
    ...sparedIn(trace),
  });
}

function changedOutcomes(
  trace: readonly TraceEntry[],
  before: Record<string, Outcome>,
): Record<string, Outcome> {
  const changed = trace.filter(
    ({ type, outcome, reason }) => before[type]?.outcome !== outcome || before[type]?.reason !== reason,
  );
  return Object.fromEntries(changed.map(({ type, outcome, reason }) => [type, { outcome, reason }]));
}

function sparedIn(trace: readonly TraceEntry[]): Pick<TurnEntry, "spared"> {
  const spared = trace.flatMap((entry) => (entry.spared === undefined ? [] : [[entry.type, entry.spared]]));
  return spared.length === 0 ? {} : { spared: Object.fromEntries(spared) as Record<string, Spared> };
}

// Offering: text fixed and anchored in the store, and claimed, before any bytes leave.

// What a type said is remembered for its trigger where it is small.
const DATA_KEPT = 4000;

export interface OfferOptions {
  context: SessionContext;
  choice: BranchChoice;
  turn: number;
  assistantTurns: number;
  at: string;
  /** Edges whose reminder has lost its place. */
  lost: Readonly<Record<string, number>>;
  /** Where it goes, and how many assistant messages stand behind that. */
  place?: ((draft: Draft) => { anchor: Anchor; assistantsBehind: number }) | undefined;
}

export function toOffer(draft: Draft, options: OfferOptions): OfferEntry {
  const { context, choice, turn, assistantTurns, at } = options;
  const { attachment, due, hash } = draft.candidate;
  const covers = [...(due.covers ?? [])].sort();
  const place = options.place?.(draft);
  const id = deliveryId(draft, covers, options);
  const before = context.journal.state.deliveries[deliveryKey({ id, branch: choice.id })];
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
    ...(attachment.words ? { words: true as const } : {}),
    hash,
    covers,
    ...(draft.divides === undefined ? {} : { divides: draft.divides }),
    blocks: draft.blocks,
    textHashes: draft.blocks.flatMap((block) =>
      block.type === "text" ? [context.platform.hash(block.text)] : [],
    ),
    tokens: draft.tokens,
    ...(due.data !== undefined && JSON.stringify(due.data).length <= DATA_KEPT ? { data: due.data } : {}),
    ...(place === undefined ? {} : { anchor: place.anchor }),
    offeredAt: before?.offeredAt ?? at,
    assistantTurns,
    assistantsBehind: place?.assistantsBehind ?? 0,
    ...(context.settings.role === "native" && mayBeNative(draft) ? { native: true as const } : {}),
    owner: context.owner,
    expiresAt: context.platform.now() + context.settings.claim_ttl_ms,
    ...(before?.unseen === undefined ? {} : { unseen: before.unseen }),
    ...claimedAnew(covers, options),
  });
}

/**
 * A claim that was settled on a branch stays settled. What lost its place there is claimed for this turn; what was
 * said by an entry that is damaged, for that entry; what a rewind has undone, since that rewind.
 */
function claimedAnew(
  covers: readonly string[],
  { context, choice, turn, lost }: OfferOptions,
): { claimedOn?: string } {
  if (covers.some((id) => lost[id] !== undefined)) return { claimedOn: `${choice.id}~${turn}` };
  const { voided, state } = context.journal;
  const seq = Math.max(0, ...covers.map((edge) => voided.get(edge) ?? 0));
  if (seq > 0) return { claimedOn: `${choice.id}!${seq}` };
  return state.rewoundAt > 0 ? { claimedOn: `${choice.id}^${state.rewoundAt}` } : {};
}

/** What was offered before and not confirmed is taken over by this turn, in its old place. */
export function toOfferAgain(
  delivery: Delivery,
  assistantsBehind: number,
  options: OfferOptions,
): OfferEntry {
  const { seq: _seq, hidden: _hidden, handed: _handed, resent, claimedOn, ...rest } = delivery;
  const { context, choice, at } = options;
  const claims = resent ? claimedOn : choice.id === delivery.branch ? undefined : choice.id;
  // Of its first turn: a history that goes back to that one shows it there.
  return stamp(at, {
    ...rest,
    kind: "delivery" as const,
    state: "offered" as const,
    assistantsBehind,
    owner: context.owner,
    expiresAt: context.platform.now() + context.settings.claim_ttl_ms,
    ...(claims === undefined ? {} : { claimedOn: claims }),
    ...(resent ? {} : claimedAnew(delivery.covers, options)),
  });
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

/** One process at a time may say an edge on a branch. */
export function claimKeys(deliveries: readonly Claiming[]): string[] {
  return deliveries.flatMap(({ covers, branch, claimedOn = branch }) =>
    covers.map((id) => `${id}@${claimedOn}`),
  );
}

export async function settle(
  context: SessionContext,
  deliveries: readonly (Claiming & { id: string })[],
  state: "confirmed" | "abandoned",
): Promise<void> {
  const known = context.journal.state.deliveries;
  // An answer counts also where an earlier try that carried the same was given up meanwhile.
  const open = deliveries.filter((one) => {
    const delivery = known[deliveryKey(one)];
    return delivery?.state === "offered" || (delivery?.state === "abandoned" && state === "confirmed");
  });
  if (open.length === 0) return;
  const at = new Date(context.platform.now()).toISOString();
  const entries: NewEntry[] = open.map((one) => toSettle(one, state, at));
  const keys = claimKeys(open);
  await context.journal.append(
    state === "confirmed" ? { entries, settle: keys } : { entries, release: { keys, owner: context.owner } },
  );
}

/**
 * What this owner has under way when it ends: what a host was to place itself is given up; of the rest histories tell,
 * but whoever opens the session next may say it.
 */
export async function letGo(context: SessionContext): Promise<void> {
  const own = Object.values(context.journal.state.deliveries).filter(
    (delivery) =>
      delivery.owner === context.owner &&
      delivery.state === "offered" &&
      !delivery.handed &&
      isUnderWay(context, delivery),
  );
  await settle(
    context,
    own.filter(({ anchor }) => anchor === undefined),
    "abandoned",
  );
  const keys = claimKeys(own);
  if (keys.length > 0) await context.journal.append({ entries: [], release: { keys, owner: context.owner } });
}

/** The same edges give the same id, however often they have to be offered. */
function deliveryId(
  draft: Draft,
  covers: readonly string[],
  { context, turn, choice }: OfferOptions,
): string {
  const { attachment, due, hash } = draft.candidate;
  const about = covers.length > 0 ? covers.join("\n") : `${turn}\n${choice.id}\n${due.key ?? ""}\n${hash}`;
  return context.platform.hash(`${context.id}\n${attachment.type}\n${about}`).slice(0, 22);
}
