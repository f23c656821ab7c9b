// A draft: one thing that is due, rendered and weighed, and cut where it has to be.

import type { Attachment } from "../attachments/attachment.ts";
import type { Content } from "../render/content.ts";
import type { Verdict } from "./budget.ts";
import type { TypeSettings } from "../config/schema.ts";
import type { SessionContext } from "./context.ts";
import { errorText } from "../platform/errors.ts";
import { type Candidate, refusePromise } from "./evaluate.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { assembleBlocks, blockTokens, cutContent, firstOf, neutralContent, neutralOnceMore } from "../render/render.ts";
import { withTemplate } from "../render/template/apply-template.ts";

export interface Draft {
  candidate: Candidate;
  blocks: StoredBlock[];
  tokens: number;
  /** For the trace: what became of the user's template for it. */
  note?: string;
  /** A project's template made the text. */
  ofProject?: true;
  /** It says a part of its edge: so many characters. */
  divides?: { id: string; at: number };
}

/** With what it was put together from, so that it can be cut. */
export type Rendered = Draft & {
  neutral: Content;
  wrapper?: string | undefined;
  /** As small as it can be made without being cut: it is sent as it is. */
  smallest?: true;
};

const WRAPPER = "system-reminder";
const SPARE = 8;

/** What the type itself says; the rest is ours. */
export function renderContent(
  { attachment, due }: Candidate,
  settings: TypeSettings,
  context: SessionContext,
): Content {
  const content = attachment.render(due.data, { tools: context.vocabulary, options: settings.options });
  refusePromise(content, "its render");
  return attachment.inParts || attachment.uncut || due.uncut
    ? firstOf(content)
    : firstOf(content, mostCharacters(context));
}

export function toDraft(candidate: Candidate, content: Content, context: SessionContext): Rendered {
  const { attachment, due } = candidate;
  const wrapper = attachment.wrap === "own-tags" ? undefined : WRAPPER;
  const { nameOf, neutraliser } = context.tags;
  const neutral = neutralContent(content, neutraliser);
  const builtIn = assembleBlocks(neutral, { nameOf, wrapper });
  const template = context.templates.get(attachment.type);
  // A silent type stays silent.
  if (template === undefined || builtIn.length === 0)
    return { candidate, neutral, wrapper, blocks: builtIn, tokens: blockTokens(builtIn) };
  const { inTag, content: ownContent, ...rest } = withTemplate(content, template, due.data);
  const around = inTag ? wrapper : WRAPPER;
  const own = neutralContent(ownContent, neutraliser);
  const blocks = assembleBlocks(own, { nameOf, wrapper: around });
  return { candidate, ...rest, neutral: own, wrapper: around, blocks, tokens: blockTokens(blocks) };
}

/** More than fits into any budget, whatever it is made of: beyond it nothing has to be looked at. */
function mostCharacters({ settings }: SessionContext): number {
  const { max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens } = settings;
  return 16 * Math.max(max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens, 5000);
}

/** Of what is too large to be shown: that it is there. */
export function shortDraft(attachment: Attachment, edge: string, { tags }: SessionContext): Rendered {
  const content = `Something of the kind ${attachment.type} came and is too large to be shown: ${errorText(edge)}.`;
  const neutral = neutralContent(content, tags.neutraliser);
  const blocks = assembleBlocks(neutral, { nameOf: tags.nameOf, wrapper: WRAPPER });
  const due = { data: undefined, covers: [edge], carries: "untrusted" as const };
  const candidate = { attachment, due, hash: "" };
  return { candidate, neutral, wrapper: WRAPPER, blocks, tokens: blockTokens(blocks) };
}

/** As the budget has it: whole, cut, or put off. */
export function fitDraft(
  draft: Rendered,
  verdict: Verdict,
  context: SessionContext,
): Draft | { putOff: string } {
  if (verdict === "send") return draft;
  if ("putOff" in verdict) return verdict;
  const { cutTo } = verdict;
  const { candidate, neutral, wrapper } = draft;
  if (candidate.attachment.inParts && candidate.due.covers?.length)
    return { putOff: `${draft.tokens} tokens, no room for another part in this turn` };
  const where = whereRest(candidate, context);
  const note = `(cut to fit ${cutTo} tokens${where === undefined ? "" : `; ${where}`})`;
  const { nameOf, neutraliser } = context.tags;
  const assemble = (part: Content) => assembleBlocks(part, { nameOf, wrapper });
  const cutWithin = (most: number) => {
    const cut = cutContent(neutral, (part) => blockTokens(assemble(part)) <= most, note);
    return assemble(neutralOnceMore(cut, neutraliser));
  };
  let blocks = cutWithin(cutTo);
  // Where the cut made a tag that had to be neutralised, the text can be a little longer.
  for (let spare = SPARE; blockTokens(blocks) > cutTo && spare < cutTo; spare *= 2)
    blocks = cutWithin(cutTo - spare);
  const tokens = blockTokens(blocks);
  if (tokens > cutTo) return { putOff: `${draft.tokens} tokens, and no room to cut it to ${cutTo}` };
  const { note: about, ofProject } = draft;
  return {
    ...{ candidate, blocks, tokens },
    ...(about === undefined ? {} : { note: about }),
    ...(ofProject ? { ofProject } : {}),
  };
}

/** A text is cut with or without a word about where the rest is. */
function whereRest(
  { attachment, due }: Candidate,
  { settings, vocabulary }: SessionContext,
): string | undefined {
  const options = settings.types.get(attachment.type)?.options;
  try {
    const where: unknown = attachment.rest?.(due.data, { tools: vocabulary, options });
    return typeof where === "string" ? errorText(where) : undefined;
  } catch {
    return undefined;
  }
}
