// The prints and hashes of logs that an earlier version began: those sessions go on with them, as only the same ones can be
// compared.

import type { HistoryBlock } from "../dialects/dialect.ts";
import { listed } from "../log/branches.ts";
import type { Anchor } from "../log/entries.ts";
import type { Print } from "../log/hunks.ts";
import type { State } from "../log/state.ts";
import { countWhile } from "../platform/count-while.ts";
import { isOfWords, type Sums, type SumsForm, wordSums } from "./sums.ts";

type Hash = (text: string) => string;

export function shaSums(hash: Hash): SumsForm {
  return { name: "sha-256", begin: (chain) => new ShaSums(chain, hash) };
}

// Blocks are hashed a page at a time, as one call for each costs more than the hashing: a page ends with the block that makes
// it long enough, so the same blocks have the same pages.
const PAGE_LENGTH = 4096;

/** Ends behind so many blocks; its hash is over all of them. */
interface Page {
  blocks: number;
  hash: string;
}

// Reminders that stand in the history, and heads of turns: more than most conversations have.
const HASHES_KEPT = 5000;

class ShaSums implements Sums {
  readonly form = "sha-256";
  readonly #chain: readonly HistoryBlock[];
  readonly #hash: Hash;
  #pages: Page[] = [];
  /** How many characters stand behind the last page. */
  #unpaged = 0;
  /** Hashes that were asked for and are not those of pages, by the number of blocks. */
  readonly #hashes = new Map<number, string>();

  constructor(chain: readonly HistoryBlock[], hash: Hash) {
    this.#chain = chain;
    this.#hash = hash;
  }

  add(block: HistoryBlock): void {
    this.#unpaged += lengthOf(block);
    if (this.#unpaged < PAGE_LENGTH) return;
    const blocks = this.#chain.length;
    this.#pages.push({ blocks, hash: this.#hashBehind(this.#pages.at(-1), blocks) });
    this.#unpaged = 0;
  }

  over(count: number): string {
    // Each turn asks for the same ones.
    const known = this.#hashes.get(count);
    if (known !== undefined) return known;
    const pages = this.#pages;
    const page = pages[countWhile(pages.length, (index) => (pages[index] as Page).blocks <= count) - 1];
    if (page?.blocks === count || count === 0) return page?.hash ?? "";
    const made = this.#hashBehind(page, count);
    if (this.#hashes.size >= HASHES_KEPT) this.#hashes.clear();
    this.#hashes.set(count, made);
    return made;
  }

  #hashBehind(page: Page | undefined, count: number): string {
    let content = page?.hash ?? "";
    for (let index = page?.blocks ?? 0; index < count; index++) {
      const block = this.#chain[index] as HistoryBlock;
      content += `\n${lengthOf(block)} ${contentOf(block)}`;
    }
    return this.#hash(content);
  }

  print(index: number): Print {
    return this.printOf(this.#chain[index] as HistoryBlock);
  }

  printOf(block: HistoryBlock): Print {
    const { role, kind, call, text } = block;
    const parts = [role[0], kind[0], this.#hash(contentOf(block)).slice(0, 12)];
    if (call !== undefined) {
      if (call.id !== undefined) addQuickHash(parts, "#", call.id);
      addQuickHash(parts, "=", call.holds);
    } else if (text) {
      addQuickHash(parts, "#", text.slice(0, PART));
      addQuickHash(parts, "=", text.slice(-PART));
    }
    // One string, not a tree of its parts: the garbage collector would move each of them.
    return parts.join("");
  }

  cut(count: number, chain: readonly HistoryBlock[]): Sums {
    const cut = new ShaSums(chain, this.#hash);
    cut.#pages = this.#pages.filter(({ blocks }) => blocks <= count);
    for (const [blocks, hash] of this.#hashes) if (blocks <= count) cut.#hashes.set(blocks, hash);
    for (let index = cut.#pages.at(-1)?.blocks ?? 0; index < count; index++)
      cut.#unpaged += lengthOf(chain[index] as HistoryBlock);
    return cut;
  }
}

function lengthOf({ role, identity, text }: HistoryBlock): number {
  return role.length + identity.length + (text?.length ?? 0);
}

function contentOf({ role, identity, text }: HistoryBlock): string {
  return text === undefined ? `${role}|${identity}` : `${role}|${identity}|${text}`;
}

// Long enough to tell texts apart, short enough to survive an edit.
const PART = 8;

/** Helps to find an edited block again; never the only evidence. */
function addQuickHash(parts: (string | undefined)[], mark: string, text: string): void {
  let one = 0x9e3779b9;
  let other = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995) ^ (other >>> 15);
  }
  parts.push(mark, (one >>> 0).toString(36), (other >>> 0).toString(36));
}

// A hash of an earlier version is as long.
const LENGTH = 32;

/** How the log makes prints and hashes; one without any may have the new ones. */
export function sumsOf(
  { branches, deliveries }: Pick<State, "branches" | "deliveries">,
  hash: Hash,
): SumsForm {
  const all = Object.values(branches);
  const print = all.find(({ prints }) => prints.length > 0)?.prints[0];
  if (print !== undefined) return isOfWords(print) ? wordSums : shaSums(hash);
  const isOld = (anchor: Anchor | undefined) => anchor?.hash.length === LENGTH;
  const isAnyOld =
    all.some(({ heads }) => heads.some(({ anchor }) => isOld(anchor))) ||
    listed(deliveries).some(([, { anchor }]) => isOld(anchor));
  return isAnyOld ? shaSums(hash) : wordSums;
}
