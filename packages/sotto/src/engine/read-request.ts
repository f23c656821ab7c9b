// Where a turn stands: its history read, its branch chosen, what is in view there.

import type { Dialect, Position, ProviderHistory } from "../dialects/dialect.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { type BranchChoice, changesOn, chooseBranch } from "../history/branch.ts";
import type { History, ReminderTexts } from "../history/history.ts";
import { readHistory } from "../history/history.ts";
import { createView, type Hands, placesIn, type Read, shownIn, type View } from "../history/view.ts";
import { type Branch, branchAt, type Head } from "../log/branches.ts";
import { type Delivery, deliveryKey, type State } from "../log/state.ts";
import { isUnderWay, type SessionContext } from "./context.ts";

export interface Request {
  dialect: Dialect;
  body: unknown;
}

export interface RequestView {
  choice: BranchChoice;
  view: View;
  turn: number;
  /** Non-empty assistant messages so far, on this branch. */
  assistantTurns: number;
  read?: Read;
}

export function situate(
  context: SessionContext,
  { request, call }: { request?: Request | undefined; call: number },
): RequestView {
  const { state } = context.journal;
  const { read, choice } =
    request === undefined
      ? { read: undefined, choice: currentBranch(state) }
      : readRequest(context, request, []);
  const { turns } = state.facts;
  const turn = choice.retryOf ?? state.turn + 1;
  return {
    choice,
    view: createView({ state, choice, turn, handsOf: (delivery) => handsOf(delivery, context, call), read }),
    turn,
    assistantTurns: turns.reported ? turns.assistant : choice.assistantTurns,
    ...(read === undefined ? {} : { read }),
  };
}

function handsOf(delivery: Delivery, context: SessionContext, call: number): Hands {
  if (!isUnderWay(context, delivery)) return "nobody";
  // A turn that was asked for before the host had it runs beside the one that says it.
  const handed = context.handed.get(deliveryKey(delivery)) ?? Number.POSITIVE_INFINITY;
  return delivery.owner === context.owner && handed < call ? "ours" : "others";
}

/** What only quotes a reminder shows once its place is known: then the history is read again, with it as a block. */
function readRequest(
  context: SessionContext,
  request: Request,
  quotes: readonly Position[],
): { read: Read; choice: BranchChoice } {
  const { journal, platform } = context;
  const { state } = journal;
  const reminders = reminderTexts(state, context.tags.wrapping);
  const previous = quotes.length === 0 ? context.history : undefined;
  const readBehind = (kept: string | undefined) =>
    readHistory({ ...request, hash: platform.hash, reminders, previous, kept, quotes });
  const history = readKept(state, request.dialect.kept?.(request.body), readBehind);
  context.history = history;
  const choice = chooseBranch(state, history);
  const hunks = changesOn(state, choice, history);
  const places = placesIn({ history, hunks }, { state, choice });
  const read = { ...request, history, hunks, reminders, places };
  const { shown, quotes: found } = shownIn(read, branchAt(state, choice).prints);
  if (found.length === 0) return { read: { ...read, shown }, choice };
  return readRequest(context, request, [...history.quotes, ...found.map(({ position }) => position)]);
}

/**
 * A conversation that keeps its name does not say which answer a request goes on from: where the last request was
 * answered, or this one says something else, it is the one to that.
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
    if (again.positions.has(head.anchor.hash)) return again;
  }
  return read(`${kept.name}#${head?.turn ?? 0}`);
}

function isAnswered(state: State, { turn }: Head): boolean {
  const said = Object.values(state.deliveries).filter(
    (delivery) => delivery.branch === state.current && delivery.turn === turn,
  );
  return said.length === 0 || said.some((delivery) => delivery.state === "confirmed");
}

export function reminderTexts(state: State, tags: readonly string[]): ReminderTexts {
  const texts = new Map<string, { deliveries: string[]; images: number }>();
  for (const delivery of Object.values(state.deliveries))
    for (const [index, block] of delivery.blocks.entries()) {
      if (block.type !== "text") continue;
      const known = texts.get(block.text);
      if (known !== undefined) known.deliveries.push(deliveryKey(delivery));
      else
        texts.set(block.text, {
          deliveries: [deliveryKey(delivery)],
          images: imagesBehind(delivery.blocks, index),
        });
    }
  return { texts, tags };
}

function imagesBehind(blocks: readonly StoredBlock[], index: number): number {
  const next = blocks.findIndex((block, at) => at > index && block.type === "text");
  return (next < 0 ? blocks.length : next) - index - 1;
}

function currentBranch(state: State): BranchChoice {
  const { id, parent, fresh } = state.branches[state.current] as Branch;
  const assistantTurns = state.facts.turns.assistant;
  return { id, fresh, assistantTurns, ...(parent === undefined ? {} : { parent }) };
}
