// What clients do to their own history between two requests without changing what was said.

import type { Wire, WireBody, WireMessage } from "./agent-wire.ts";
import type { Random } from "./seeded.ts";

type Block = { type: string } & Record<string, unknown>;

/** Strings become blocks, lone blocks strings, here and there. */
export function rewritten(body: WireBody, random: Random): WireBody {
  return withMessages(body, (message) => {
    const { role, content } = message;
    if (role === "tool" || random.chance(0.5)) return message;
    if (typeof content === "string") return { ...message, content: [{ type: "text", text: content }] };
    const [first] = Array.isArray(content) ? (content as Block[]) : [];
    const lone = Array.isArray(content) && content.length === 1 && first?.type === "text";
    return lone ? { ...message, content: first?.text } : message;
  });
}

/** Neighbours of one role become one message, here and there. */
export function merged(body: WireBody, random: Random): WireBody {
  const messages: WireMessage[] = [];
  for (const message of body.messages) {
    const last = messages.at(-1);
    const joins = message.role === "user" && last?.role === "user" && random.chance(0.6);
    if (joins) messages[messages.length - 1] = { ...last, content: [...blocks(last), ...blocks(message)] };
    else messages.push(message);
  }
  return { ...body, messages };
}

/** A cache breakpoint on the last block, moved along from request to request. */
export function marked(body: WireBody, wire: Wire): WireBody {
  const field = wire.name === "anthropic-messages" ? "cache_control" : "prompt_cache_breakpoint";
  const value = wire.name === "anthropic-messages" ? { type: "ephemeral" } : { mode: "explicit" };
  const at = body.messages.findLastIndex(({ role }) => role === "user");
  return withMessages(body, (message, index) => {
    if (!Array.isArray(message.content) && index !== at) return message;
    const all = blocks(message).map(({ [field]: _moved, ...block }) => block as Block);
    if (index !== at) return { ...message, content: all };
    return { ...message, content: [...all.slice(0, -1), { ...(all.at(-1) as Block), [field]: value }] };
  });
}

function withMessages(
  body: WireBody,
  change: (message: WireMessage, index: number) => WireMessage,
): WireBody {
  return { ...body, messages: body.messages.map(change) };
}

function blocks({ content }: WireMessage): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as Block[]);
}
