// Decides what a turn sends: asks every type, spends the token budget, cuts what is too long. One trace entry a type.

import type { Attachment } from "../attachments/attachment.ts";
import type { Outcome, OutcomeKind, TraceEntry, TypeOutcome } from "../log/trace.ts";
import { bytesOf } from "../render/reminder.ts";
import { reasonsInLine } from "../render/wording.ts";
import { type Answer, ask, askForFewer, askForPart, coversOf } from "./ask.ts";
import { spendBudget, type Verdict } from "./budget.ts";
import { type Draft, fitDraft, weightOf } from "./draft.ts";
import type { Engine } from "./engine.ts";
import type { TurnState } from "./evaluate.ts";
import { strayNotes } from "./notes.ts";

export interface Composition {
  drafts: Draft[];
  /** What became of each type. */
  outcomes: readonly TypeOutcome[];
  /** The same with times and sizes; made when somebody looks at it. */
  trace(): TraceEntry[];
}

/** `trace` as a composition. */
export function composedOf(drafts: Draft[], trace: TraceEntry[]): Composition {
  return { drafts, outcomes: trace, trace: () => trace };
}

// Each halves what is too much for one turn, or finds a part of it that fits: enough for a thousand messages at once.
const TRIES = 24;

export function compose(engine: Engine, state: TurnState): Composition {
  const { catalogue } = engine;
  const answers = catalogue.map((attachment, place) => askUnlessQuiet(engine, attachment, { place, state }));
  answers.push(...strayNotes(state.notes, catalogue));
  if (answers.every(({ drafts }) => drafts.length === 0)) return silent(answers, state);
  let verdicts = weigh(engine, answers, state);
  for (let tries = 0; tries < TRIES; tries++) {
    const tooLong = firstTooLong(answers, verdicts);
    if (tooLong === undefined) break;
    const { index, answer, draft, room } = tooLong;
    answers[index] =
      coversOf(draft).length > 1
        ? askForFewer(engine, answer, draft, state)
        : askForPart(engine, answer, { draft, room }, state);
    verdicts = weigh(engine, answers, state);
  }
  const drafts: Draft[] = [];
  const trace = answers.map((answer) => {
    const sent = answer.drafts.flatMap((draft) => {
      const fitted = fitDraft(engine, draft, verdicts.get(draft) as Verdict);
      if (!("putOff" in fitted)) return [fitted];
      verdicts.set(draft, fitted);
      return [];
    });
    drafts.push(...sent);
    return traceOf(answer, { sent, verdicts, state });
  });
  return composedOf(drafts, trace);
}

function silent(answers: readonly Answer[], state: TurnState): Composition {
  let trace: TraceEntry[] | undefined;
  const make = () => answers.map((answer) => traceOf(answer, { sent: NONE, verdicts: NO_VERDICTS, state }));
  return { drafts: [], outcomes: answers.map(outcomeIn), trace: () => (trace ??= make()) };
}

/** Of a type that has no draft. */
function outcomeIn({
  attachment: { type },
  outcome,
  aside = NO_TEXTS,
  spared,
  said: known,
}: Answer): TypeOutcome {
  if (known !== undefined) return known;
  const said = silentOutcome(outcome as Outcome, aside);
  const entry: TypeOutcome = { type, outcome: said.outcome, reason: said.reason };
  if (spared !== undefined) entry.spared = spared;
  return entry;
}

const NONE: readonly Draft[] = [];
const NO_VERDICTS: Verdicts = new Map();
const NO_TEXTS: readonly string[] = [];

/** A type that had nothing to send is not asked while nothing it looks at has changed. */
function askUnlessQuiet(
  engine: Engine,
  attachment: Attachment,
  { place, state }: { place: number; state: TurnState },
): Answer {
  const { quiet } = engine;
  const known = quiet.answerOf(place, state);
  if (known !== undefined) return known;
  const answer = ask(engine, attachment, state);
  if (answer.isQuiet && answer.aside === undefined && answer.outcome !== undefined)
    quiet.keep(place, state, answer.outcome);
  return answer;
}

type Verdicts = Map<Draft, Verdict>;

