// Collaboration chats with unread messages.

import type { EventOf } from "./events.ts";
import { slice } from "./slice.ts";

export interface ChatsFact {
  unread: EventOf<"chats_changed">["chats"];
  /** The log entry that last changed them. */
  changed: number;
}

export const chats = slice({
  initial: (): ChatsFact => ({ unread: [], changed: 0 }),
  on: ["chats_changed"],
  apply(state, event, { seq }) {
    const unread = event.chats.filter(({ unreadCount }) => unreadCount > 0);
    if (JSON.stringify(unread) !== JSON.stringify(state.unread))
      Object.assign(state, { unread, changed: seq });
  },
});
