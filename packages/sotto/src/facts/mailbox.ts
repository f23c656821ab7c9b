// Messages from teammates, each sent once.

import { beginningOf, type Edge, type Edges, edgeId, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface MessageEdge extends Edge {
  from: string;
  text: string;
  timestamp: string;
}

export interface MailboxFact extends Edges<MessageEdge> {
  /** Ids of all messages so far; with their senders where another one had the same id before. */
  seen: Record<string, true>;
}

export const mailbox = slice({
  initial: (): MailboxFact => ({ seen: {}, ...noEdges<MessageEdge>() }),
  on: ["message_received"],
  apply(state, event, { supersede }) {
    const { from, timestamp, wholeIn } = event;
    const { text, ...cut } = beginningOf(event.text, wholeIn);
    const id = edgeOf(state, event);
    if (Object.hasOwn(state.seen, id)) {
      const said = edgeNamed(state, id);
      if (said !== undefined && !isIn(text, said))
        supersede(
          "teammate_mailbox",
          `a second message with the id ${event.id} and another text was set aside`,
        );
      return;
    }
    state.seen[id] = true;
    state.pending.push({ id, from, text, timestamp, ...cut });
  },
  parts: {
    text: ({ text }) => text,
    split: (edge, at) => [
      { ...edge, text: edge.text.slice(0, at) },
      { ...edge, text: edge.text.slice(at) },
    ],
  },
});

/** An id is its sender's: where another one had it before, as far as that is still known, the sender is added. */
function edgeOf(state: MailboxFact, { id, from }: Pick<MessageEdge, "id" | "from">): string {
  // Again and again: the longer name may be an id that somebody chose.
  for (let name = id; ; name = JSON.stringify([from, name])) {
    const edge = edgeId("mailbox", name);
    const known = Object.hasOwn(state.seen, edge) ? edgeNamed(state, edge) : undefined;
    if (known === undefined || known.from === from) return edge;
  }
}

/** Whether a message with this id, as far as it is still known, has another text. */
export function isOther(state: MailboxFact, { id, text }: Pick<MessageEdge, "id" | "text">): boolean {
  const known = edgeId("mailbox", id);
  if (!Object.hasOwn(state.seen, known)) return false;
  const said = edgeNamed(state, known);
  if (said === undefined) return false;
  return said.cut === undefined ? !isIn(text, said) : said.cut.of !== text.length;
}

function edgeNamed({ pending, settled }: MailboxFact, name: string): MessageEdge | undefined {
  return [...pending, ...settled].find(({ id }) => id === name);
}

/** Whether it is the same text. For a message in parts, the first part is compared. */
function isIn(text: string, { text: said, part }: MessageEdge): boolean {
  return part === undefined ? text === said : text.length === part.of && text.startsWith(said);
}
