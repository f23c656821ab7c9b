// A draft: one thing that is due, rendered and weighed, and cut where it has to be.

import type { Attachment, Content } from "./attachment.ts";
import type { Verdict } from "./budget.ts";
import type { TypeSettings } from "./config.ts";
import type { SessionContext } from "./context.ts";
import { errorText } from "./errors.ts";
import { type Candidate, refusePromise } from "./evaluate.ts";
import type { StoredBlock } from "./reminder.ts";
import { blockTokens, cutContent, firstOf, renderBlocks } from "./render.ts";
import { withTemplate } from "./type-templates.ts";

export interface Draft {
  candidate: Candidate;
  blocks: StoredBlock[];
  tokens: number;
  /** For the trace: what became of the user's template for it. */
  note?: string;
  /** A project's template made the text. */
  ofProject?: true;
}

/** With what it was rendered from, so that it can be cut. */
export type Rendered = Draft & { content: Content; wrapper?: string | undefined };

const WRAPPER = "system-reminder";

export function toDraft(candidate: Candidate, settings: TypeSettings, context: SessionContext): Rendered {
  const { attachment, due } = candidate;
  const whole = attachment.render(due.data, { tools: context.vocabulary, options: settings.options });
  refusePromise(whole, "its render");
  const content = firstOf(whole, mostCharacters(context));
  const wrapper = attachment.wrap === "own-tags" ? undefined : WRAPPER;
  const builtIn = renderBlocks(content, { tags: context.tags, wrapper });
  const template = context.templates.get(attachment.type);
  // A silent type stays silent.
  if (template === undefined || builtIn.length === 0)
    return { candidate, content, wrapper, blocks: builtIn, tokens: blockTokens(builtIn) };
  const { inTag, ...own } = withTemplate(content, template, due.data);
  const around = inTag ? wrapper : WRAPPER;
  const blocks = renderBlocks(own.content, { tags: context.tags, wrapper: around });
  return { candidate, ...own, wrapper: around, blocks, tokens: blockTokens(blocks) };
}

/** More than fits into any budget, whatever it is made of: beyond it nothing has to be looked at. */
function mostCharacters({ settings }: SessionContext): number {
  const { max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens } = settings;
  return 16 * Math.max(max_tokens_per_turn, max_prompt_tokens, max_memory_tokens, max_context_tokens, 5000);
}

/** Of what is too large to be shown: that it is there. */
export function shortDraft(attachment: Attachment, edge: string, { tags }: SessionContext): Rendered {
  const content = `Something of the kind ${attachment.type} came and is too large to be shown: ${errorText(edge)}.`;
  const blocks = renderBlocks(content, { tags, wrapper: WRAPPER });
  const due = { data: undefined, covers: [edge], carries: "untrusted" as const };
  const candidate = { attachment, due, hash: "" };
  return { candidate, content, wrapper: WRAPPER, blocks, tokens: blockTokens(blocks) };
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
  const { candidate, content, wrapper } = draft;
  const where = whereRest(candidate, context);
  const note = `(cut to fit ${cutTo} tokens${where === undefined ? "" : `; ${where}`})`;
  const render = (part: Content) => renderBlocks(part, { tags: context.tags, wrapper });
  const fits = (part: Content) => blockTokens(render(part)) <= cutTo;
  const blocks = render(cutContent(content, fits, note));
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
