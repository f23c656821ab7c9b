// Deciding and offering: from a situation to offers that stand in the log, claimed and anchored.

import { anchorAt } from "./anchor.ts";
import { type Composition, compose, type Draft } from "./compose.ts";
import type { SessionContext } from "./context.ts";
import { chainPosition, totalAssistants } from "./history.ts";
import { stamp } from "./journal.ts";
import type { NewEntry, OfferEntry, TurnEntry } from "./log.ts";
import type { Observation } from "./observe.ts";
import { claimKeys, isUnderWay, type OfferOptions, toOffer, toOfferAgain, toSettle } from "./offer.ts";
import { placeFor } from "./place.ts";
import { factsFor } from "./present.ts";
import { type ReadRequest, type Request, type Situation, situate } from "./situate.ts";
import type { Delivery } from "./state.ts";
import type { Outcome, TraceEntry } from "./trace.ts";

export interface DecideOptions {
  context: SessionContext;
  request?: Request | undefined;
  hasPrompt: boolean;
  observations: ReadonlyMap<string, Observation>;
}

export type Offer = OfferEntry & { again: boolean };

export interface Decision {
  situation: Situation;
  trace: TraceEntry[];
  drafts: Draft[];
  offers: Offer[];
}

// Each try leaves out what another process is saying just now; three are plenty.
const TRIES = 3;

export async function decide(options: DecideOptions): Promise<Decision> {
  const { context } = options;
  await context.journal.refresh();
  const situation = situate(context, options.request);
  const taken = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    for (const id of taken) situation.view.covered.add(id);
    const composition = composeFor(situation, options, attempt > TRIES);
    const batch = toBatch(situation, composition, context);
    const appended = await context.journal.append(batch);
    if (appended.ok)
      return { situation, trace: composition.trace, drafts: composition.drafts, offers: batch.offers };
    for (const key of appended.taken) taken.add(key.slice(0, key.lastIndexOf("@")));
  }
}

function composeFor(situation: Situation, options: DecideOptions, onlyPutBack: boolean): Composition {
  const { context, hasPrompt, observations } = options;
  const facts = factsFor(context, situation, observations);
  const { turn, view } = situation;
  const opening = context.journal.state.turn === 0 || (view.compacted && view.inView.length === 0);
  const composition = compose({ context, facts, view, turn, hasPrompt, opening, observations });
  if (!onlyPutBack) return composition;
  const reason = "another process is saying it right now";
  const trace = composition.trace.map((entry) =>
    entry.tokens === 0
      ? entry
      : { ...entry, outcome: "already in view" as const, reason, tokens: 0, bytes: 0 },
  );
  return { drafts: [], trace };
}

function toBatch(situation: Situation, { drafts, trace }: Composition, context: SessionContext) {
  const { choice, turn, assistantTurns, view, read } = situation;
  const { platform, owner } = context;
  const at = new Date(platform.now()).toISOString();
  const options: OfferOptions = {
    context,
    choice,
    turn,
    assistantTurns,
    at,
    place: placer(situation, context),
  };
  const passed = new Set(view.passed);
  const unconfirmed = view.inView.filter(
    ({ delivery }) => delivery.state !== "confirmed" && !passed.has(delivery),
  );
  const again = unconfirmed.map(
    ({ delivery, at: place }): Offer => ({
      ...toOfferAgain(delivery, behind(read, place), options),
      again: true,
    }),
  );
  const fresh = drafts.map((draft): Offer => ({ ...toOffer(draft, options), again: false }));
  const rewritten = again.filter((_, index) =>
    needsRewriting(unconfirmed[index]?.delivery as Delivery, context),
  );
  const entries: NewEntry[] = [
    ...view.passed.map((delivery) => toSettle(delivery, "confirmed", at)),
    turnEntry(situation, trace, context, at),
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
    offers: [...again, ...fresh],
    ...(keys.length > 0 ? { claim } : {}),
  };
}

/** An offer that another process has under way stays its own. */
function needsRewriting(delivery: Delivery, context: SessionContext): boolean {
  return (
    delivery.state === "abandoned" || (delivery.owner !== context.owner && !isUnderWay(context, delivery))
  );
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

function behind(read: ReadRequest | undefined, at: number | undefined): number {
  if (read === undefined || at === undefined) return 0;
  return totalAssistants(read.history) - (read.history.assistants[at] ?? 0);
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
  const end = read === undefined ? 0 : chainPosition(read.history, read.dialect.end(read.body));
  return stamp(at, {
    kind: "turn" as const,
    turn,
    branch: choice.id,
    ...(isNew && choice.parent !== undefined ? { parent: choice.parent } : {}),
    ...(isNew && choice.fresh ? { fresh: true } : {}),
    ...(read === undefined
      ? {}
      : { head: { anchor: anchorAt(read.history, end), assistants: totalAssistants(read.history) } }),
    assistantTurns,
    outcomes: changedOutcomes(trace, state.outcomes),
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
