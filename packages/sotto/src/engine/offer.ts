// What a turn writes: what is confirmed by its history, where it stands, what it offers anew and again.

import { anchorAt } from "../history/anchor.ts";
import type { Composition } from "./compose.ts";
import { type SessionContext, isUnderWay } from "./context.ts";
import { assistantsBehind } from "../history/history-of-core.ts";
import { stamp } from "../log/journal.ts";
import type { NewEntry, OfferEntry, TurnEntry } from "../log/entries.ts";
import { claimKeys, type OfferOptions, toOffer, toOfferAgain, toSettle } from "./offer-of-core.ts";
import { placeFor } from "../history/place.ts";
import type { Situation } from "./read-request.ts";
import type { Delivery } from "../log/state.ts";
import type { Outcome, Spared, TraceEntry } from "../log/trace.ts";
import type { Placed, Read } from "../history/view.ts";

export type Offer = OfferEntry & { again: boolean };

export interface BatchOptions {
  situation: Situation;
  context: SessionContext;
  /** Edges that another process holds. */
  taken: ReadonlySet<string>;
}

export function toBatch({ drafts, trace }: Composition, batch: BatchOptions) {
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

function placer(situation: Situation, context: SessionContext): OfferOptions["place"] {
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
  situation: Situation,
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
