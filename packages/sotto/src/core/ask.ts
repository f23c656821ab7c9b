// Asking one type what is due: whether it may speak at all, its trigger, its texts.

import type { Attachment } from "./attachment.ts";
import type { TypeSettings } from "./config.ts";
import type { SessionContext } from "./context.ts";
import { type Rendered, renderContent, toDraft } from "./draft.ts";
import { errorText } from "./errors.ts";
import { type Candidate, evaluate } from "./evaluate.ts";
import { hasEdges } from "./facts/all.ts";
import type { Facts } from "./facts.ts";
import type { Observation } from "./observe.ts";
import type { Delivery } from "./state.ts";
import type { Outcome, Spared } from "./trace.ts";
import type { View } from "./view.ts";

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

// Its own code cannot be interrupted: a type that holds the thread longer than this is treated as failing. Neutralising
// what others wrote is not its fault: whoever writes a long text must not silence a type.
const OVERRUN_MS = 100;

export interface Asked {
  attachment: Attachment;
  drafts: Rendered[];
  silenced?: Outcome;
  outcome?: Outcome;
  spared?: Spared;
  /** Sources it needs that had nothing new to say. */
  unsure?: readonly string[];
  /** Edges it was asked to leave to a later turn. */
  left?: ReadonlySet<string>;
  ms: number;
}

export function ask(attachment: Attachment, said: Map<string, Delivery[]>, options: ComposeOptions): Asked {
  const { context, turn } = options;
  const { platform, rests } = context;
  const settings = context.settings.types.get(attachment.type) as TypeSettings;
  const closed = whyClosed(attachment, settings, options);
  if (closed !== undefined) return { attachment, drafts: [], outcome: closed, ms: 0 };
  const from = platform.monotonic();
  let own: number | undefined;
  const rendered = () => {
    own = platform.monotonic() - from;
  };
  const result = askOpen(attachment, settings, said.get(attachment.type) ?? [], { ...options, rendered });
  const ms = platform.monotonic() - from;
  rests.note(attachment.type, turn, result.failed === true || (own ?? ms) > OVERRUN_MS);
  return { attachment, ...result, ms };
}

function whyClosed(
  attachment: Attachment,
  settings: TypeSettings,
  options: ComposeOptions,
): Outcome | undefined {
  const { context, turn, hasPrompt, facts } = options;
  if (!context.settings.enabled) return { outcome: "off", reason: "switched off: enabled = false" };
  if (!settings.enabled) {
    const own = context.doneByAgent.get(attachment.type);
    const why =
      own === undefined ? `attachments.${attachment.type}` : `${own} (attachments.${attachment.type})`;
    return { outcome: "off", reason: `switched off: ${why}` };
  }
  if (attachment.tier === "main_agent" && context.agent.kind === "sub")
    return { outcome: "nothing", reason: "for the main agent only, this is a sub-agent" };
  // What an earlier prompt asked for and was not said then is still due.
  if (attachment.tier === "user_prompt" && !hasPrompt && !hasPending(attachment, facts))
    return { outcome: "nothing", reason: "no user input in this turn" };
  const until = context.rests.restsUntil(attachment.type, turn);
  return until === undefined
    ? undefined
    : { outcome: "resting", reason: `until turn ${until}: it failed or held the thread 3 times in a row` };
}

function hasPending({ needs }: Attachment, facts: Facts): boolean {
  return needs.some((name) => {
    const fact: unknown = facts[name];
    return hasEdges(fact) && fact.pending.length > 0;
  });
}

function askOpen(
  attachment: Attachment,
  settings: TypeSettings,
  said: Delivery[],
  { context, facts, turn, observations, rendered }: ComposeOptions & { rendered: () => void },
): Omit<Asked, "attachment" | "ms"> & { failed?: true } {
  const { state } = context.journal;
  const evaluation = evaluate({
    attachment,
    settings,
    facts,
    said,
    turn,
    confirmed: state.confirmed[attachment.type] ?? 0,
    confirmedKeys: state.confirmedKeys[attachment.type] ?? {},
    throttlesFrom: state.throttlesFrom,
    observations,
    hash: context.platform.hash,
  });
  const spared = evaluation.spared === undefined ? {} : { spared: evaluation.spared };
  if ("outcome" in evaluation) {
    const { outcome, failed } = evaluation;
    const overtaken = state.superseded.find(({ type }) => type === attachment.type);
    const told: Outcome =
      outcome.outcome === "nothing" && overtaken !== undefined
        ? { outcome: "superseded", reason: overtaken.reason }
        : outcome;
    return { drafts: [], outcome: told, ...spared, ...(failed ? { failed } : {}) };
  }
  try {
    const contents = evaluation.candidates.map((candidate) => ({
      candidate,
      content: renderContent(candidate, settings, context),
    }));
    rendered();
    const drafts = contents.map(({ candidate, content }) => toDraft(candidate, content, context));
    // What happened is settled even where nothing is said of it.
    const counted = drafts.filter(({ blocks, candidate }) => blocks.length > 0 || isEdge(candidate));
    if (counted.length === 0)
      return { drafts: [], outcome: { outcome: "nothing", reason: "it renders to nothing" } };
    return {
      drafts: counted,
      unsure: unsureSources(attachment, observations),
      ...spared,
      ...(evaluation.silenced === undefined ? {} : { silenced: evaluation.silenced }),
    };
  } catch (error) {
    return { drafts: [], outcome: { outcome: "failed", reason: errorText(error) }, failed: true };
  }
}

function isEdge({ due }: Candidate): boolean {
  return (due.covers?.length ?? 0) > 0;
}

/** The same with half of the edges that one of its drafts covers: the others wait for a later turn. */
export function askForFewer(
  { attachment, left: before = new Set() }: Asked,
  covers: readonly string[],
  said: Map<string, Delivery[]>,
  options: ComposeOptions,
): Asked {
  const left = new Set([...before, ...covers.slice(Math.ceil(covers.length / 2))]);
  const facts = Object.fromEntries(
    Object.entries(options.facts).map(([name, fact]: [string, unknown]) =>
      hasEdges(fact)
        ? [name, { ...fact, pending: fact.pending.filter(({ id }) => !left.has(id)) }]
        : [name, fact],
    ),
  ) as unknown as Facts;
  return { ...ask(attachment, said, { ...options, facts }), left };
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
