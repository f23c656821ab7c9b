import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, says, story } from "../../../../../test/support/telling.ts";
import { collabNotification } from "./collab-notification.ts";

const unread = (counts: Record<string, number>) =>
  ({
    type: "chats_changed",
    chats: Object.entries(counts).map(([handle, unreadCount]) => ({ handle, unreadCount })),
  }) as const;

it("AC-2 sums up and names who wrote, and no tool that the agent lacks", () => {
  expect(examplesAsRead(collabNotification)).toMatchInlineSnapshot(`
    "# one chat
    <system-reminder>
    You have 1 unread collab message(s) from: @ada (1 new). CollabRead reads them.
    </system-reminder>

    # two chats
    <system-reminder>
    You have 5 unread collab message(s) from: @ada (2 new), @grace (3 new). CollabRead reads them.
    </system-reminder>"
  `);
  const chats = [{ handle: "@ada\n", unreadCount: 4 }];
  expect(asRead(collabNotification, { chats }, { tools: [] })).toMatchInlineSnapshot(`
    "<system-reminder>
    You have 4 unread collab message(s) from: @ada (4 new).
    </system-reminder>"
  `);
});

it("is said on change, and not while nothing changed or all is read", async () => {
  expect(
    await story(openSession(), [
      unread({ ada: 0 }),
      "turn",
      unread({ ada: 2, grace: 0 }),
      "turn",
      unread({ ada: 2 }),
      "turn",
      unread({ ada: 2, grace: 1 }),
      "turn",
      unread({}),
      "turn",
      unread({ ada: 2, grace: 1 }),
      "turn",
    ]),
  ).toMatchInlineSnapshot(`
    "> chats_changed {"chats":[{"handle":"ada","unreadCount":0}]}
    turn: nothing
    > chats_changed {"chats":[{"handle":"ada","unreadCount":2},{"handle":"grace","unreadCount":0}]}
    turn
      collab_notification: You have 2 unread collab message(s) from: @ada (2 new). CollabRead reads them.
    > chats_changed {"chats":[{"handle":"ada","unreadCount":2}]}
    turn: nothing
    > chats_changed {"chats":[{"handle":"ada","unreadCount":2},{"handle":"grace","unreadCount":1}]}
    turn
      collab_notification: You have 3 unread collab message(s) from: @ada (2 new), @grace (1 new). CollabRead reads them.
    > chats_changed {"chats":[]}
    turn: nothing
    > chats_changed {"chats":[{"handle":"ada","unreadCount":2},{"handle":"grace","unreadCount":1}]}
    turn
      collab_notification: You have 3 unread collab message(s) from: @ada (2 new), @grace (1 new). CollabRead reads them."
  `);
});

it("AC-36 comes back once after compaction", async () => {
  const session = openSession();
  await session.record(unread({ ada: 1 }));
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "collab_notification")).toBe(true);
  expect(says(await answered(session), "collab_notification")).toBe(false);
});
