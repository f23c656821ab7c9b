// The facts as this turn may know them: edges still due on its branch, what sources said, who the agent is.

import type { ProjectText } from "../config/schema.ts";
import type { SessionContext } from "./context.ts";
import { dueEdges } from "../facts/pending.ts";
import { hasEdges } from "../facts/all.ts";
import { dueInModes } from "../facts/mode.ts";
import type { TurnsFact } from "../facts/turns.ts";
import type { CriticalWords, Facts, Observed, ObservedName, RecordedFacts } from "../facts/facts.ts";
import type { Observation } from "./observe.ts";
import type { Situation } from "./read-request.ts";

export function factsFor(
  context: SessionContext,
  { view, assistantTurns }: Situation,
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

function dueFacts(facts: RecordedFacts, view: Situation["view"]): RecordedFacts {
  const due = Object.entries(facts).map(([name, fact]) =>
    hasEdges(fact) ? [name, { ...fact, pending: dueEdges(fact, view), settled: [] }] : [name, fact],
  );
  const recorded = Object.fromEntries(due) as unknown as RecordedFacts;
  return { ...recorded, mode: { ...recorded.mode, pending: dueInModes(facts.mode, recorded.mode.pending) } };
}
