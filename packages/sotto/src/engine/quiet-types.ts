// Remembers which types had nothing to send, and what they looked at: while that stays the same they are not asked again.

import type { Attachment } from "../attachments/attachment.ts";
import type { Settings } from "../config/schema.ts";
import type { ToolNames } from "../facts/agent.ts";
import type { Facts } from "../facts/facts.ts";
import type { View } from "../history/view.ts";
import type { Journal } from "../log/journal.ts";
import type { Delivery, State } from "../log/state.ts";
import { type Outcome, sharedOutcome, type TypeOutcome } from "../log/trace.ts";
import type { Observation } from "./ask-sources.ts";

/** What types look at in a turn, besides the facts. */
interface TurnGrounds {
  view: Pick<View, "lost" | "since" | "inView">;
  branch: string;
  hasPrompt: boolean;
  observations: ReadonlyMap<string, Observation>;
}

interface SessionGrounds {
  journal: Pick<Journal, "state" | "revision" | "takeChangedFacts">;
  settings: Settings;
  vocabulary: ToolNames;
}

/** The answer of a type that has nothing to send. */
export interface Silence {
  attachment: Attachment;
  drafts: readonly [];
  outcome: Outcome;
  /** Its outcome with its type: the same object for as long as the answer is the same. */
  said: TypeOutcome;
  ms: number;
}

export interface QuietTypes {
  /** Begins a turn: forgets what no longer holds. True if everything but counters and observations is as it was. */
  begin(engine: SessionGrounds, state: TurnGrounds): boolean;
  /** The answer of the last time, if asking again would give the same. `place`: of the type in the catalogue. */
  answerOf(place: number, facts: Pick<Facts, "turns">): Silence | undefined;
  /** Nothing of the type is due. */
  keep(place: number, facts: Pick<Facts, "turns">, outcome: Outcome): void;
  /** All are asked again in the next turn: they looked at something that shows nowhere here. */
  forget(): void;
}

/** What all types look at. */
interface Grounds {
  journal: State;
  /** Of the log, without turns and events that change facts only. */
  revision: number;
  settings: unknown;
  vocabulary: unknown;
  hasPrompt: boolean;
  branch: string;
  lost: unknown;
  since: number | undefined;
  inView: readonly Delivery[];
}

/** Which types look at counters, by their place; the same for all sessions that have these types. */
const counting = new WeakMap<readonly Attachment[], readonly boolean[]>();

function countingIn(types: readonly Attachment[]): readonly boolean[] {
  const known = counting.get(types) ?? types.map(({ needs }) => needs.includes("turns"));
  counting.set(types, known);
  return known;
}

/** `types`: those whose triggers are pure, first in the catalogue. A host's own are asked in every turn. */
export function createQuietTypes(types: readonly Attachment[]): QuietTypes {
  return new Silences(types);
}

const NOTHING_OBSERVED: ReadonlyMap<string, unknown> = new Map();

class Silences implements QuietTypes {
  readonly #types: readonly Attachment[];
  readonly #counting: readonly boolean[];
  /** By the place of the type. */
  #silences: (Silence | undefined)[];
  /** When types that look at counters were last asked: what they said at others no longer holds. */
  #assistant = 0;
  #before = 0;
  #last: Grounds | undefined;
  #observed = NOTHING_OBSERVED;

  constructor(types: readonly Attachment[]) {
    this.#types = types;
    this.#counting = countingIn(types);
    this.#silences = noneOf(types);
  }

