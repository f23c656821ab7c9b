// Asking one type what is due: whether it may speak at all, its trigger, its texts.

import type { Attachment } from "../attachments/attachment.ts";
import { leftOutBy } from "../config/layers.ts";
import type { TypeSettings } from "../config/schema.ts";
import { type Facts, hasEdges } from "../facts/facts.ts";
import type { View } from "../history/view.ts";
import type { Delivery } from "../log/state.ts";
import type { Outcome, Spared } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import type { SessionContext } from "./context.ts";
import { type Rendered, renderContent, shortDraft, toDraft } from "./draft.ts";
import { type Bad, type Candidate, evaluate, failure, toBad } from "./evaluate.ts";
import type { Observation } from "./observe.ts";

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
  /** What cannot be said, and why: for the trace. */
  aside?: readonly string[];
  ms: number;
}

export function ask(attachment: Attachment, said: Map<string, Delivery[]>, options: ComposeOptions): Asked {
  const { context, turn } = options;
  const { platform, rests } = context;
  const settings = context.settings.types.get(attachment.type) as TypeSettings;
  const closed = whyClosed(attachment, settings, options);
  if (closed !== undefined) return { attachment, drafts: [], outcome: closed, ms: 0 };
  const from = platform.monotonic();
  let ours = 0;
  const notOwn = (spent: number) => {
    ours += spent;
  };
  const question = { attachment, settings, said: said.get(attachment.type) ?? [], notOwn };
  const { bad: _bad, failed, ...result } = askSifted(question, options);
  const ms = platform.monotonic() - from;
  rests.note(attachment.type, turn, failed === true || ms - ours > OVERRUN_MS);
  return { attachment, ...result, ms };
}

interface Question {
  attachment: Attachment;
  /** Told how long the engine itself took with what the type gave. */
  notOwn(ms: number): void;
  settings: TypeSettings;
  /** What it said, in view. */
  said: Delivery[];
}

type Answer = Omit<Asked, "attachment" | "ms"> & { bad: Bad[]; failed?: true };

/** Without what is known to be bad; where there is more of that, it is looked for. */
function askSifted(question: Question, options: ComposeOptions): Answer {
  const { attachment } = question;
  const { context, facts } = options;
  const known = context.aside.get(attachment.type) ?? new Map<string, Bad>();
  const whole = known.size === 0 ? askOpen(question, options) : undefined;
  if (whole?.bad.length === 0) return whole;
  const pending = pendingOf(attachment, facts);
  const only = (ids: readonly string[]) => askOpen(question, { ...options, facts: withOnly(facts, ids) });
  const sound = pending.filter((id) => !known.has(id));
  const first = whole ?? only(sound);
  const sifted =
    first.bad.length === 0
      ? { aside: known, left: [] }
      : findFailing(sound, first.bad, (ids) => only(ids).bad[0]);
  // None of the edges is to blame: what else is due is said.
  if (sifted === undefined) return first;
  const aside = new Map([...known, ...sifted.aside]);
  context.aside.set(attachment.type, aside);
  const away = new Set([...aside.keys(), ...sifted.left]);
  const answer = first.bad.length === 0 ? first : only(pending.filter((id) => !away.has(id)));
  const shown = pending.filter((id) => aside.has(id));
  const told = shown.filter((id) => aside.get(id)?.tooLarge);
  return {
    ...withDrafts(
      answer,
      told.map((id) => shortDraft(attachment, id, context)),
    ),
    aside: shown.map((id) => `${errorText(id)} set aside: ${aside.get(id)?.reason}`),
    ...(sifted.left.length === 0 ? {} : { left: new Set(sifted.left) }),
  };
}

function withDrafts({ outcome, ...answer }: Answer, more: readonly Rendered[]): Answer {
  if (more.length > 0) return { ...answer, drafts: [...answer.drafts, ...more] };
  return outcome === undefined ? answer : { ...answer, outcome };
}

function pendingOf({ needs }: Attachment, facts: Facts): string[] {
  return needs.flatMap((name) => {
    const fact: unknown = facts[name];
    return hasEdges(fact) ? fact.pending.map(({ id }) => id) : [];
  });
}

