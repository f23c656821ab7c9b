// Where a turn stands: reads the request into a history, finds its branch, and what is in view there.

import type { Dialect, HistoryBlock, Position, ProviderHistory } from "../dialects/dialect.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { type BranchChoice, changesOn, chooseBranch, toUnwritten } from "../history/branch.ts";
import { type History, positionOf, readHistory } from "../history/history.ts";
import type { Recalled } from "../history/recall.ts";
import type { ReminderTexts } from "../history/said-texts.ts";
import { sumsOf } from "../history/sha-sums.ts";
import { createView, type Holder, placesIn, type ReadRequest, shownIn, type View } from "../history/view.ts";
import { type Branch, type Head, listed } from "../log/branches.ts";
import { type Delivery, deliveryKey, type State } from "../log/state.ts";
import { errorText } from "../platform/errors.ts";
import { claimTime, type Engine } from "./engine.ts";

export interface Request {
  dialect: Dialect;
  body: unknown;
  /** A number for each message: the same as before for one that was there before. */
  ids: readonly number[];
  /** How many messages at its beginning an earlier request began with, too. */
  shared: number;
  /** The blocks of a message; the latest are read once for the whole turn. */
  read?(index: number): HistoryBlock[];
}

/** The request of a turn; undefined without a body, a text if it is not of its dialect. */
export function toRequest<Body>(
  engine: Engine,
  { dialect, body }: { dialect?: Dialect<NoInfer<Body>>; body?: Body },
): Request | undefined | string {
  if (dialect === undefined && body === undefined) return undefined;
  if (dialect === undefined) return "a body needs a dialect: pass { dialect, body }";
  if (body === undefined) return "a dialect needs a body: pass { dialect, body }";
  let problem: string | undefined;
  try {
    const recalled = recallIn(engine, dialect as Dialect, body);
    problem = isSoundBehind(recalled?.shared ?? 0, dialect as Dialect, body)
      ? undefined
      : dialect.problem(body);
    if (problem === undefined) {
      const messages = dialect.messages(body as Body);
      const { shared, number } = recalled ?? engine.recall(messages);
      const read = latestOnce(messages.length, (index) => dialect.read(messages[index], index));
      return { dialect: dialect as Dialect, body, ids: number(), shared, read };
    }
  } catch (error) {
    problem = errorText(error);
  }
  return `the request is not of the dialect ${dialect.name}: ${problem}`;
}

// An answer, and what came back.
const LATEST = 2;

function latestOnce(count: number, read: (index: number) => HistoryBlock[]) {
  const known: HistoryBlock[][] = [];
  return (index: number): HistoryBlock[] => {
    const fromEnd = count - 1 - index;
    if (fromEnd >= LATEST) return read(index);
    const blocks = known[fromEnd] ?? read(index);
    known[fromEnd] = blocks;
    return blocks;
  };
}

/** Undefined if the body has no list of messages; `problem` says why. */
function recallIn(engine: Engine, dialect: Dialect, body: unknown): Recalled | undefined {
  try {
    const messages = dialect.messages(body);
    return Array.isArray(messages) ? engine.recall(messages) : undefined;
  } catch {
    return undefined;
  }
}

/** Messages that earlier requests had are not checked again, except for the last: others may have to be like it. */
function isSoundBehind(shared: number, dialect: Dialect, body: unknown): boolean {
  if (shared < 2) return false;
  const messages = (body as Readonly<Record<string, unknown>>)[dialect.field];
  if (!Array.isArray(messages)) return false;
  return dialect.problem({ ...(body as object), [dialect.field]: messages.slice(shared - 1) }) === undefined;
}

export interface RequestView {
  choice: BranchChoice;
  view: View;
  turn: number;
  /** Non-empty assistant messages so far, on this branch. */
  assistantTurns: number;
  /** Undefined for a turn without a body. */
  read?: ReadRequest;
}

/** `call`: the value of `turnsAsked` when the turn was asked for. */
export function readRequest(
  engine: Engine,
  { request, call }: { request?: Request | undefined; call: number },
): RequestView {
  const { state } = engine.journal;
  const { read, choice } =
    request === undefined ? { read: undefined, choice: currentBranch(state) } : readOnBranch(engine, request);
  const { turns } = state.facts;
  const turn = choice.retryOf ?? state.turn + 1;
  const holderOf = (delivery: Delivery) => holderOfOffer(engine, delivery, call);
  const isOfOther = ({ owner, handed }: Delivery) => owner !== engine.owner && !handed;
  const isHeldElsewhere = (delivery: Delivery) => isOfOther(delivery) && isUnderWay(engine, delivery);
  const isLeftBehind = (delivery: Delivery) =>
    delivery.state === "offered" && isOfOther(delivery) && !isUnderWay(engine, delivery);
  return {
    choice,
    view: createView({ state, choice, turn, holderOf, isHeldElsewhere, isLeftBehind, read }),
    turn,
    assistantTurns: turns.reported ? turns.assistant : choice.assistantTurns,
    ...(read === undefined ? {} : { read }),
  };
}

// A store that refuses for longer than this is not one that comes back in time.
const UNWRITTEN_KEPT = 16;

/** The request goes out without its turn in the log: the next one has to continue from where this one did. */
export function rememberUnwritten(engine: Engine, { choice, read }: RequestView): void {
  const request = read && toUnwritten(engine.journal.state, choice, read.history);
  if (request !== undefined) engine.unwritten = [...engine.unwritten, request].slice(-UNWRITTEN_KEPT);
}

