// The tokens a rehearsed call is said to have cost.

import type { Usage } from "./answer.ts";
import { commonLength, promptBlocks, tokensOf } from "./prompt.ts";
import type { Call } from "./scenario.ts";
import type { Block, RequestBody } from "./requests.ts";

export interface Spent {
  body: RequestBody;
  /** Of the request. */
  tokens: number;
  /** The request of the conversation that was answered last. */
  before: RequestBody | undefined;
  content: readonly Block[];
}

/** What is not pretended is estimated; of the cache, as much is read as the request has in common with the last. */
export function usageOf(pretended: Call["usage"], { body, tokens, before, content }: Spent): Usage {
  const blocks = promptBlocks(body);
  const common = before === undefined ? 0 : commonLength(blocks, promptBlocks(before));
  const input = pretended.input ?? tokens;
  const share = tokens === 0 ? 0 : tokensOf(blocks.slice(0, common)) / tokens;
  return {
    input,
    output: pretended.output ?? tokensOf(content.map((block) => JSON.stringify(block))),
    cacheRead: Math.min(input, pretended.cacheRead ?? Math.round(input * share)),
  };
}
