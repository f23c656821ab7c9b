// Asks one type what is due: whether it may be sent at all, its trigger, its texts. Asks again for less if need be.

import type { Attachment } from "../attachments/attachment.ts";
import { leftOutBy } from "../config/layers.ts";
import { type Facts, hasEdges, lengthsOf, pendingUpTo } from "../facts/facts.ts";
import type { Outcome, Spared, TypeOutcome } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import { type Draft, shortDraft, toDraft, weightOf } from "./draft.ts";
import type { Engine } from "./engine.ts";
import { allFailed, evaluate, settingsOf, type TurnState } from "./evaluate.ts";
import { FAILURES_BEFORE_REST } from "./rests.ts";
import { type Failure, findFailing, toFailure } from "./set-aside.ts";

// A type's own code cannot be interrupted: one that holds the thread longer than this counts as failing. Neutralising
// is not counted: nobody may silence a type by writing a long text.
const OVERRUN_MS = 100;

/** What one type answers in a turn. */
export interface Answer {
  attachment: Attachment;
  drafts: readonly Draft[];
  /** Its outcome in the trace, if it does not depend on the budget. */
  outcome?: Outcome;
  /** Why other things of the type are not sent. */
  others?: Outcome;
  spared?: Spared;
  /** Sources it needs that did not answer. */
  unsure?: readonly string[];
  /** Edges left for a later turn. */
  left?: ReadonlySet<string>;
  /** For the trace: what cannot be sent, and why. */
  aside?: readonly string[];
  /** Nothing is due, and nothing went wrong. */
  isQuiet?: true;
  /** Its outcome with its type: the same object for as long as the answer is the same. */
  said?: TypeOutcome;
  ms: number;
}

export function ask(engine: Engine, attachment: Attachment, state: TurnState): Answer {
  const { platform, rests } = engine;
  const { type } = attachment;
  const closed = whyClosed(engine, attachment, state);
  if (closed !== undefined) return { attachment, drafts: [], outcome: closed, isQuiet: true, ms: 0 };
  const until = rests.restsUntil(type, state.turn);
  if (until !== undefined) return { attachment, drafts: [], outcome: resting(until), ms: 0 };
  const from = platform.monotonic();
  let engineMs = 0;
  const onEngineTime = (ms: number) => {
    engineMs += ms;
  };
  const { failures: _failures, hasFailed, ...answer } = askSifted(engine, attachment, state, onEngineTime);
  const ms = platform.monotonic() - from;
  if (hasFailed || ms - engineMs > OVERRUN_MS) rests.failed(type, state.turn);
  else rests.succeeded(type);
  return { attachment, ...answer, ms };
}

/** Why a type is not even asked. */
function whyClosed(engine: Engine, attachment: Attachment, state: TurnState): Outcome | undefined {
  const { type, tier } = attachment;
  const { settings } = engine;
  if (!settings.enabled) return { outcome: "off", reason: "switched off: enabled = false" };
  if (!settingsOf(engine, attachment).enabled) {
    const why = engine.doneByAgent.get(type) ?? leftOutBy(settings.preset, attachment);
    const key = `attachments.${type}`;
    return { outcome: "off", reason: `switched off: ${why === undefined ? key : `${why} (${key})`}` };
  }
  if (tier === "main_agent" && engine.agent.kind === "sub")
    return { outcome: "nothing", reason: "for the main agent only, this is a sub-agent" };
  const lacking = missingTool(engine, attachment, state.facts);
  if (lacking !== undefined) return { outcome: "nothing", reason: `the agent has no tool for ${lacking}` };
  // What an earlier prompt asked for, and was not sent then, is still due.
  if (tier === "user_prompt" && !state.hasPrompt && pendingOf(attachment, state.facts).length === 0)
    return { outcome: "nothing", reason: "no user input in this turn" };
  return undefined;
}

function resting(until: number): Outcome {
  const times = `${FAILURES_BEFORE_REST} times in a row`;
  return { outcome: "resting", reason: `until turn ${until}: it failed or held the thread ${times}` };
}

/** What the tool is for that a type needs and the agent is known to lack. */
function missingTool({ vocabulary }: Engine, { requiresTool }: Attachment, facts: Facts): string | undefined {
  if (requiresTool === undefined || vocabulary.tool(requiresTool.name) !== undefined) return undefined;
  return requiresTool.unless?.(facts) ? undefined : requiresTool.for;
}

type Asked = Omit<Answer, "attachment" | "ms"> & { failures: Failure[]; hasFailed?: true };