function holderOfOffer(engine: Engine, delivery: Delivery, call: number): Holder {
  if (!isUnderWay(engine, delivery)) return "nobody";
  // A turn that was asked for before the host got the offer runs beside the one that sends it.
  const heldSince = engine.held?.get(deliveryKey(delivery)) ?? Number.POSITIVE_INFINITY;
  return delivery.owner === engine.owner && heldSince < call ? "ours" : "others";
}

/** Whether a living process still holds an offer. One that was handed over outlives its owner. */
export function isUnderWay(engine: Engine, { owner, expiresAt, handed }: Delivery): boolean {
  const { platform } = engine;
  const isHeld = handed || owner === engine.owner || platform.isOwnerAlive(owner);
  return claimTime(engine) < expiresAt && isHeld;
}

/** A quote of a reminder shows only once its place is known: then the history is read again, with it as a block. */
export function readOnBranch(
  engine: Engine,
  request: Request,
  quotes: readonly Position[] = [],
): { read: ReadRequest; choice: BranchChoice } {
  const { journal, platform } = engine;
  const { state } = journal;
  const reminders = reminderTexts(state, engine.tags.wrapping);
  const sums = sumsOf(state, platform.hash);
  const last = quotes.length === 0 ? engine.history : undefined;
  const previous = last !== undefined && isOutdated(last, reminders) ? undefined : last;
  const readBehind = (kept: string | undefined) =>
    readHistory({ ...request, sums, reminders, previous, kept, quotes });
  const history = readKept(state, request.dialect.kept?.(request.body), readBehind);
  engine.history = history;
  const keepsAnswer = request.dialect.keepsAnswer?.(request.body) === true;
  const choice = chooseBranch(state, history, { unwritten: engine.unwritten, keepsAnswer });
  const hunks = changesOn(state, choice, history);
  const places = placesIn({ history, hunks }, { state, choice });
  const read = { ...request, history, hunks, reminders, places };
  const { shown, quotes: found } = shownIn(read, state);
  if (found.length === 0) return { read: { ...read, shown }, choice };
  return readOnBranch(engine, request, [...history.quotes, ...found.map(({ position }) => position)]);
}

/**
 * The log has let go of reminders that stand in the history, as after a rewind, or has sent the text of one again: the history is
 * read as if for the first time.
 */
function isOutdated({ own, quotes, texts: before }: History, { texts }: ReminderTexts): boolean {
  if (own.some(({ text }) => text !== undefined && texts.has(text))) return true;
  return (
    before !== texts && (quotes.length > 0 || own.some(({ said }) => said.some((one) => !texts.has(one))))
  );
}

/**
 * A conversation that the provider keeps under one name does not say which answer a request continues from. If the last
 * request was answered, or this one differs from it, it continues from that answer.
 */
function readKept(
  state: State,
  kept: ProviderHistory | undefined,
  read: (kept: string | undefined) => History,
): History {
  if (kept === undefined || kept.moves) return read(kept?.name);
  const head = state.branches[state.current]?.heads.at(-1);
  if (head?.kept?.startsWith(`${kept.name}#`) && !isAnswered(state, head)) {
    const again = read(head.kept);
    if (positionOf(again, head.anchor) !== undefined) return again;
  }
  return read(`${kept.name}#${head?.turn ?? 0}`);
}

function isAnswered(state: State, { turn }: Head): boolean {
  const said = listed(state.deliveries).filter(
    ([, delivery]) => delivery.branch === state.current && delivery.turn === turn,
  );
  return said.length === 0 || said.some(([, delivery]) => delivery.state === "confirmed");
}

interface KnownTexts {
  texts: Map<string, { deliveries: string[]; images: number }>;
  /** How many deliveries of the list are in it. */
  count: number;
  areTagged: boolean;
}

const NO_TEXTS: ReminderTexts["texts"] = new Map();

/** By the list of deliveries. */
const knownTexts = new WeakMap<object, KnownTexts>();

export function reminderTexts({ deliveries }: State, tags: readonly string[]): ReminderTexts {
  const list = listed(deliveries);
  if (list.length === 0) return { texts: NO_TEXTS, tags, areTagged: true };
  const known = knownTexts.get(list) ?? { texts: new Map(), count: 0, areTagged: true };
  knownTexts.set(list, known);
  const { texts } = known;
  const add = (text: string, key: string, images: number) => {
    const same = texts.get(text);
    known.areTagged &&= text.includes("<");
    if (same !== undefined) same.deliveries.push(key);
    else texts.set(text, { deliveries: [key], images });
  };
  for (; known.count < list.length; known.count++) {
    const [key, { blocks, earlier = [] }] = list[known.count] as (typeof list)[number];
    for (const [index, block] of blocks.entries())
      if (block.type === "text") add(block.text, key, imagesBehind(blocks, index));
    for (const text of earlier) add(text, key, 0);
  }
  return { texts, tags, areTagged: known.areTagged };
}

function imagesBehind(blocks: readonly StoredBlock[], index: number): number {
  const next = blocks.findIndex((block, at) => at > index && block.type === "text");
  return (next < 0 ? blocks.length : next) - index - 1;
}

export function currentBranch(state: State): BranchChoice {
  const { id, parent, fresh } = state.branches[state.current] as Branch;
  const assistantTurns = state.facts.turns.assistant;
  return { id, fresh, assistantTurns, ...(parent === undefined ? {} : { parent }) };
}
