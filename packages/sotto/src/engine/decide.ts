// Decides what a turn sends: reads the request, asks every type, and offers the result in the log.

import type { ProjectText } from "../config/schema.ts";
import {
  type CriticalWords,
  type Facts,
  hasEdges,
  type ObservedName,
  type RecordedFacts,
} from "../facts/facts.ts";
import { dueInModes } from "../facts/mode.ts";
import { dueEdges } from "../facts/pending.ts";
import type { TurnsFact } from "../facts/turns.ts";
import { sentByType } from "../history/view.ts";
import type { State } from "../log/state.ts";
import type { TraceEntry } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import { coversOf } from "./ask.ts";
import type { Observation } from "./ask-sources.ts";
import { type Composition, compose, composedOf } from "./compose.ts";
import type { Deadline } from "./deadline.ts";
import type { Draft } from "./draft.ts";
import type { Engine } from "./engine.ts";
import type { TurnState } from "./evaluate.ts";
import { type Offers, offer } from "./offer.ts";
import { type Request, type RequestView, readRequest, rememberUnwritten } from "./read-request.ts";

export interface DecideOptions {
  request?: Request | undefined;
  /** The value of `turnsAsked` when this turn was asked for. */
  call: number;
  hasPrompt: boolean;
  observations: ReadonlyMap<string, Observation>;
  deadline?: Pick<Deadline, "enter">;
}

export interface Decision extends Offers {
  requestView: RequestView;
  /** What the fresh offers were made of. */
  drafts: Draft[];
  /** Why nothing could be offered: the request then has only earlier reminders, in their places. */
  problem?: string;
}

// Each try leaves out what others have claimed meanwhile; three are plenty.
const TRIES = 3;
// Others may take one turn after the other in between, but not so many: a claim that nobody gives up holds nobody here.
const MOST_TRIES = 50;

export async function decide(engine: Engine, options: DecideOptions): Promise<Decision> {
  const { deadline } = options;
  const taken = new Set<string>();
  /** Types of which others hold something. */
  const held = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    // The turn has just read what others wrote; what they write meanwhile shows when it offers.
    // If the log cannot be read now, what it said before still holds: earlier reminders stay in their places.
    const unread =
      attempt > 1 ? await engine.journal.refresh().then(() => undefined, errorText) : engine.unread;
    deadline?.enter("request");
    const requestView = readRequest(engine, options);
    if (unread !== undefined) return undecided(engine, requestView, unread);
    const isSame = engine.quiet.begin(engine, {
      view: requestView.view,
      branch: requestView.choice.id,
      hasPrompt: options.hasPrompt,
      observations: options.observations,
    });
    if (!isSame || taken.size > 0) engine.due = undefined;
    for (const id of taken) requestView.view.covered.add(id);
    deadline?.enter("types");
    const composed = withHeld(compose(engine, turnState(engine, requestView, options)), held);
    // What others hold is due again once they let go of it.
    if (taken.size > 0) {
      engine.due = undefined;
      engine.quiet.forget();
    }
    const composition = attempt > TRIES ? withoutDrafts(composed) : composed;
    const { drafts } = composition;
    deadline?.enter("log");
    const offered = await offer(engine, requestView, composition, taken);
    if ("problem" in offered) return undecided(engine, requestView, offered.problem);
    if (!("taken" in offered)) return { requestView, drafts, ...offered };
    if (attempt === MOST_TRIES) return undecided(engine, requestView, "other processes hold the next turn");
    for (const id of offered.taken) taken.add(id);
    for (const draft of drafts)
      if (coversOf(draft).some((id) => taken.has(id))) held.add(draft.attachment.type);
  }
}

/** Nothing can be offered: the request goes out with what was sent before. */
function undecided(engine: Engine, requestView: RequestView, problem: string): Decision {
  rememberUnwritten(engine, requestView);
  return { requestView, drafts: [], again: [], fresh: [], trace: () => [], problem };
}