/** Asks without the edges that are known to be bad, and looks for more of them if it fails. */
function askSifted(
  engine: Engine,
  attachment: Attachment,
  state: TurnState,
  onEngineTime: (ms: number) => void,
): Asked {
  const { facts } = state;
  const known = engine.aside?.get(attachment.type) ?? new Map<string, Failure>();
  const whole = known.size === 0 ? askOpen(engine, attachment, state, onEngineTime) : undefined;
  if (whole?.failures.length === 0) return whole;
  const pending = pendingOf(attachment, facts);
  const only = (ids: readonly string[]) =>
    askOpen(engine, attachment, { ...state, facts: withOnly(facts, ids) }, onEngineTime);
  const sound = pending.filter((id) => !known.has(id));
  const first = whole ?? only(sound);
  const sifted =
    first.failures.length === 0
      ? { aside: known, left: [] }
      : findFailing(sound, first.failures, (ids) => only(ids).failures[0]);
  // None of the edges is to blame: send what else is due.
  if (sifted === undefined) return first;
  const aside = new Map([...known, ...sifted.aside]);
  engine.aside ??= new Map();
  engine.aside.set(attachment.type, aside);
  const away = new Set([...aside.keys(), ...sifted.left]);
  const answer = first.failures.length === 0 ? first : only(pending.filter((id) => !away.has(id)));
  const shown = pending.filter((id) => aside.has(id));
  const tooLarge = shown.filter((id) => aside.get(id)?.tooLarge);
  return {
    ...withDrafts(
      answer,
      tooLarge.map((id) => shortDraft(engine, attachment, id)),
    ),
    aside: shown.map((id) => `${errorText(id)} set aside: ${aside.get(id)?.reason}`),
    ...(sifted.left.length === 0 ? {} : { left: new Set(sifted.left) }),
  };
}

function withDrafts({ outcome, ...asked }: Asked, more: readonly Draft[]): Asked {
  if (more.length > 0) return { ...asked, drafts: [...asked.drafts, ...more] };
  return outcome === undefined ? asked : { ...asked, outcome };
}

function askOpen(
  engine: Engine,
  attachment: Attachment,
  state: TurnState,
  onEngineTime: (ms: number) => void,
): Asked {
  const { due, failures, outcome, spared: amount, isQuiet } = evaluate(engine, attachment, state);
  const spared = amount === undefined ? {} : { spared: amount };
  if (due.length === 0 && outcome !== undefined) {
    const hasFailed = outcome.outcome === "failed" && failures.length > 0;
    return {
      drafts: [],
      outcome: (outcome.outcome === "nothing" && overtaken(engine, attachment)) || outcome,
      failures,
      ...spared,
      ...(hasFailed ? { hasFailed } : {}),
      ...(isQuiet ? { isQuiet } : {}),
    };
  }
  const drafts = due.flatMap((one) => {
    try {
      return [toDraft(engine, { attachment, ...one }, onEngineTime)];
    } catch (error) {
      failures.push(toFailure(error, one.due.covers));
      return [];
    }
  });
  // An edge is settled even if nothing is sent for it.
  const counted = drafts.filter((draft) => draft.blocks.length > 0 || coversOf(draft).length > 0);
  if (counted.length === 0 && failures.length > 0)
    return { drafts: [], failures, outcome: allFailed(failures).outcome, hasFailed: true };
  if (counted.length === 0)
    return { drafts: [], failures, outcome: { outcome: "nothing", reason: "its text is empty" } };
  const others = outcome ?? overtaken(engine, attachment);
  return {
    drafts: counted,
    failures,
    unsure: unsureSources(attachment, state),
    ...(failures.length === 0 ? {} : { aside: failures.map(({ reason }) => `1 set aside: ${reason}`) }),
    ...spared,
    ...(others === undefined ? {} : { others }),
  };
}

function overtaken({ journal }: Engine, { type }: Attachment): Outcome | undefined {
  const by = journal.state.superseded.find((one) => one.type === type);
  return by === undefined ? undefined : { outcome: "superseded", reason: by.reason };
}

function unsureSources({ needs }: Attachment, { observations }: TurnState): readonly string[] {
  return needs.flatMap((name) => {
    const observation = observations.get(name);
    return observation === undefined || observation.status === "ready" ? [] : [observation.reason];
  });
}

export function coversOf({ due }: Draft): readonly string[] {
  return due.covers ?? [];
}

