// Moves cache breakpoints off reminders: a reminder may be the last block, but never where a cache ends.

import { canonical } from "./canonical.ts";
import type { Position } from "./dialect.ts";
import { BREAKPOINTS, blocksOf, type Fields, type WireBlock, type WireMessage } from "./message-list.ts";

/** Whether the provider accepts a breakpoint on a block of this message. */
type MayCarry<Message> = (message: Message, block: WireBlock) => boolean;

/** Each moves to the nearest earlier block that is not a reminder, may have one and has none, or is removed. */
export function moveBreakpoints<Message extends WireMessage>(
  messages: readonly Message[],
  own: readonly Position[],
  mayCarry: MayCarry<Message>,
  fields: readonly string[] = BREAKPOINTS,
): readonly Message[] {
  if (own.length === 0) return messages;
  const reminders = new Set(own.map(keyOf));
  const moved = messages.slice();
  let changed = false;
  for (const position of own.toSorted((a, b) => a.message - b.message || a.index - b.index)) {
    const message = moved[position.message];
    if (!message) continue;
    const block = blocksOf(message)?.[position.index];
    // Some compatible servers read a breakpoint beside a single string.
    const holder = block ?? (typeof message.content === "string" ? message : undefined);
    const breakpoints = holder && breakpointsOf(holder, fields);
    if (!holder || !breakpoints) continue;
    changed = true;
    const bare = withoutBreakpoints(holder, fields);
    moved[position.message] = block
      ? withBlock(message, position.index, bare as WireBlock)
      : (bare as unknown as Message);
    const to = carrierBefore(moved, position, (at, candidate) => {
      if (
        reminders.has(keyOf(at)) ||
        isEmpty(candidate) ||
        !mayCarry(moved[at.message] as Message, candidate)
      ) {
        return "next";
      }
      const present = breakpointsOf(candidate, fields);
      if (!present) return "here";
      // Moving past one with another lifetime would break the providers' order, longest-lived first.
      return canonical(present) === canonical(breakpoints) ? "next" : "nowhere";
    });
    const carrier = to && moved[to.message];
    if (!carrier) continue;
    const carrying = { ...(blocksOf(carrier)?.[to.index] as WireBlock), ...breakpoints };
    moved[to.message] = withBlock(carrier, to.index, carrying);
  }
  return changed ? moved : messages;
}

function carrierBefore(
  messages: readonly WireMessage[],
  from: Position,
  judge: (at: Position, block: WireBlock) => "here" | "next" | "nowhere",
): Position | undefined {
  for (let message = from.message; message >= 0; message--) {
    const blocks = blocksOf(messages[message]) ?? [];
    const end = message === from.message ? Math.min(from.index, blocks.length) : blocks.length;
    for (let index = end - 1; index >= 0; index--) {
      const verdict = judge({ message, index }, blocks[index] as WireBlock);
      if (verdict !== "next") return verdict === "here" ? { message, index } : undefined;
    }
  }
  return undefined;
}

function isEmpty(block: WireBlock): boolean {
  return block.type === "text" && (block as unknown as Fields).text === "";
}

function breakpointsOf(holder: object, fields: readonly string[]): object | undefined {
  const found = Object.entries(holder).filter(([key, value]) => fields.includes(key) && value != null);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function withoutBreakpoints(holder: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !fields.includes(key)));
}

function withBlock<Message extends WireMessage>(message: Message, index: number, block: WireBlock): Message {
  return { ...message, content: (blocksOf(message) ?? []).with(index, block) };
}

function keyOf({ message, index }: Position): string {
  return `${message}.${index}`;
}
