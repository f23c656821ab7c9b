// What a host keeps in its transcript: meta messages and attachments, each under a name that stays the same.

import { anthropicMessages, createMemoryStore, type Turn } from "sotto";
import { expect, it } from "vitest";
import { answered, openSession } from "../support/telling.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
const items = [{ content: "Mend it", status: "pending" as const }];
const marks = ({ reminders }: Turn) => reminders.map(({ uuid, timestamp }) => ({ uuid, timestamp }));

it("meta messages and attachments carry the fields of a transcript", async () => {
  const session = openSession({ config: { critical_instruction: "Be brief." } });
  await session.record({ type: "todos_written", items });
  await session.record({ type: "compacted" });
  await session.record({ type: "prompt_queued", id: "q", prompt: "Wait.", imagePasteIds: [7] });
  await session.record({ type: "noted", attachment: { type: "hook_cancelled", hookName: "h" } });
  const turn = await session.turn();
  expect(turn.reminders.map(({ type, tier, isMeta }) => ({ type, tier, isMeta }))).toEqual([
    { type: "todo", tier: "core", isMeta: true },
    { type: "critical_system_reminder", tier: "core", isMeta: true },
    { type: "queued_command", tier: "main_agent", isMeta: true },
  ]);
  for (const { uuid, timestamp } of turn.reminders) {
    expect(uuid).toMatch(UUID);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
  const [todo, , queued] = turn.messages;
  expect(todo).toEqual({
    type: "user",
    message: { role: "user", content: turn.reminders[0]?.text },
    isMeta: true,
    ...marks(turn)[0],
    todos: items,
  });
  expect(queued).toMatchObject({ imagePasteIds: [7] });
  expect(turn.attachmentMessages).toHaveLength(turn.attachments.length);
  expect(turn.attachmentMessages).toEqual(
    turn.attachments.map(({ type, data }, index) => ({
      type: "attachment",
      attachment: { ...(data as object), type },
      uuid: turn.attachmentMessages[index]?.uuid,
      timestamp: turn.attachmentMessages[index]?.timestamp,
    })),
  );
  // A silent one has its own.
  expect(turn.attachmentMessages.map(({ attachment }) => attachment.type)).toContain("hook_cancelled");
  expect(new Set(turn.attachmentMessages.map(({ uuid }) => uuid)).size).toBe(turn.attachments.length);
  const byUuid = new Map(turn.attachmentMessages.map(({ uuid, attachment }) => [uuid, attachment.type]));
  expect(turn.reminders.map(({ uuid }) => byUuid.get(uuid))).toEqual(turn.reminders.map(({ type }) => type));
  await session.close();
});

it("the same delivery has the same uuid and timestamp: retried, given up, and in a resumed session", async () => {
  const store = createMemoryStore();
  const open = () => openSession({ id: "s", store, config: { critical_instruction: "Be brief." } });
  const body = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: "hi" }] };
  const ask = (session: ReturnType<typeof open>) => session.turn({ dialect: anthropicMessages, body });
  const first = open();
  await first.record({ type: "prompt_queued", id: "q", prompt: "Wait." });
  const told = marks(await ask(first));
  expect(told).toHaveLength(2);
  expect(marks(await ask(first))).toEqual(told);
  const lost = await ask(first);
  await lost.abandon();
  expect(marks(await ask(first))).toEqual(told);
  await first.close();
  const second = open();
  expect(marks(await ask(second))).toEqual(told);
  await second.close();
});

it("what is said again as something new has another uuid", async () => {
  const session = openSession({ config: { critical_instruction: "Be brief." } });
  const told = [await answered(session), await answered(session)].flatMap(marks);
  expect(new Set(told.map(({ uuid }) => uuid)).size).toBe(2);
  await session.close();
});
