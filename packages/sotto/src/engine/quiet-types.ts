// Remembers which types had nothing to send, and what they looked at: while that stays the same they are not asked again.

import type { Attachment } from "../attachments/attachment.ts";
import type { Settings } from "../config/schema.ts";
import type { Facts } from "../facts/facts.ts";
import type { View } from "../history/view.ts";
import type { Journal } from "../log/journal.ts";
import type { Delivery, State } from "../log/state.ts";
import type { Outcome } from "../log/trace.ts";
import type { Observation } from "./ask-sources.ts";

/** What types look at in a turn. */
interface TurnGrounds {
  facts: Pick<Facts, "turns">;
  view: Pick<View, "lost" | "since" | "inView">;
  branch: string;
  hasPrompt: boolean;
  observations: ReadonlyMap<string, Observation>;
}

interface SessionGrounds {
  journal: Pick<Journal, "state" | "revision">;
  settings: Settings;
}

export interface QuietTypes {
  /** Begins a turn: forgets everything if what all types look at has changed. */
  begin(engine: SessionGrounds, state: TurnGrounds): void;
  /** The outcome of the last time, if asking again would give the same. */
  outcomeOf(attachment: Attachment, state: TurnGrounds): Outcome | undefined;
  /** Nothing of the type is due. */
  keep(attachment: Attachment, state: TurnGrounds, outcome: Outcome): void;
}

/** What all types look at. */
interface Grounds {
  journal: State;
  /** Counts everything in the log but turns. */
  revision: number;
  settings: unknown;
  hasPrompt: boolean;
  branch: string;
  lost: unknown;
  since: number | undefined;
  inView: readonly Delivery[];
}

interface Silence {
  outcome: Outcome;
  /** What it alone looks at. */
  grounds: readonly unknown[];
}

/** `types`: those whose triggers are pure. A host's own are asked in every turn. */
export function createQuietTypes(types: readonly Attachment[]): QuietTypes {
  const pure = new Set(types);
  const silences = new Map<Attachment, Silence>();
  let last: Grounds | undefined;
  return {
    begin(engine, state) {
      const now = groundsOf(engine, state);
      // What was overtaken is said once, in the next turn.
      const isSame = last !== undefined && isSameGrounds(last, now) && !hasOvertaken(engine);
      if (!isSame) silences.clear();
      last = hasOvertaken(engine) ? undefined : now;
    },
    outcomeOf(attachment, state) {
      const known = silences.get(attachment);
      if (known === undefined) return undefined;
      const now = ownGrounds(attachment, state);
      if (!known.grounds.every((one, at) => Object.is(one, now[at]))) return undefined;
      // The log's state has the same one: one copy is enough.
      const stored = last?.journal.outcomes[attachment.type];
      if (stored?.outcome === known.outcome.outcome && stored.reason === known.outcome.reason)
        known.outcome = stored;
      return known.outcome;
    },
    keep(attachment, state, outcome) {
      if (last === undefined || !pure.has(attachment)) return;
      silences.set(attachment, { outcome, grounds: ownGrounds(attachment, state) });
    },
  };
}

function hasOvertaken({ journal }: SessionGrounds): boolean {
  return journal.state.superseded.length > 0;
}

function groundsOf({ journal, settings }: SessionGrounds, { view, hasPrompt, branch }: TurnGrounds): Grounds {
  return {
    journal: journal.state,
    revision: journal.revision,
    settings,
    hasPrompt,
    branch,
    lost: view.lost,
    since: view.since?.seq,
    inView: [...view.inView.keys()],
  };
}

function isSameGrounds({ inView: before, ...one }: Grounds, { inView: now, ...other }: Grounds): boolean {
  const isSame = Object.entries(one).every(([name, value]) =>
    Object.is(value, other[name as keyof typeof other]),
  );
  return isSame && before.length === now.length && before.every((delivery, at) => delivery === now[at]);
}

// For all types that look at nothing else.
const NONE: unknown[] = [];

/** The values of observed facts, how their sources answered, and the counters that pass with every turn. */
function ownGrounds({ needs }: Attachment, { facts, observations }: TurnGrounds): unknown[] {
  let grounds: unknown[] = NONE;
  const add = (...values: unknown[]) => {
    grounds = grounds === NONE ? values : [...grounds, ...values];
  };
  for (const name of needs) {
    const observation = observations.get(name);
    if (observation !== undefined) {
      const { observed, status, reason } = observation;
      add(observed.known ? observed.value : observed.why, observed.known, status, reason);
    } else if (name === "turns") add(facts.turns.assistant, facts.turns.before);
  }
  return grounds;
}
