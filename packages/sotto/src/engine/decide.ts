// Deciding and offering: from a situation to offers that stand in the log, claimed and anchored.

import type { ProjectText } from "../config/schema.ts";
import {
  type CriticalWords,
  type Facts,
  hasEdges,
  type Observed,
  type ObservedName,
  type RecordedFacts,
} from "../facts/facts.ts";
import { dueInModes } from "../facts/mode.ts";
import { dueEdges } from "../facts/pending.ts";
import type { TurnsFact } from "../facts/turns.ts";
import { deliveryKey, type State } from "../log/state.ts";
import type { TraceEntry } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import { type Composition, compose, type Draft } from "./compose.ts";
import type { SessionContext } from "./context.ts";
import type { Observation } from "./observe.ts";
import { claimKeys, type Offer, settle, toOffers } from "./offer.ts";
import { type Request, type RequestView, situate } from "./read-request.ts";

export interface DecideOptions {
  context: SessionContext;
  request?: Request | undefined;
  /** Which of the session's turns this is, in the order they were asked for. */
  call: number;
  hasPrompt: boolean;
  observations: ReadonlyMap<string, Observation>;
}

export interface Decision {
  situation: RequestView;
  trace: TraceEntry[];
  drafts: Draft[];
  offers: Offer[];
  /** Why nothing could be offered: then only what was said before stands in the request, in its old place. */
  problem?: string;
}

// Each try leaves out what another process is saying just now; three are plenty.
const TRIES = 3;

export async function decide(options: DecideOptions): Promise<Decision> {
  const { context } = options;
  const taken = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    await context.journal.refresh();
    const { seq } = context.journal.state;
    const situation = situate(context, options);
    for (const id of taken) situation.view.covered.add(id);
    const composition = composeFor(situation, options, attempt > TRIES);
    const batch = toOffers(composition, { situation, context, taken });
    const appended = await context.journal.append(batch).catch(errorText);
    if (typeof appended === "string")
      return { situation, trace: [], drafts: [], offers: [], problem: appended };
    if (appended.ok) {
      const between = { after: seq, before: appended.first };
      const late = batch.offers.filter((offer) => isOvertaken(offer, between, context));
      if (late.length === 0)
        return { situation, trace: batch.trace, drafts: composition.drafts, offers: batch.offers };
      await giveUp(context, late);
      continue;
    }
    for (const key of appended.taken) taken.add(key.slice(0, key.lastIndexOf("@")));
  }
}

/** What another process has handed over is its word: only the claim on it is ours to let go. */
async function giveUp(context: SessionContext, late: readonly Offer[]): Promise<void> {
  const { journal, owner } = context;
  await settle(
    context,
    late.filter((offer) => !isAnothers(offer, context)),
    "abandoned",
  );
  const keys = claimKeys(late.filter((offer) => isAnothers(offer, context)));
  if (keys.length > 0) await journal.append({ entries: [], release: { keys, owner } });
}

function isAnothers(offer: Offer, { journal, owner }: SessionContext): boolean {
  const delivery = journal.state.deliveries[deliveryKey(offer)];
  return delivery?.handed === true && delivery.owner !== owner;
}

/**
 * Between the look at the log and this offer another process has offered the same, and given up or died: what it said
 * may stand in a history by now, so its words and its id count.
 */
function isOvertaken(
  offer: Offer,
  { after, before }: { after: number; before: number },
  context: SessionContext,
): boolean {
  const { again, covers, branch } = offer;
  if (before === after + 1) return false;
  if (isAnothers(offer, context)) return true;
  if (again || covers.length === 0) return false;
  return Object.values(context.journal.state.deliveries).some(
    (other) =>
      other.seq > after &&
      other.seq < before &&
      other.branch === branch &&
      other.state !== "confirmed" &&
      other.covers.some((id) => covers.includes(id)),
  );
}

function composeFor(situation: RequestView, options: DecideOptions, onlyPutBack: boolean): Composition {
  const { context, hasPrompt, observations } = options;
  const facts = factsFor(context, situation, observations);
  const { turn, view } = situation;
  const opening = isOpening(situation, context.journal.state);
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

/** The first turn of the session, or of a view that began anew: later ones have no more room, however little was said. */
function isOpening({ choice, view }: RequestView, { turn, turnSeq, branches }: State): boolean {
  const isNew = choice.fresh && branches[choice.id] === undefined;
  return turn === 0 || isNew || (view.since?.seq ?? 0) > turnSeq;
}

// The facts as this turn may know them: edges still due on its branch, what sources said, who the agent is.

export function factsFor(
  context: SessionContext,
  { view, assistantTurns }: RequestView,
  observations: ReadonlyMap<string, Observation>,
): Facts {
  const { agent, settings, journal } = context;
  const recorded = dueFacts(journal.state.facts, view);
  const observed = Object.fromEntries(
    [...observations].map(([name, observation]): [string, Observed<unknown>] => [name, observation.observed]),
  );
  const { criticalSystemReminder, untrustedFrom, ofProject } = agent.definition ?? {};
  const maxUsd = settings.max_budget_usd;
  const { critical_instruction: instruction, project_instruction: project } = settings;
  return {
    ...(observed as unknown as Pick<Facts, ObservedName>),
    ...recorded,
    turns: turnsNow(recorded.turns, { assistant: assistantTurns, isFirst: journal.state.turn === 0 }),
    agent: { kind: agent.kind, ...(agent.type === undefined ? {} : { type: agent.type }) },
    critical: {
      ...(criticalSystemReminder === undefined
        ? {}
        : {
            definition: {
              content: criticalSystemReminder,
              ...(untrustedFrom === undefined ? {} : { from: untrustedFrom }),
              ...(ofProject ? { ofProject } : {}),
            },
          }),
      ...(instruction === undefined ? {} : { instruction }),
      ...(project === undefined ? {} : { project: wordsOfProject(project) }),
    },
    taskStyle: settings.tasks.style,
    budget: maxUsd === undefined ? {} : { maxUsd },
    view: view.since === undefined ? {} : { since: view.since.seq, sinceTurns: view.since.turns },
  };
}

/** What stands in the first history was answered before this session began; what a host reports, since. */
function turnsNow(turns: TurnsFact, { assistant, isFirst }: { assistant: number; isFirst: boolean }) {
  const before = isFirst && !turns.reported ? assistant : turns.before;
  return { ...turns, assistant, before };
}

function wordsOfProject({ content, from, trusted }: ProjectText): CriticalWords {
  return { content, ofProject: true, ...(trusted ? {} : { from }) };
}

function dueFacts(facts: RecordedFacts, view: RequestView["view"]): RecordedFacts {
  const due = Object.entries<unknown>(facts).map(([name, fact]) =>
    hasEdges(fact) ? [name, { ...fact, pending: dueEdges(fact, view), settled: [] }] : [name, fact],
  );
  const recorded = Object.fromEntries(due) as unknown as RecordedFacts;
  return { ...recorded, mode: { ...recorded.mode, pending: dueInModes(facts.mode, recorded.mode.pending) } };
}
