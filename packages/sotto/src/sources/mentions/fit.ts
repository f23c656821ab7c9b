// How many tokens a content takes as it is shown, and a text that is cut, line by line, to what there is room for.

import { estimateTokens, IMAGE_TOKENS } from "../../render/tokens.ts";
import { numberLines } from "../../render/wording.ts";
import type { FileContent } from "./content.ts";
import { firstLines } from "./lines.ts";

type Text = Extract<FileContent, { type: "text" }>;

export function tokensOf(content: FileContent): number {
  switch (content.type) {
    case "image":
      return IMAGE_TOKENS;
    case "text":
      return estimateTokens(numberLines(content.content, content.startLine));
    case "notebook":
      return estimateTokens(
        content.cells.map(({ source, outputs }) => [source, ...outputs].join("\n")).join("\n"),
      );
    case "pdf":
      return estimateTokens(content.pages.map(({ text }) => text).join("\n"));
  }
}

/** Undefined where not even one line fits. */
export function fitLines(text: Text, tokens: number): Text | undefined {
  const first = (numLines: number): Text => ({
    ...text,
    content: firstLines(text.content, numLines),
    numLines,
  });
  let fits = 0;
  let most = text.numLines;
  while (fits < most) {
    const middle = (fits + most + 1) >> 1;
    if (tokensOf(first(middle)) <= tokens) fits = middle;
    else most = middle - 1;
  }
  return fits === 0 ? undefined : first(fits);
}
