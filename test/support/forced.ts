// Attachments that have something to say whatever happened: one of their examples, or what a test makes of it.

import type { Attachment } from "sotto/extend";

export interface ForcedOptions {
  /** What to say; the first example unless given. */
  data?: unknown;
  /** In place of its own name, so that it stands beside the one in the catalogue. */
  type?: string;
}

/** The same type with its tier, tags, words and budget, and a trigger that is always due. */
export function forced(attachment: Attachment, { data, type }: ForcedOptions = {}): Attachment {
  return {
    ...attachment,
    type: type ?? `forced_${attachment.type}`,
    generator: `forced_${attachment.generator}`,
    aliases: [],
    needs: [],
    throttle: {},
    defaultEnabled: true,
    trigger: () => [{ data: data ?? attachment.examples[0].data }],
  };
}

/** Room for all of them in one turn. */
export const boundless = {
  max_tokens_per_turn: 1_000_000,
  max_context_tokens: 1_000_000,
  max_memory_tokens: 1_000_000,
  max_prompt_tokens: 1_000_000,
};