function pendingOf({ needs }: Attachment, facts: Facts): string[] {
  return needs.flatMap((name) => {
    const fact: unknown = facts[name];
    return hasEdges(fact) ? fact.pending.map(({ id }) => id) : [];
  });
}

/** The facts with only these edges pending. */
function withOnly(facts: Facts, ids: readonly string[]): Facts {
  const kept = new Set(ids);
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]: [string, unknown]) =>
      hasEdges(fact)
        ? [name, { ...fact, pending: fact.pending.filter(({ id }) => kept.has(id)) }]
        : [name, fact],
    ),
  ) as unknown as Facts;
}

/**
 * Asks again with half of the edges that one of its drafts covers. The others wait for a later turn, and so does what
 * would take their place.
 */
export function askForFewer(engine: Engine, before: Answer, draft: Draft, state: TurnState): Answer {
  const covers = coversOf(draft);
  const half = covers.slice(Math.ceil(covers.length / 2));
  const kept = before.drafts.flatMap(coversOf).filter((id) => !half.includes(id));
  const answer = ask(engine, before.attachment, { ...state, facts: withOnly(state.facts, kept) });
  return { ...answer, left: new Set([...(before.left ?? []), ...half, ...(answer.left ?? [])]) };
}

// At least this much is sent, even if what surrounds it takes the whole budget: otherwise it would never get through.
const LEAST_CHARACTERS = 64;
// How much of a part may be given up so that it ends with a line or a word.
const NEAT_SHARE = 0.2;
const PART_NOTE = "a part of it: the rest comes in later requests";

/**
 * Asks again for the longest part of an edge that fits into `room` tokens; the rest of it comes in later requests.
 * Nothing behind it overtakes it.
 */
export function askForPart(
  engine: Engine,
  before: Answer,
  { draft, room }: { draft: Draft; room: number },
  state: TurnState,
): Answer {
  const { attachment, drafts } = before;
  const [id] = coversOf(draft) as readonly [string];
  const kept = drafts.flatMap(coversOf);
  const facts = withOnly(state.facts, kept);
  const alone = withOnly(facts, [id]);
  const fits = (at: number): boolean => {
    const divided = pendingUpTo(alone, { id, at });
    const part =
      divided && askOpen(engine, attachment, { ...state, facts: divided }, () => undefined).drafts[0];
    return part !== undefined && weightOf(part).tokens <= room;
  };
  const at = longestFitting(lengthsOf(alone, id), fits);
  const divided = at === undefined ? undefined : pendingUpTo(facts, { id, at });
  if (at === undefined || divided === undefined)
    return { ...before, drafts: drafts.map((one) => (one === draft ? { ...one, smallest: true } : one)) };
  const answer = ask(engine, attachment, { ...state, facts: divided });
  const left = [...(before.left ?? []), ...(answer.left ?? []), ...kept.slice(kept.indexOf(id) + 1)];
  const asPart = (one: Draft): Draft => {
    const note = one.note === undefined ? PART_NOTE : `${one.note}; ${PART_NOTE}`;
    return coversOf(one).includes(id) ? { ...one, note, smallest: true, divides: { id, at } } : one;
  };
  return {
    ...answer,
    drafts: answer.drafts.map(asPart),
    ...(left.length === 0 ? {} : { left: new Set(left) }),
  };
}

/** Tries from the short end, so that a text that is far too long is never assembled as a whole. */
function longestFitting(
  of: { text: string; length: number } | undefined,
  fits: (at: number) => boolean,
): number | undefined {
  if (of === undefined) return undefined;
  const { text, length } = of;
  const least = Math.min(LEAST_CHARACTERS, text.length) || 1;
  if (length <= least) return undefined;
  let low = least;
  let high = Math.min(2 * least, length - 1);
  while (high < length - 1 && fits(high)) {
    low = high;
    high = Math.min(2 * high, length - 1);
  }
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low < text.length ? neatEnd(text, low) : low;
}

/** After a line, or else a word, if one ends nearby; never inside a character or a line break. */
function neatEnd(text: string, at: number): number {
  const from = Math.max(1, Math.ceil(at * (1 - NEAT_SHARE)));
  const near = text.slice(from, at);
  const line = near.lastIndexOf("\n");
  if (line >= 0) return from + line + 1;
  const word = near.lastIndexOf(" ");
  if (word >= 0) return from + word + 1;
  const isInside = text.codePointAt(at - 1) !== text.charCodeAt(at - 1) || text.startsWith("\r\n", at - 1);
  return isInside && at > 1 ? at - 1 : at;
}
