// Deciding what this turn says: every type asked, what is due rendered, weighed and budgeted.

import { type Asked, ask, askForFewer, type ComposeOptions } from "./ask.ts";
import { askForPart, weightOf } from "./ask-part.ts";
import { spendBudget, type Verdict } from "./budget.ts";
import { type Draft, fitDraft, type Rendered } from "./draft.ts";
import { bytesOf } from "../render/reminder.ts";
import type { Delivery } from "../log/state.ts";
import { strayNotes } from "./stray-notes.ts";
import type { Outcome, OutcomeKind, TraceEntry } from "../log/trace.ts";
import type { View } from "../history/view.ts";
import { reasonsInLine } from "../render/wording.ts";

export type { Draft } from "./draft.ts";

export interface Composition {
  drafts: Draft[];
  trace: TraceEntry[];
}

// Each halves what is too much for one turn, or finds a part of it that fits: enough for a thousand letters at once.
const TRIES = 24;

export function compose(options: ComposeOptions): Composition {
  const said = saidByType(options.view);
  const { catalogue } = options.context;
  const asked = [
    ...catalogue.map((attachment) => ask(attachment, said, options)),
    ...strayNotes(options.facts.notes, catalogue),
  ];
  let verdicts = weigh(asked, options);
  for (let tries = 0; tries < TRIES; tries++) {
    const crowded = asked.flatMap((one, index) =>
      crowdedDrafts(one, verdicts).map((draft) => ({ index, draft })),
    )[0];
    if (crowded === undefined) break;
    const { index, draft } = crowded;
    const one = asked[index] as Asked;
    const covers = draft.candidate.due.covers ?? [];
    asked[index] =
      covers.length > 1
        ? askForFewer(one, covers, said, options)
        : askForPart(one, { draft, room: cutTo(verdicts.get(draft)), said, options });
    verdicts = weigh(asked, options);
  }
  const drafts: Draft[] = [];
  const trace = asked.map((one) => {
    const sent = one.drafts.flatMap((draft) => {
      const settled = fitDraft(draft, verdicts.get(draft) as Verdict, options.context);
      if (!("putOff" in settled)) return [settled];
      verdicts.set(draft, settled);
      return [];
    });
    drafts.push(...sent);
    return withSources(traceOf(one, sent, verdicts), one, options);
  });
  return { drafts, trace };
}

function weigh(asked: readonly Asked[], { context, view, opening }: ComposeOptions): Map<Draft, Verdict> {
  const all = asked.flatMap(({ attachment, drafts }) =>
    drafts.map((draft) => ({ attachment, draft, ...weightOf(draft) })),
  );
  const again = view.again.flatMap(({ delivery: { type, tokens } }) =>
    context.catalogue.filter((one) => one.type === type).map((attachment) => ({ attachment, tokens })),
  );
  const verdicts = spendBudget(all, context.settings, opening, again);
  return new Map(all.map(({ draft }, index) => [draft, verdicts[index] as Verdict]));
}

/** One-shots told together that would be cut: fewer of them may fit whole. Or one that may come in parts. */
function crowdedDrafts({ attachment, drafts }: Asked, verdicts: Map<Draft, Verdict>): Rendered[] {
  return drafts.filter((draft) => {
    const count = draft.candidate.due.covers?.length ?? 0;
    const mayBeLess = (attachment.oneShot && count > 1) || (attachment.inParts && count === 1);
    return mayBeLess && isCut(verdicts.get(draft));
  });
}

function isCut(verdict: Verdict | undefined): boolean {
  return typeof verdict === "object" && "cutTo" in verdict;
}

function cutTo(verdict: Verdict | undefined): number {
  return typeof verdict === "object" && "cutTo" in verdict ? verdict.cutTo : 0;
}

function traceOf(asked: Asked, sent: readonly Draft[], verdicts: Map<Draft, Verdict>): TraceEntry {
  const { attachment, ms, spared } = asked;
  const tokens = sent.reduce((sum, draft) => sum + draft.tokens, 0);
  const bytes = sent.reduce((sum, draft) => sum + bytesOf(draft.blocks), 0);
  const outcome =
    asked.outcome === undefined ? outcomeOf(asked, sent, verdicts) : silentOutcome(asked.outcome, asked);
  const entry = { generator: attachment.generator, type: attachment.type, ...outcome, ms, bytes, tokens };
  return spared === undefined ? entry : { ...entry, spared };
}

/** A type that waits for a slow source is slow, however quickly it decides. One that is off waits for nothing. */
function withSources(entry: TraceEntry, { attachment }: Asked, { observations }: ComposeOptions): TraceEntry {
  const times = attachment.needs.map((name) => observations.get(name)?.ms ?? 0);
  const sourceMs = entry.outcome === "off" ? 0 : Math.max(0, ...times);
  return sourceMs === 0 ? entry : { ...entry, ms: entry.ms + sourceMs, sourceMs };
}

/** Nothing is said, and something is set aside: that is the reason to look up. */
function silentOutcome({ outcome, reason }: Outcome, { aside = [] }: Asked): Outcome {
  if (aside.length === 0) return { outcome, reason };
  return { outcome: "failed", reason: aside.join("; ") };
}

function outcomeOf(
  { drafts, silenced, left, aside = [], unsure = [] }: Asked,
  sent: readonly Draft[],
  verdicts: Map<Draft, Verdict>,
): Outcome {
  const putOff = drafts.flatMap((draft) => {
    const verdict = verdicts.get(draft) as Verdict;
    return typeof verdict === "object" && "putOff" in verdict ? [verdict.putOff] : [];
  });
  const silent = sent.filter(({ blocks }) => blocks.length === 0).length;
  if (silent > 0 && silent === sent.length)
    return { outcome: "nothing", reason: `${silent} noted: nothing is said of it` };
  const notesOf = (list: readonly Draft[]) => [
    ...new Set(list.flatMap(({ candidate }) => candidate.due.note ?? [])),
  ];
  const whyPutOff = reasonsInLine(putOff);
  if (sent.length === 0)
    return { outcome: "over budget", reason: [`put off: ${whyPutOff}`, ...notesOf(drafts)].join("; ") };
  const cut = drafts.some((draft) => isCut(verdicts.get(draft)));
  const kind: OutcomeKind = cut ? "cut" : "sent";
  const notes = [
    `${sent.length} ${cut ? "sent, cut to fit the budget" : "sent"}`,
    ...(putOff.length > 0 ? [`${putOff.length} put off: ${whyPutOff}`] : []),
    ...(left === undefined ? [] : [`${left.size} put off: too much for one turn`]),
    ...(silenced === undefined ? [] : [`others ${silenced.outcome}: ${silenced.reason}`]),
    ...aside,
    ...notesOf(sent),
    ...new Set(sent.flatMap(({ note }) => note ?? [])),
    ...unsure,
  ];
  return { outcome: kind, reason: notes.join("; ") };
}

function saidByType(view: View): Map<string, Delivery[]> {
  const said = new Map<string, Delivery[]>();
  for (const { delivery } of view.inView) {
    const list = said.get(delivery.type);
    if (list === undefined) said.set(delivery.type, [delivery]);
    else list.push(delivery);
  }
  for (const list of said.values()) list.sort((a, b) => a.seq - b.seq);
  return said;
}
