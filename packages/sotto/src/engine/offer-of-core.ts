// Offering: text fixed and anchored in the store, and claimed, before any bytes leave.

import type { Anchor, NewEntry, OfferEntry, SettleEntry } from "../log/entries.ts";
import type { BranchChoice } from "../history/branch.ts";
import type { Draft } from "./compose.ts";
import { type SessionContext, isUnderWay } from "./context.ts";
import { stamp } from "../log/journal.ts";
import { mayBeNative } from "./native.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";

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
