// Deciding what this turn says: every type asked, what is due rendered, weighed and budgeted.

import * as v from "valibot";
import type { Attachment } from "../attachments/attachment.ts";
import type { EventOf } from "../facts/events.ts";
import { lengthsOf, pendingUpTo } from "../facts/facts.ts";
import type { NoteEdge, NotesFact } from "../facts/notes.ts";
import { issueText } from "../facts/parse-event.ts";
import type { View } from "../history/view.ts";
import type { Delivery } from "../log/state.ts";
import type { Outcome, OutcomeKind, TraceEntry } from "../log/trace.ts";
import { SottoError } from "../platform/errors.ts";
import { bytesOf } from "../render/reminder.ts";
import { reasonsInLine } from "../render/wording.ts";
import { type Asked, ask, askForFewer, type ComposeOptions, draftsWith, withOnly } from "./ask.ts";
import { type Draft, fitDraft, type Rendered, spendBudget, type Verdict } from "./draft.ts";

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

// What a person wrote and is too long for a turn: the longest part of it that fits, and the rest in later requests.

export interface PartOptions {
  /** Of one edge, and larger than the room there is for it. */
  draft: Rendered;
  room: number;
  said: Map<string, Delivery[]>;
  options: ComposeOptions;
}

// So much is said of it even where what stands around it takes all the room: else it would never get through.
const LEAST_CHARACTERS = 64;
// How much of a part may be given up for it to end where a line or a word does.
const NEAT_SHARE = 0.2;
// Agents that count characters take about as many for a token.
const CHARACTERS_PER_TOKEN = 4.5;
const NOTE = "a part of it: the rest comes in later requests";

/** The same, with the first part of the edge in its place. What is behind it waits: nothing overtakes it. */
export function askForPart(asked: Asked, { draft, room, said, options }: PartOptions): Asked {
  const { attachment, drafts, left: before = new Set() } = asked;
  const [id] = draft.candidate.due.covers as readonly [string];
  const kept = drafts.flatMap(({ candidate }) => candidate.due.covers ?? []);
  const facts = withOnly(options.facts, kept);
  const alone = withOnly(facts, [id]);
  const fits = (at: number): boolean => {
    const divided = pendingUpTo(alone, { id, at });
    const part = divided && draftsWith(attachment, divided, said, options)[0];
    return part !== undefined && weightOf(part).tokens <= room;
  };
  const at = longestFitting(lengthsOf(alone, id), fits);
  const divided = at === undefined ? undefined : pendingUpTo(facts, { id, at });
  // It cannot be made smaller.
  if (at === undefined || divided === undefined)
    return { ...asked, drafts: drafts.map((one) => (one === draft ? { ...one, smallest: true } : one)) };
  const again = ask(attachment, said, { ...options, facts: divided });
  const left = [...before, ...(again.left ?? []), ...kept.slice(kept.indexOf(id) + 1)];
  const isPart = ({ candidate }: Rendered) => candidate.due.covers?.includes(id);
  return {
    ...again,
    drafts: again.drafts.map((one) =>
      isPart(one) ? { ...one, note: noteOf(one), smallest: true, divides: { id, at } } : one,
    ),
    ...(left.length === 0 ? {} : { left: new Set(left) }),
  };
}

/** Of what is never cut, blank space counts as well: there are agents that count characters. */
export function weightOf(draft: Rendered): {
  tokens: number;
  uncut?: boolean | undefined;
  smallest?: boolean | undefined;
} {
  const { candidate, blocks, tokens, smallest } = draft;
  const { uncut } = candidate.due;
  if (!candidate.attachment.inParts) return { tokens, uncut };
  const characters = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  return { tokens: Math.max(tokens, Math.ceil(characters / CHARACTERS_PER_TOKEN)), uncut, smallest };
}

/** Tries from the short end on, so that what is far too long is never put together as a whole. */
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

/** Behind a line, else behind a word, where there is one near; never inside a character or a line end. */
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

function noteOf({ note }: Rendered): string {
  return note === undefined ? NOTE : `${note}; ${NOTE}`;
}

// Notes of a host under a name that is no silent type: refused, or reported where only the log shows them.

type Catalogue = readonly Attachment[];

/** Throws when what is noted does not fit the silent type it is noted as. */
export function checkNote({ attachment }: EventOf<"noted">, catalogue: Catalogue): void {
  const { type, ...data } = attachment;
  const silent = takerOf(type, catalogue);
  if (silent === undefined) return;
  const fits = v.safeParse(silent.schema, data, { abortEarly: true });
  if (!fits.success)
    throw new SottoError("invalid_event", issueText(`noted.attachment(${type})`, fits.issues[0]));
}

/** Under names nobody takes notes for: an error in the trace, one for each name, and nothing is said. */
export function strayNotes({ pending }: NotesFact, catalogue: Catalogue): Asked[] {
  const strays = pending.filter(({ type }) => takerOf(type, catalogue) === undefined);
  return [...Map.groupBy(strays, ({ type }) => type)].map(([type, edges]) => {
    const isKnown = catalogue.some((one) => one.type === type);
    const reason = isKnown
      ? "the host noted it, and it is no silent type: it is said by itself"
      : `the host noted ${JSON.stringify(type.slice(0, 100))}, and there is no such type`;
    const attachment = strayType(type, isKnown);
    return {
      attachment,
      drafts: edges.map(({ id, data }) => ({
        candidate: { attachment, due: { data, covers: [id] }, hash: "" },
        neutral: [],
        blocks: [],
        tokens: 0,
      })),
      outcome: { outcome: "failed", reason },
      ms: 0,
    };
  });
}

function takerOf(type: string, catalogue: Catalogue): Attachment | undefined {
  return catalogue.find((one) => one.type === type && one.needs.includes("notes"));
}

/** Named as the host did where that can be a name; else, and where a type has an outcome of its own, `noted`. */
function strayType(type: NoteEdge["type"], isKnown: boolean): Attachment {
  const name = !isKnown && /^[a-z][a-z0-9_]{0,99}$/u.test(type) ? type : "noted";
  return {
    type: name,
    generator: "noted",
    summary: "A note of no known type.",
    tier: "event",
    when: "a host notes something under a name that is no silent type",
    needs: ["notes"],
    schema: v.looseObject({}),
    carries: "untrusted",
    trigger: () => [],
    render: () => [],
    examples: [{ title: "a note", data: {} }],
  };
}
