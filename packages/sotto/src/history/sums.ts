// What tells blocks apart, and places in a history: for each block a sum of what it says, and one of all blocks up to it.

import type { HistoryBlock } from "../dialects/dialect.ts";
import type { Print } from "../log/hunks.ts";
import { addText, addWord, type WordSum } from "../platform/word-sum.ts";

/** How prints and the hashes of anchors are made. A log has those of one form: only these can be compared. */
export interface SumsForm {
  name: "words" | "sha-256";
  begin(chain: readonly HistoryBlock[]): Sums;
}

/** The sums of a chain of blocks. */
export interface Sums {
  form: SumsForm["name"];
  /** Of the block that the chain has just got. */
  add(block: HistoryBlock): void;
  /** The hash of the first blocks. */
  over(count: number): string;
  print(index: number): Print;
  /** Of a block that is not in the chain. */
  printOf(block: HistoryBlock): Print;
  /** For a chain of only the first blocks. */
  cut(count: number, chain: readonly HistoryBlock[]): Sums;
}

export const wordSums: SumsForm = { name: "words", begin: (chain) => new WordSums(chain) };

// Of each block: its sum, and that of all blocks up to it, as two numbers each.
const WIDTH = 4;
const ROOM = 16;

class WordSums implements Sums {
  readonly form = "words";
  readonly #chain: readonly HistoryBlock[];
  #list = new Int32Array(ROOM * WIDTH);
  #count = 0;
  readonly #all: WordSum = begin({ high: 0, low: 0 });

  constructor(chain: readonly HistoryBlock[]) {
    this.#chain = chain;
  }

  add(block: HistoryBlock): void {
    const at = this.#count++ * WIDTH;
    if (at === this.#list.length) this.#list = sized(this.#list, 2 * at);
    const { high, low } = sumOf(block);
    const all = this.#all;
    addWord(all, high);
    addWord(all, low);
    const list = this.#list;
    list[at] = high;
    list[at + 1] = low;
    list[at + 2] = all.high;
    list[at + 3] = all.low;
  }

  over(count: number): string {
    if (count === 0) return "";
    return hashText(this.#sumAt(count * WIDTH - 2));
  }

  print(index: number): Print {
    return printText(this.#chain[index] as HistoryBlock, this.#sumAt(index * WIDTH));
  }

  printOf(block: HistoryBlock): Print {
    return printText(block, { ...sumOf(block) });
  }

  cut(count: number, chain: readonly HistoryBlock[]): Sums {
    const cut = new WordSums(chain);
    cut.#list = sized(this.#list.subarray(0, count * WIDTH), Math.max(count, ROOM) * WIDTH);
    cut.#count = count;
    if (count > 0) Object.assign(cut.#all, this.#sumAt(count * WIDTH - 2));
    return cut;
  }

  #sumAt(at: number): WordSum {
    return { high: this.#list[at] as number, low: this.#list[at + 1] as number };
  }
}

function sized(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(list);
  return copy;
}

function begin(sum: WordSum): WordSum {
  sum.high = 0x5bd1e995;
  sum.low = 0x1b873593;
  return sum;
}

// One for all blocks: what asks for a sum reads it at once.
const shared: WordSum = { high: 0, low: 0 };

function sumOf({ role, identity, text }: HistoryBlock): WordSum {
  const sum = begin(shared);
  addWord(sum, role.charCodeAt(0));
  addText(sum, identity);
  if (text !== undefined) addText(sum, text);
  return sum;
}

/** Helps to find an edited block again; never the only evidence. */
function quickSum(text: string): number {
  const sum = begin(shared);
  addText(sum, text);
  return sum.high ^ sum.low;
}

// Long enough to tell texts apart, short enough to survive an edit.
const PART = 8;

function printText({ role, kind, call, text }: HistoryBlock, sum: Readonly<WordSum>): Print {
  const one = role.charCodeAt(0);
  const two = kind.charCodeAt(0);
  if (call?.id !== undefined) return withParts(one, two, sum, quickSum(call.id), quickSum(call.holds));
  if (text) return withParts(one, two, sum, quickSum(text.slice(0, PART)), quickSum(text.slice(-PART)));
  const whole = withParts(one, two, sum, 0, call === undefined ? 0 : quickSum(call.holds));
  return call === undefined ? whole.slice(0, WHOLE) : whole.slice(0, WHOLE) + whole.slice(WHOLE + WITH_MARK);
}

const DOT = 46;
const ID = 35;
const HOLDS = 61;
const LETTERS = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
const letter = (bits: number) => LETTERS[bits & 63] as number;

/** Whether it is one of these prints. */
export function isOfWords(print: Print): boolean {
  return print.charCodeAt(2) === DOT;
}

const WHOLE = 14;
const WITH_MARK = 6;

/** Made in one call: a text that is put together is a tree of its parts, and the garbage collector would move each of them. */
// biome-ignore format: a number in each line
function withParts(role: number, kind: number, { high, low }: Readonly<WordSum>, id: number, holds: number): Print {
  return String.fromCharCode(
    role, kind, DOT,
    letter(high), letter(high >>> 6), letter(high >>> 12), letter(high >>> 18), letter(high >>> 24),
    letter(low), letter(low >>> 6), letter(low >>> 12), letter(low >>> 18), letter(low >>> 24), letter(low >>> 30),
    ID, letter(id), letter(id >>> 6), letter(id >>> 12), letter(id >>> 18), letter(id >>> 24),
    HOLDS, letter(holds), letter(holds >>> 6), letter(holds >>> 12), letter(holds >>> 18), letter(holds >>> 24),
  );
}

// biome-ignore format: a number in each line
function hashText({ high, low }: Readonly<WordSum>): string {
  return String.fromCharCode(
    letter(high), letter(high >>> 6), letter(high >>> 12), letter(high >>> 18), letter(high >>> 24), letter(high >>> 30),
    letter(low), letter(low >>> 6), letter(low >>> 12), letter(low >>> 18), letter(low >>> 24), letter(low >>> 30),
  );
}
