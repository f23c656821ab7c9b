// The tokenizer that the estimate is measured against: 30 MB that nothing else needs.

import { installed } from "./installed.ts";

export type Encode = (text: string) => readonly number[];

/** Where its module is. */
export function realTokenizer(): string {
  return installed("tokenizer", "gpt-tokenizer/esm/encoding/o200k_base.js").href;
}
