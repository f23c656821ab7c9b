// Which blocks of a sent request are the client's own, and which were added: found by the requests alone.

import type { Piece } from "./talk.ts";
import { blocksOf, type WireMessage, type WrittenMessage } from "./wires.ts";

export interface SentBlock {
  text: string;
  /** The sent message it stands in. */
  at: number;
  /** The client's piece; none where it was added. */
  piece?: Piece;
}

export interface Alignment {
  blocks: SentBlock[];
  /** For each message of the client: where it begins in what was sent. */
  starts: number[];
  /** What of the client's own is not as the client wrote it. */
  damage: string[];
}

/** Matched from the end: where a user has pasted a reminder, the later of two equal ones is the user's. */
export function align(asked: readonly WrittenMessage[], sent: readonly WireMessage[]): Alignment {
  const own = asked.flatMap(({ message, pieces }, from) => {
    const texts = blocksOf(message);
    if (texts.length !== pieces.length)
      throw new Error(`blocks and pieces differ: ${JSON.stringify(message)}`);
    return texts.map((text, at) => ({ text, from, piece: pieces[at] as Piece }));
  });
  const blocks: SentBlock[] = sent.flatMap((message, at) => blocksOf(message).map((text) => ({ text, at })));
  const starts = new Array<number>(asked.length).fill(-1);
  let left = own.length - 1;
  for (const block of blocks.toReversed()) {
    const next = own[left];
    if (next?.text !== block.text) continue;
    block.piece = next.piece;
    starts[next.from] = block.at;
    left--;
  }
  const damage = left >= 0 ? [`the client's ${own[left]?.text.slice(0, 80)} is gone or changed`] : [];
  if (damage.length === 0) damage.push(...changedBytes(asked, sent, { blocks, starts }));
  return { blocks, starts, damage };
}

/** Taking out what was added must leave what the client wrote, byte for byte. */
function changedBytes(
  asked: readonly WrittenMessage[],
  sent: readonly WireMessage[],
  { blocks, starts }: Pick<Alignment, "blocks" | "starts">,
): string[] {
  const mixed = new Set(blocks.filter(({ piece }) => piece === undefined).map(({ at }) => at));
  return asked.flatMap(({ message }, index) => {
    const at = starts[index] ?? -1;
    // Where something stands between its blocks they were compared one by one.
    if (mixed.has(at) || JSON.stringify(sent[at]) === JSON.stringify(message)) return [];
    return [`message ${index} of the client was rewritten`];
  });
}
