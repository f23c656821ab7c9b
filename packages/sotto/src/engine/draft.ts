// A draft: one thing that is due, with its text, its size, and how to cut it.

import type { Attachment, Due } from "../attachments/attachment.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { errorText } from "../platform/errors.ts";
import { refusePromise } from "../platform/refuse-promise.ts";
import type { Content } from "../render/content.ts";
import {
  assembleBlocks,
  blockTokens,
  cutContent,
  firstOf,
  neutralContent,
  neutralOnceMore,
} from "../render/render.ts";
import { withTemplate } from "../render/template/apply-template.ts";
import type { Verdict } from "./budget.ts";
import type { Engine } from "./engine.ts";
import { settingsOf } from "./evaluate.ts";

export interface Draft {
  attachment: Attachment;
  due: Due<unknown>;
  /** Of its type and data: the same content has the same hash. */
  hash: string;
  /** What the blocks are assembled from, neutralised. */
  content: Content;
  /** The tag around it; undefined if the content brings its own. */
  wrapper?: string | undefined;
  blocks: StoredBlock[];
  tokens: number;
  /** For the trace: what became of the user's template for it. */
  note?: string;
  /** A project's template made the text. */
  ofProject?: true;
  /** It holds the first `at` characters of this edge. */
  divides?: { id: string; at: number };
  /** It cannot be made smaller without being cut: it is sent as it is. */
  smallest?: true;
}

const WRAPPER = "system-reminder";
const SPARE = 8;

/** Renders what is due. `onEngineTime`: called with the time that the engine took, rather than the type. */
export function toDraft(
  engine: Engine,
  { attachment, due, hash }: Pick<Draft, "attachment" | "due" | "hash">,
  onEngineTime: (ms: number) => void,
): Draft {
  const rendered = renderContent(engine, attachment, due);
  const from = engine.platform.monotonic();
  const draft = { attachment, due, hash, ...assembled(engine, attachment, due, rendered) };
  onEngineTime(engine.platform.monotonic() - from);
  return draft;
}

function renderContent(engine: Engine, attachment: Attachment, due: Due<unknown>): Content {
  const { options } = settingsOf(engine, attachment);
  const content = attachment.render(due.data, { tools: engine.vocabulary, options });
  refusePromise(content, "its render is asynchronous: waiting belongs in a source");
  return attachment.whenTooLong !== undefined || due.whenTooLong !== undefined
    ? firstOf(content)
    : firstOf(content, mostCharacters(engine));
}

function assembled(engine: Engine, attachment: Attachment, due: Due<unknown>, rendered: Content) {
  const wrapper = attachment.wrap === "own-tags" ? undefined : WRAPPER;
  const { nameOf, neutraliser } = engine.tags;
  const content = neutralContent(rendered, neutraliser);
  const blocks = assembleBlocks(content, { nameOf, wrapper });
  const template = engine.templates.get(attachment.type);
  // A silent type stays silent.
  if (template === undefined || blocks.length === 0)
    return { content, wrapper, blocks, tokens: blockTokens(blocks) };
  const { inTag, content: own, ...rest } = withTemplate(rendered, template, due.data);
  const ownContent = neutralContent(own, neutraliser);
  const ownWrapper = inTag ? wrapper : WRAPPER;
  const ownBlocks = assembleBlocks(ownContent, { nameOf, wrapper: ownWrapper });
  return {
    ...rest,
    content: ownContent,
    wrapper: ownWrapper,
    blocks: ownBlocks,
    tokens: blockTokens(ownBlocks),
  };
}

/** More than fits into any budget: nothing beyond it has to be looked at. */
function mostCharacters({ settings }: Engine): number {
  const { max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens } = settings;
  return 16 * Math.max(max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens, 5000);
}

/** In place of something that is too large to be shown: that it exists. */
export function shortDraft({ tags }: Engine, attachment: Attachment, edge: string): Draft {
  const text = `Something of the kind ${attachment.type} came and is too large to be shown: ${errorText(edge)}.`;
  const content = neutralContent(text, tags.neutraliser);
  const blocks = assembleBlocks(content, { nameOf: tags.nameOf, wrapper: WRAPPER });
  const due = { data: undefined, covers: [edge], content: "untrusted" as const };
  return { attachment, due, hash: "", content, wrapper: WRAPPER, blocks, tokens: blockTokens(blocks) };
}

/** Agents that count characters take about this many for a token. */
const CHARACTERS_PER_TOKEN = 4.5;

/** What it takes of the budget. Of what is never cut, blank space counts as well: some agents count characters. */
export function weightOf({ attachment, due, blocks, tokens, smallest }: Draft) {
  const uncut = due.whenTooLong === "send";
  if (attachment.whenTooLong !== "split") return { attachment, tokens, uncut };
  const characters = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  const counted = Math.max(tokens, Math.ceil(characters / CHARACTERS_PER_TOKEN));
  return { attachment, tokens: counted, uncut, smallest };
}

/** Applies the budget's verdict: whole, cut, or postponed. */
export function fitDraft(engine: Engine, draft: Draft, verdict: Verdict): Draft | { putOff: string } {
  if (verdict === "send") return draft;
  if ("putOff" in verdict) return verdict;
  const { cutTo } = verdict;
  const { attachment, due, content, wrapper } = draft;
  if (attachment.whenTooLong === "split" && due.covers?.length)
    return { putOff: `${draft.tokens} tokens, no room for another part in this turn` };
  const where = whereRest(engine, draft);
  const note = `(cut to fit ${cutTo} tokens${where === undefined ? "" : `; ${where}`})`;
  const { nameOf, neutraliser } = engine.tags;
  const assemble = (part: Content) => assembleBlocks(part, { nameOf, wrapper });
  const cutWithin = (most: number) => {
    const cut = cutContent(content, (part) => blockTokens(assemble(part)) <= most, note);
    return assemble(neutralOnceMore(cut, neutraliser));
  };
  let blocks = cutWithin(cutTo);
  // If the cut made a tag that had to be neutralised, the text can be a little longer.
  for (let spare = SPARE; blockTokens(blocks) > cutTo && spare < cutTo; spare *= 2)
    blocks = cutWithin(cutTo - spare);
  const tokens = blockTokens(blocks);
  if (tokens > cutTo) return { putOff: `${draft.tokens} tokens, and no room to cut it to ${cutTo}` };
  return { ...draft, blocks, tokens };
}

/** Where to read the rest of a text that is cut, if its type says. */
function whereRest({ settings, vocabulary }: Engine, { attachment, due }: Draft): string | undefined {
  const options = settings.types.get(attachment.type)?.options;
  try {
    const where: unknown = attachment.readMoreAt?.(due.data, { tools: vocabulary, options });
    return typeof where === "string" ? errorText(where) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether it may go into the provider's trusted role: only if every word is the engine's or its user's. File names,
 * branches, agents' names and config values come in through the data, and a project may have chosen any of them. So
 * every text in the data counts as untrusted unless the type lists its field in `trustedFields`.
 */
export function mayBeNative({ attachment, due, blocks, ofProject }: Draft): boolean {
  const trust = due.content ?? attachment.content;
  if (trust !== "trusted" || ofProject || blocks.some(({ type }) => type !== "text")) return false;
  const trusted: readonly string[] = attachment.trustedFields ?? [];
  if (typeof due.data !== "object" || due.data === null) return !holdsText(due.data);
  return Object.entries(due.data).every(([field, value]) => trusted.includes(field) || !holdsText(value));
}

/** Keys of a table are text as well; the names of a type's own fields are not. */
function holdsText(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsText);
  return Object.keys(value).length > 0;
}
