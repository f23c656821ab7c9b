import { describe, expect, it } from "vitest";
import { createSession } from "../create-session.ts";
import { createMemoryStore } from "../stores/memory.ts";

const message = {
  type: "message_received",
  id: "m1",
  from: "ada",
  text: "Parser done.",
  timestamp: "2026-11-15T10:00:00Z",
} as const;

describe("a session", () => {
  it("writes nothing when it is closed without having been used", async () => {
    const store = createMemoryStore();
    await createSession({ id: "s", cwd: "/repo", agent: { kind: "main" }, store }).close();
    expect(await store.sessions()).toEqual([]);
  });

  it("takes an answer as proof for what it was offered itself, not for what another process was offered", async () => {
    const store = createMemoryStore();
    const open = () => createSession({ id: "s", cwd: "/repo", agent: { kind: "main" }, store });
    const first = open();
    await first.record(message);
    const offered = await first.turn();
    const second = open();
    await second.record({ type: "assistant_turn" });
    await first.close();
    const again = await second.turn();
    expect(again.reminders.map(({ id }) => id)).toEqual(offered.reminders.map(({ id }) => id));
    await second.record({ type: "assistant_turn" });
    expect((await second.turn()).reminders).toEqual([]);
    await second.close();
  });
});
