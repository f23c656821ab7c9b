// A draft: one thing that is due, rendered and weighed, and cut where it has to be.

import type { Attachment, Content } from "./attachment.ts";
import type { Verdict } from "./budget.ts";
import type { TypeSettings } from "./config.ts";
import type { SessionContext } from "./context.ts";
import { errorText } from "./errors.ts";
import { type Candidate, refusePromise } from "./evaluate.ts";
import type { StoredBlock } from "./reminder.ts";
import { blockTokens, cutContent, renderBlocks } from "./render.ts";

export interface Draft {
  candidate: Candidate;
  blocks: StoredBlock[];
  tokens: number;
}

/** With what it was rendered from, so that it can be cut. */
export type Rendered = Draft & { content: Content };

export function toDraft(candidate: Candidate, settings: TypeSettings, context: SessionContext): Rendered {
  const { attachment, due } = candidate;
  const content = attachment.render(due.data, { tools: context.vocabulary, options: settings.options });
  refusePromise(content, "its render");
  const blocks = blocksOf(content, attachment, context);
  return { candidate, content, blocks, tokens: blockTokens(blocks) };
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
  const { candidate, content } = draft;
  const where = whereRest(candidate, context);
  const note = `(cut to fit ${cutTo} tokens${where === undefined ? "" : `; ${where}`})`;
  const render = (part: Content) => blocksOf(part, candidate.attachment, context);
  const fits = (part: Content) => blockTokens(render(part)) <= cutTo;
  const blocks = render(cutContent(content, fits, note));
  const tokens = blockTokens(blocks);
  if (tokens > cutTo) return { putOff: `${draft.tokens} tokens, and no room to cut it to ${cutTo}` };
  return { candidate, blocks, tokens };
}

function blocksOf(content: Content, attachment: Attachment, { tags }: SessionContext): StoredBlock[] {
  return renderBlocks(content, {
    tags,
    wrapper: attachment.wrap === "own-tags" ? undefined : "system-reminder",
  });
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
