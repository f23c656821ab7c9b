// Messages from team mates, each once.

import { type Edge, type Edges, noEdges } from "../edge.ts";
import type { Slice } from "./slice.ts";

export interface MessageEdge extends Edge {
  from: string;
  text: string;
  timestamp: string;
}

export interface MailboxFact extends Edges<MessageEdge> {
  /** All messages so far, by edge. */
  seen: Record<string, true>;
}

export const mailbox: Slice<MailboxFact> = {
  initial: () => ({ seen: {}, ...noEdges<MessageEdge>() }),
  apply(state, event, { supersede }) {
    if (event.type !== "message_received") return;
    const { from, text, timestamp } = event;
    const id = `mailbox/${event.id}`;
    if (Object.hasOwn(state.seen, id)) {
      const said = [...state.pending, ...state.settled].find((edge) => edge.id === id);
      if (said !== undefined && said.text !== text)
        supersede(
          "teammate_mailbox",
          `a second message with the id ${event.id} and another text was set aside`,
        );
      return;
    }
    state.seen[id] = true;
    state.pending.push({ id, from, text, timestamp });
  },
};