export function withOnly(facts: Facts, ids: readonly string[]): Facts {
  const kept = new Set(ids);
  return withPending(facts, (id) => kept.has(id));
}

function withPending(facts: Facts, keep: (id: string) => boolean): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]: [string, unknown]) =>
      hasEdges(fact) ? [name, { ...fact, pending: fact.pending.filter(({ id }) => keep(id)) }] : [name, fact],
    ),
  ) as unknown as Facts;
}

function whyClosed(
  attachment: Attachment,
  settings: TypeSettings,
  options: ComposeOptions,
): Outcome | undefined {
  const { context, turn, hasPrompt, facts } = options;
  if (!context.settings.enabled) return { outcome: "off", reason: "switched off: enabled = false" };
  if (!settings.enabled) {
    const own = context.doneByAgent.get(attachment.type) ?? leftOutBy(context.settings.preset, attachment);
    const why =
      own === undefined ? `attachments.${attachment.type}` : `${own} (attachments.${attachment.type})`;
    return { outcome: "off", reason: `switched off: ${why}` };
  }
  if (attachment.tier === "main_agent" && context.agent.kind === "sub")
    return { outcome: "nothing", reason: "for the main agent only, this is a sub-agent" };
  const lacking = lackedTool(attachment, options);
  if (lacking !== undefined) return { outcome: "nothing", reason: `the agent has no tool for ${lacking}` };
  // What an earlier prompt asked for and was not said then is still due.
  if (attachment.tier === "user_prompt" && !hasPrompt && pendingOf(attachment, facts).length === 0)
    return { outcome: "nothing", reason: "no user input in this turn" };
  const until = context.rests.restsUntil(attachment.type, turn);
  return until === undefined
    ? undefined
    : { outcome: "resting", reason: `until turn ${until}: it failed or held the thread 3 times in a row` };
}

/** What the tool is for that a type cannot do without, where the agent is known to lack it. */
function lackedTool(
  { requiresTool }: Attachment,
  { context: { vocabulary }, facts }: ComposeOptions,
): string | undefined {
  if (requiresTool === undefined || vocabulary.tool(requiresTool.name) !== undefined) return undefined;
  return requiresTool.unless?.(facts) ? undefined : requiresTool.for;
}

function askOpen(
  { attachment, settings, said, notOwn }: Question,
  { context, facts, turn, view, observations }: ComposeOptions,
): Answer {
  const { state } = context.journal;
  const evaluation = evaluate({
    attachment,
    settings,
    facts,
    said,
    turn,
    confirmed: state.confirmed[attachment.type] ?? 0,
    confirmedKeys: state.confirmedKeys[attachment.type] ?? {},
    beats: (state.rhythms[attachment.type] ?? []).filter(view.heard),
    throttlesFrom: state.throttlesFrom,
    observations,
    hash: context.platform.hash,
  });
  const { bad } = evaluation;
  const spared = evaluation.spared === undefined ? {} : { spared: evaluation.spared };
  if ("outcome" in evaluation) {
    const { outcome } = evaluation;
    const overtaken = state.superseded.find(({ type }) => type === attachment.type);
    const told: Outcome =
      outcome.outcome === "nothing" && overtaken !== undefined
        ? { outcome: "superseded", reason: overtaken.reason }
        : outcome;
    const failed = outcome.outcome === "failed" && bad.length > 0;
    return { drafts: [], outcome: told, bad, ...spared, ...(failed ? { failed } : {}) };
  }
  const drafts = evaluation.candidates.flatMap((candidate) => {
    try {
      const content = renderContent(candidate, settings, context);
      const from = context.platform.monotonic();
      const draft = toDraft(candidate, content, context);
      notOwn(context.platform.monotonic() - from);
      return [draft];
    } catch (error) {
      bad.push(toBad(error, candidate.due.covers));
      return [];
    }
  });
  // What happened is settled even where nothing is said of it.
  const counted = drafts.filter(({ blocks, candidate }) => blocks.length > 0 || isEdge(candidate));
  if (counted.length === 0 && bad.length > 0) return { drafts: [], ...failure(bad), failed: true };
  if (counted.length === 0)
    return { drafts: [], bad, outcome: { outcome: "nothing", reason: "it renders to nothing" } };
  return {
    drafts: counted,
    bad,
    unsure: unsureSources(attachment, observations),
    ...(bad.length === 0 ? {} : { aside: bad.map(({ reason }) => `1 set aside: ${reason}`) }),
    ...spared,
    ...(evaluation.silenced === undefined ? {} : { silenced: evaluation.silenced }),
  };
}

