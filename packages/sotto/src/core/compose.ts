// Deciding what this turn says: every type asked, what is due rendered, weighed and budgeted.

import type { Attachment } from "./attachment.ts";
import { spendBudget, type Verdict } from "./budget.ts";
import type { TypeSettings } from "./config.ts";
import type { SessionContext } from "./context.ts";
import { type Draft, fitDraft, type Rendered, toDraft } from "./draft.ts";
import { errorText } from "./errors.ts";
import { evaluate } from "./evaluate.ts";
import type { Facts } from "./facts.ts";
import type { Observation } from "./observe.ts";
import type { StoredBlock } from "./reminder.ts";
import type { Delivery } from "./state.ts";
import type { Outcome, OutcomeKind, TraceEntry } from "./trace.ts";
import type { View } from "./view.ts";

export type { Draft } from "./draft.ts";

export interface Composition {
  drafts: Draft[];
  trace: TraceEntry[];
}

export interface ComposeOptions {
  context: SessionContext;
  facts: Facts;
  view: View;
  turn: number;
  hasPrompt: boolean;
  /** First turn of the session, or of the view. */
  opening: boolean;
  observations: ReadonlyMap<string, Observation>;
}

// A trigger cannot be interrupted: one that holds the thread longer than this is treated as failing.
const OVERRUN_MS = 100;

interface Asked {
  attachment: Attachment;
  drafts: Rendered[];
  silenced?: Outcome;
  outcome?: Outcome;
  /** Sources it needs that had nothing new to say. */
  unsure?: readonly string[];
  ms: number;
}

export function compose(options: ComposeOptions): Composition {
  const said = saidByType(options.view);
  const asked = options.context.catalogue.map((attachment) => ask(attachment, said, options));
  const all = asked.flatMap(({ attachment, drafts }) =>
    drafts.map((draft) => ({ attachment, draft, tokens: draft.tokens })),
  );
  const verdicts = spendBudget(all, options.context.settings, options.opening);
  const results = new Map(all.map(({ draft }, index) => [draft, verdicts[index] as Verdict]));
  const drafts: Draft[] = [];
  const trace = asked.map((one) => {
    const sent = one.drafts.flatMap((draft) => {
      const settled = fitDraft(draft, results.get(draft) as Verdict, options.context);
      if (!("putOff" in settled)) return [settled];
      results.set(draft, settled);
      return [];
    });
    drafts.push(...sent);
    return traceOf(one, sent, results);
  });
  return { drafts, trace };
}

function ask(attachment: Attachment, said: Map<string, Delivery[]>, options: ComposeOptions): Asked {
  const { context, turn } = options;
  const { platform, rests } = context;
  const settings = context.settings.types.get(attachment.type) as TypeSettings;
  const closed = whyClosed(attachment, settings, options);
  if (closed !== undefined) return { attachment, drafts: [], outcome: closed, ms: 0 };
  const from = platform.monotonic();
  const result = askOpen(attachment, settings, said.get(attachment.type) ?? [], options);
  const ms = platform.monotonic() - from;
  rests.note(attachment.type, turn, result.failed === true || ms > OVERRUN_MS);
  return { attachment, ...result, ms };
}

function whyClosed(
  attachment: Attachment,
  settings: TypeSettings,
  options: ComposeOptions,
): Outcome | undefined {
  const { context, turn, hasPrompt } = options;
  if (!context.settings.enabled) return { outcome: "off", reason: "switched off: enabled = false" };
  if (!settings.enabled) return { outcome: "off", reason: `switched off: attachments.${attachment.type}` };
  if (attachment.tier === "main_agent" && context.agent.kind === "sub")
    return { outcome: "nothing", reason: "for the main agent only, this is a sub-agent" };
  if (attachment.tier === "user_prompt" && !hasPrompt)
    return { outcome: "nothing", reason: "no user input in this turn" };
  const until = context.rests.restsUntil(attachment.type, turn);
  return until === undefined
    ? undefined
    : { outcome: "resting", reason: `until turn ${until}: it failed or held the thread 3 times in a row` };
}

function askOpen(
  attachment: Attachment,
  settings: TypeSettings,
  said: Delivery[],
  { context, facts, turn, observations }: ComposeOptions,
): Omit<Asked, "attachment" | "ms"> & { failed?: true } {
  const { state } = context.journal;
  const evaluation = evaluate({
    attachment,
    settings,
    facts,
    said,
    turn,
    confirmed: state.confirmed[attachment.type] ?? 0,
    throttlesFrom: state.throttlesFrom,
    observations,
    hash: context.platform.hash,
  });
  if ("outcome" in evaluation) {
    const { outcome, failed } = evaluation;
    const overtaken = state.superseded.find(({ type }) => type === attachment.type);
    const told: Outcome =
      outcome.outcome === "nothing" && overtaken !== undefined
        ? { outcome: "superseded", reason: overtaken.reason }
        : outcome;
    return { drafts: [], outcome: told, ...(failed ? { failed } : {}) };
  }
  try {
    const drafts = evaluation.candidates.map((candidate) => toDraft(candidate, settings, context));
    const speaking = drafts.filter(({ blocks }) => blocks.length > 0);
    if (speaking.length === 0)
      return { drafts: [], outcome: { outcome: "nothing", reason: "it renders to nothing" } };
    return {
      drafts: speaking,
      unsure: unsureSources(attachment, observations),
      ...(evaluation.silenced === undefined ? {} : { silenced: evaluation.silenced }),
    };
  } catch (error) {
    return { drafts: [], outcome: { outcome: "failed", reason: errorText(error) }, failed: true };
  }
}

function traceOf(asked: Asked, sent: readonly Draft[], verdicts: Map<Draft, Verdict>): TraceEntry {
  const { attachment, ms } = asked;
  const tokens = sent.reduce((sum, draft) => sum + draft.tokens, 0);
  const bytes = sent.reduce((sum, draft) => sum + bytesOf(draft.blocks), 0);
  const outcome = asked.outcome ?? outcomeOf(asked, sent, verdicts);
  return { generator: attachment.generator, type: attachment.type, ...outcome, ms, bytes, tokens };
}

function outcomeOf(
  { drafts, silenced, unsure = [] }: Asked,
  sent: readonly Draft[],
  verdicts: Map<Draft, Verdict>,
): Outcome {
  const putOff = drafts.flatMap((draft) => {
    const verdict = verdicts.get(draft) as Verdict;
    return typeof verdict === "object" && "putOff" in verdict ? [verdict.putOff] : [];
  });
  if (sent.length === 0) return { outcome: "over budget", reason: `put off: ${putOff[0]}` };
  const cut = drafts.some(
    (draft) => typeof verdicts.get(draft) === "object" && "cutTo" in (verdicts.get(draft) as object),
  );
  const kind: OutcomeKind = cut ? "cut" : "sent";
  const notes = [
    `${sent.length} ${cut ? "sent, cut to fit the budget" : "sent"}`,
    ...(putOff.length > 0 ? [`${putOff.length} put off: ${putOff[0]}`] : []),
    ...(silenced === undefined ? [] : [`others ${silenced.outcome}: ${silenced.reason}`]),
    ...unsure,
  ];
  return { outcome: kind, reason: notes.join("; ") };
}

function unsureSources(
  { needs }: Attachment,
  observations: ReadonlyMap<string, Observation>,
): readonly string[] {
  return needs.flatMap((name) => {
    const observation = observations.get(name);
    return observation === undefined || observation.status === "ready" ? [] : [observation.reason];
  });
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

function bytesOf(blocks: readonly StoredBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? new TextEncoder().encode(block.text).length : 0),
    0,
  );
}
