// Collaboration chats with unread messages.

import type { EventOf } from "./events.ts";
import type { Slice } from "./slice.ts";

export interface ChatsFact {
  unread: EventOf<"chats_changed">["chats"];
  /** The log entry that last changed them. */
  changed: number;
}

export const chats: Slice<ChatsFact> = {
  initial: () => ({ unread: [], changed: 0 }),
  apply(state, event, { seq }) {
    if (event.type !== "chats_changed") return;
    const unread = event.chats.filter(({ unreadCount }) => unreadCount > 0);
    if (JSON.stringify(unread) !== JSON.stringify(state.unread))
      Object.assign(state, { unread, changed: seq });
  },
};
