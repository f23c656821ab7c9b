// A worker's job: compares large texts.

import { type ChangeSnippet, changeSnippet, type SnippetOptions } from "./diff/snippet.ts";

interface Texts extends SnippetOptions {
  before: string;
  after: string;
}

export function compareTexts({ before, after, ...options }: Texts): ChangeSnippet {
  return changeSnippet(before, after, options);
}