function turnState(
  engine: Engine,
  requestView: RequestView,
  { hasPrompt, observations }: DecideOptions,
): TurnState {
  const { turn, view, choice, assistantTurns } = requestView;
  const { journal } = engine;
  const { state } = journal;
  engine.due ??= dueFacts(state.facts, view);
  const recorded = engine.due;
  const turns = turnsNow(state.facts.turns, { assistant: assistantTurns, isFirst: state.turn === 0 });
  let facts: Facts | undefined;
  let sent: TurnState["sent"] | undefined;
  return {
    turns,
    notes: recorded.notes,
    // Made when a type is asked: where nothing changed, none is.
    get facts() {
      facts ??= factsFor(engine, { view, recorded, turns }, observations);
      return facts;
    },
    view,
    get sent() {
      sent ??= sentByType(view);
      return sent;
    },
    turn,
    branch: choice.id,
    hasPrompt,
    opening: isOpening(requestView, state),
    observations,
  };
}

const HELD = {
  outcome: "throttled",
  reason: "another session object or process has claimed it; it is due again when the claim ends",
  tokens: 0,
  bytes: 0,
} as const;

/** Nothing new: only earlier reminders are put back. */
function withoutDrafts({ trace }: Composition): Composition {
  const held = trace().map((entry) => (entry.tokens === 0 ? entry : { ...entry, ...HELD }));
  return composedOf([], held);
}

/** Without what others hold, a type may have nothing left to say. */
function withHeld(composed: Composition, held: ReadonlySet<string>): Composition {
  if (held.size === 0) return composed;
  const isHeld = ({ type, outcome }: TraceEntry) => held.has(type) && outcome === "nothing";
  const trace = composed.trace().map((entry) => (isHeld(entry) ? { ...entry, ...HELD } : entry));
  return composedOf(composed.drafts, trace);
}

/** Whether this is the first turn of the session, or of a view that began anew: it has a larger budget. */
function isOpening({ choice, view }: RequestView, { turn, turnSeq, branches }: State): boolean {
  const isNew = choice.fresh && branches[choice.id] === undefined;
  return turn === 0 || isNew || (view.since?.seq ?? 0) > turnSeq;
}

/** The facts of this turn: the edges due on its branch, what the sources observed, who the agent is. */
function factsFor(
  engine: Engine,
  { view, recorded, turns }: Pick<RequestView, "view"> & { recorded: RecordedFacts; turns: TurnsFact },
  observations: ReadonlyMap<string, Observation>,
): Facts {
  const { agent, settings } = engine;
  const { criticalSystemReminder, untrustedFrom, ofProject } = agent.definition ?? {};
  const maxUsd = settings.max_budget_usd;
  const { critical_instruction: instruction, project_instruction: project } = settings;
  const own: Omit<Facts, ObservedName> = {
    ...recorded,
    turns,
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
  const facts = own as Facts & Record<string, unknown>;
  for (const [name, { observed }] of observations) facts[name] = observed;
  return facts;
}

/** Answers in the first history are from before the session; those that a host reports are not. */
function turnsNow(turns: TurnsFact, { assistant, isFirst }: { assistant: number; isFirst: boolean }) {
  const before = isFirst && !turns.reported ? assistant : turns.before;
  return { ...turns, assistant, before };
}

function wordsOfProject({ content, from, trusted }: ProjectText): CriticalWords {
  return { content, ofProject: true, ...(trusted ? {} : { from }) };
}

function dueFacts(facts: RecordedFacts, view: RequestView["view"]): RecordedFacts {
  const due = Object.entries<unknown>(facts).map(([name, fact]) => {
    // The same object where nothing is due or settled, as most of them are.
    if (!hasEdges(fact) || (fact.pending.length === 0 && fact.settled.length === 0)) return [name, fact];
    return [name, { ...fact, pending: dueEdges(fact, view), settled: [] }];
  });
  const recorded = Object.fromEntries(due) as unknown as RecordedFacts;
  const { mode } = recorded;
  if (mode !== facts.mode) mode.pending = dueInModes(facts.mode, mode.pending);
  return recorded;
}