/** What a type would say if only this were pending: for a look, nothing is noted. */
export function draftsWith(
  attachment: Attachment,
  facts: Facts,
  said: Map<string, Delivery[]>,
  options: ComposeOptions,
): Rendered[] {
  const settings = options.context.settings.types.get(attachment.type) as TypeSettings;
  const question = { attachment, settings, said: said.get(attachment.type) ?? [], notOwn: () => undefined };
  return askOpen(question, { ...options, facts }).drafts;
}

function isEdge({ due }: Candidate): boolean {
  return (due.covers?.length ?? 0) > 0;
}

/**
 * The same with half of the edges that one of its drafts covers: the others wait for a later turn. So does what it had
 * left out by itself, or that would come in their place.
 */
export function askForFewer(
  { attachment, drafts, left: before = new Set() }: Asked,
  covers: readonly string[],
  said: Map<string, Delivery[]>,
  options: ComposeOptions,
): Asked {
  const half = covers.slice(Math.ceil(covers.length / 2));
  const kept = new Set(drafts.flatMap(({ candidate }) => candidate.due.covers ?? []));
  for (const id of half) kept.delete(id);
  const facts = withPending(options.facts, (id) => kept.has(id));
  const asked = ask(attachment, said, { ...options, facts });
  return { ...asked, left: new Set([...before, ...half, ...(asked.left ?? [])]) };
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

// One bad item never holds up another: the edges that make a type fail are found by halving, and set aside.

export interface Sifted {
  /** What cannot be said, by edge: why. */
  aside: Map<string, Bad>;
  /** Good, as far as is known, but too much together: for later turns. */
  left: string[];
}

/** What is wrong when only these edges are pending; nothing when all goes well. */
export type Fails = (pending: readonly string[]) => Bad | undefined;

// Enough for a few among thousands; the next turn goes on from there.
const MOST_TRIES = 64;

/** Nothing where it fails with no edge at all: then none of them is to blame. */
export function findFailing(
  pending: readonly string[],
  bad: readonly Bad[],
  fails: Fails,
): Sifted | undefined {
  let tries = MOST_TRIES;
  const aside = new Map<string, Bad>();
  const unknown = new Set<string>();
  const ask: Fails = (ids) => {
    tries -= 1;
    return fails(ids);
  };
  const search = (ids: readonly string[]): void => {
    if (tries <= 0) {
      for (const id of ids) unknown.add(id);
      return;
    }
    const why = ask(ids);
    const [only] = ids;
    if (why === undefined || only === undefined) return;
    if (ids.length === 1) {
      aside.set(only, why);
      return;
    }
    const middle = ids.length >> 1;
    search(ids.slice(0, middle));
    search(ids.slice(middle));
  };

  const suspects = new Set(bad.flatMap(({ covers = pending }) => covers));
  const clean = pending.filter((id) => !suspects.has(id));
  const isTheirs = ask(clean) === undefined;
  if (!isTheirs && ask([]) !== undefined) return undefined;
  search(isTheirs ? pending.filter((id) => suspects.has(id)) : pending);
  let good = pending.filter((id) => !aside.has(id) && !unknown.has(id));
  const left = [...unknown];
  // Each is fine, all together are not: fewer of them.
  while (good.length > 1 && ask(good) !== undefined) {
    const middle = good.length >> 1;
    left.push(...good.slice(middle));
    good = good.slice(0, middle);
  }
  return { aside, left };
}
