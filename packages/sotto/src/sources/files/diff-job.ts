// A job for the worker: comparing large texts.

import { type ChangeSnippet, changeSnippet } from "../../core/diff-snippet.ts";

export function compareTexts(input: { before: string; after: string; maxLines: number }): ChangeSnippet {
  return changeSnippet(input.before, input.after, { maxLines: input.maxLines });
}