function weigh({ catalogue, settings }: Engine, answers: readonly Answer[], state: TurnState): Verdicts {
  const drafts = answers.flatMap((answer) => answer.drafts);
  const again = state.view.again.flatMap(({ type, tokens }) =>
    catalogue.filter((one) => one.type === type).map((attachment) => ({ attachment, tokens })),
  );
  const verdicts = spendBudget(drafts.map(weightOf), settings, state.opening, again);
  return new Map(drafts.map((draft, index) => [draft, verdicts[index] as Verdict]));
}

/** The first draft that would be cut and can be made smaller: one-shots sent together, or one that may come in parts. */
function firstTooLong(answers: readonly Answer[], verdicts: Verdicts) {
  for (const [index, answer] of answers.entries())
    for (const draft of answer.drafts) {
      const count = coversOf(draft).length;
      const { repeat, whenTooLong } = answer.attachment;
      const room = cutTo(verdicts.get(draft));
      if (
        room !== undefined &&
        ((repeat === "never" && count > 1) || (whenTooLong === "split" && count === 1))
      )
        return { index, answer, draft, room };
    }
  return undefined;
}

function cutTo(verdict: Verdict | undefined): number | undefined {
  return typeof verdict === "object" && "cutTo" in verdict ? verdict.cutTo : undefined;
}

interface TraceOptions {
  sent: readonly Draft[];
  verdicts: Verdicts;
  state: TurnState;
}

function traceOf(answer: Answer, { sent, verdicts, state }: TraceOptions): TraceEntry {
  const { attachment, aside = NO_TEXTS, spared } = answer;
  const { generator, type } = attachment;
  const { outcome, reason } =
    answer.outcome === undefined ? outcomeOf(answer, sent, verdicts) : silentOutcome(answer.outcome, aside);
  const sourceMs = outcome === "off" ? 0 : slowestSource(answer, state);
  // Written out: there is one for each type in every turn.
  const entry: TraceEntry = {
    generator,
    type,
    outcome,
    reason,
    ms: answer.ms + sourceMs,
    bytes: 0,
    tokens: 0,
  };
  for (const draft of sent) {
    entry.bytes += bytesOf(draft.blocks);
    entry.tokens += draft.tokens;
  }
  if (spared !== undefined) entry.spared = spared;
  if (sourceMs !== 0) entry.sourceMs = sourceMs;
  return entry;
}

/** A type that waits for a slow source is slow, however quickly it decides. */
function slowestSource({ attachment }: Answer, { observations }: TurnState): number {
  let slowest = 0;
  for (const name of attachment.needs) slowest = Math.max(slowest, observations.get(name)?.ms ?? 0);
  return slowest;
}

/** If nothing is sent because something was set aside, that is the reason. */
function silentOutcome(outcome: Outcome, aside: readonly string[]): Outcome {
  return aside.length === 0 ? outcome : { outcome: "failed", reason: aside.join("; ") };
}

function outcomeOf(
  { drafts, others, left, aside = [], unsure = [] }: Answer,
  sent: readonly Draft[],
  verdicts: Verdicts,
): Outcome {
  const putOff = drafts.flatMap((draft) => {
    const verdict = verdicts.get(draft) as Verdict;
    return typeof verdict === "object" && "putOff" in verdict ? [verdict.putOff] : [];
  });
  const silent = sent.filter(({ blocks }) => blocks.length === 0).length;
  if (silent > 0 && silent === sent.length)
    return { outcome: "nothing", reason: `${silent} noted: no text is sent for it` };
  const notesOf = (list: readonly Draft[]) => [...new Set(list.flatMap(({ due }) => due.note ?? []))];
  const whyPutOff = reasonsInLine(putOff);
  if (sent.length === 0)
    return { outcome: "over budget", reason: [`put off: ${whyPutOff}`, ...notesOf(drafts)].join("; ") };
  const isCut = drafts.some((draft) => cutTo(verdicts.get(draft)) !== undefined);
  const kind: OutcomeKind = isCut ? "cut" : "sent";
  const notes = [
    `${sent.length} ${isCut ? "sent, cut to fit the budget" : "sent"}`,
    ...(putOff.length > 0 ? [`${putOff.length} put off: ${whyPutOff}`] : []),
    ...(left === undefined ? [] : [`${left.size} put off: too much for one turn`]),
    ...(others === undefined ? [] : [`others ${others.outcome}: ${others.reason}`]),
    ...aside,
    ...notesOf(sent),
    ...new Set(sent.flatMap(({ note }) => note ?? [])),
    ...unsure,
  ];
  return { outcome: kind, reason: notes.join("; ") };
}