  begin(engine: SessionGrounds, state: TurnGrounds): boolean {
    const now = groundsOf(engine, state);
    // What was overtaken is said once, in the next turn.
    const isSame = this.#last !== undefined && isSameGrounds(this.#last, now) && !hasOvertaken(engine);
    const changed = engine.journal.takeChangedFacts();
    const news = changedNames(this.#observed, state.observations);
    if (!isSame) this.#silences = noneOf(this.#types);
    else if (news.length > 0 || changed.size > 0)
      for (const [index, { needs }] of this.#types.entries())
        if (needs.some((name) => changed.has(name) || news.includes(name))) this.#silences[index] = undefined;
    this.#last = hasOvertaken(engine) ? undefined : now;
    this.#observed = marksOf(state.observations);
    return isSame && changed.size === 0;
  }

  answerOf(place: number, { turns }: Pick<Facts, "turns">): Silence | undefined {
    const known = this.#silences[place];
    if (known === undefined || !this.#counting[place]) return known;
    return this.#assistant === turns.assistant && this.#before === turns.before ? known : undefined;
  }

  keep(place: number, { turns }: Pick<Facts, "turns">, outcome: Outcome): void {
    const type = this.#types[place];
    if (this.#last === undefined || type === undefined) return;
    if (this.#counting[place]) this.#countFrom(turns);
    const known = this.#silences[place]?.outcome;
    if (known?.outcome !== outcome.outcome || known.reason !== outcome.reason)
      this.#silences[place] = silenceOf(type, sharedOutcome(outcome));
  }

  #countFrom({ assistant, before }: Facts["turns"]): void {
    if (this.#assistant === assistant && this.#before === before) return;
    for (const [place, counts] of this.#counting.entries()) if (counts) this.#silences[place] = undefined;
    this.#assistant = assistant;
    this.#before = before;
  }

  forget(): void {
    this.#last = undefined;
  }
}

/** As long as it will be: a list that grows keeps room for more. */
function noneOf(types: readonly Attachment[]): undefined[] {
  return new Array<undefined>(types.length).fill(undefined);
}

/** The same for all sessions. */
const knownSilences = new WeakMap<Attachment, WeakMap<Outcome, Silence>>();

function silenceOf(attachment: Attachment, outcome: Outcome): Silence {
  const known = knownSilences.get(attachment) ?? new WeakMap<Outcome, Silence>();
  knownSilences.set(attachment, known);
  const { type } = attachment;
  const silence: Silence = known.get(outcome) ?? {
    attachment,
    drafts: [],
    outcome,
    said: { type, ...outcome },
    ms: 0,
  };
  known.set(outcome, silence);
  return silence;
}

function hasOvertaken({ journal }: SessionGrounds): boolean {
  return journal.state.superseded.length > 0;
}

function groundsOf(
  { journal, settings, vocabulary }: SessionGrounds,
  { view, hasPrompt, branch }: TurnGrounds,
): Grounds {
  return {
    journal: journal.state,
    revision: journal.revision,
    settings,
    vocabulary,
    hasPrompt,
    branch,
    lost: view.lost,
    since: view.since?.seq,
    inView: [...view.inView.keys()],
  };
}

function isSameGrounds(one: Grounds, other: Grounds): boolean {
  return (
    one.journal === other.journal &&
    one.revision === other.revision &&
    one.settings === other.settings &&
    one.vocabulary === other.vocabulary &&
    one.hasPrompt === other.hasPrompt &&
    one.branch === other.branch &&
    one.lost === other.lost &&
    one.since === other.since &&
    one.inView.length === other.inView.length &&
    one.inView.every((delivery, at) => delivery === other.inView[at])
  );
}

/** The observed facts with another value, and those whose sources could not tell it. */
function changedNames(before: ReadonlyMap<string, unknown>, now: ReadonlyMap<string, Observation>): string[] {
  const changed: string[] = [];
  for (const [name, observation] of now)
    if (!before.has(name) || !Object.is(before.get(name), markOf(observation))) changed.push(name);
  for (const name of before.keys()) if (!now.has(name)) changed.push(name);
  return changed;
}

function marksOf(observations: ReadonlyMap<string, Observation>): ReadonlyMap<string, unknown> {
  const marks = new Map<string, unknown>();
  for (const [name, observation] of observations) marks.set(name, markOf(observation));
  return marks;
}

/** The value; of a source that could not tell it, the observation itself, which no other turn has. */
function markOf(observation: Observation): unknown {
  const { status, observed } = observation;
  return status === "ready" && observed.known ? observed.value : observation;
}
