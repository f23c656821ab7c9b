// What clients do to their own history between two requests without changing what was said.

import { listOf, type Wire, type WireBody, type WireMessage } from "./agent-wire.ts";
import type { Random } from "./seeded.ts";

type Block = Record<string, unknown>;

/** Strings become blocks, lone blocks strings, here and there; where there are no strings a role is left out. */
export function rewritten(wire: Wire, body: WireBody, random: Random): WireBody {
  return changed(wire, body, (message) => {
    const { role, content } = message;
    if (role === "tool" || role === undefined || random.chance(0.5)) return message;
    if (role === "user" && wire.name === "gemini") return { parts: message.parts };
    if (typeof content === "string") return { ...message, content: blocksIn(wire, message) };
    const [first] = Array.isArray(content) ? (content as Block[]) : [];
    const lone = Array.isArray(content) && content.length === 1 && typeof first?.text === "string";
    return lone ? { ...message, content: first.text } : message;
  });
}

/** Neighbours of one role become one message, here and there. */
export function merged(wire: Wire, body: WireBody, random: Random): WireBody {
  const messages: WireMessage[] = [];
  for (const message of listOf(wire, body)) {
    const last = messages.at(-1);
    const joins = mayJoin(wire, last) && mayJoin(wire, message) && random.chance(0.6);
    if (joins && last !== undefined)
      messages[messages.length - 1] = withBlocks(wire, last, [
        ...blocksIn(wire, last),
        ...blocksIn(wire, message),
      ]);
    else messages.push(message);
  }
  return { ...body, [wire.dialect.field]: messages };
}

/** A cache breakpoint on the last block, moved along from request to request, where there are any. */
export function marked(wire: Wire, body: WireBody): WireBody {
  if (wire.name === "gemini") return body;
  const field = wire.name === "anthropic-messages" ? "cache_control" : "prompt_cache_breakpoint";
  const value = wire.name === "anthropic-messages" ? { type: "ephemeral" } : { mode: "explicit" };
  const at = listOf(wire, body).findLastIndex(({ role }) => role === "user");
  return changed(wire, body, (message, index) => {
    if (!Array.isArray(message.content) && index !== at) return message;
    const all = blocksIn(wire, message).map(({ [field]: _moved, ...block }) => block);
    if (index !== at) return { ...message, content: all };
    return { ...message, content: [...all.slice(0, -1), { ...all.at(-1), [field]: value }] };
  });
}

/** Gemini's responses stay among themselves. */
function mayJoin(wire: Wire, message: WireMessage | undefined): boolean {
  if (message?.role !== "user") return false;
  return wire.name !== "gemini" || !JSON.stringify(message).includes("functionResponse");
}

function changed(
  wire: Wire,
  body: WireBody,
  change: (message: WireMessage, index: number) => WireMessage,
): WireBody {
  return { ...body, [wire.dialect.field]: listOf(wire, body).map(change) };
}

function blocksIn(wire: Wire, { role, content, parts }: WireMessage): Block[] {
  if (typeof content !== "string") return (content ?? parts) as Block[];
  const inItems = role === "assistant" ? "output_text" : "input_text";
  return [{ type: wire.name === "openai-responses" ? inItems : "text", text: content }];
}

function withBlocks(wire: Wire, message: WireMessage, blocks: Block[]): WireMessage {
  return wire.name === "gemini" ? { ...message, parts: blocks } : { ...message, content: blocks };
}
