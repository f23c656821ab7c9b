// Another process records something between a turn's look at the log and its offer. What was noticed has the number of its
// entry in its name, so an offer must never name one by a number that another entry got.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnthropicBody,
  anthropicMessages,
  createMemoryStore,
  createSession,
  createSqliteStore,
} from "sotto";
import type { Store } from "sotto/extend";
import { expect, it } from "vitest";

const MOMENTS = ["of a call is recorded", "is offered"] as const;
const stores = ["memory", "SQLite"] as const;
const cases = stores.flatMap((where) => MOMENTS.map((moment) => [where, moment] as const));

it.each(cases)(
  "on %s: right before what a request shows %s, and each call is told once",
  async (where, moment) => {
    const directory = mkdtempSync(join(tmpdir(), "sotto-beside-"));
    const store: Store =
      where === "memory" ? createMemoryStore() : createSqliteStore({ path: join(directory, "store.db") });
    let beside: (() => Promise<void>) | undefined;
    const append: Store["append"] = async (session, batch) => {
      const isOffer = batch.entries.some(({ kind }) => kind === "turn");
      const run = isOffer === (moment === "is offered") ? beside : undefined;
      if (run !== undefined) beside = undefined;
      await run?.();
      return store.append(session, batch);
    };
    const open = (on: Store) =>
      createSession({
        ...{ id: "s", cwd: "/", agent: { kind: "main" }, store: on },
        config: { timeout_ms: 30_000, attachments: { tool_result: true } },
      });
    const [one, other] = [open({ ...store, append }), open(store)];
    const messages: AnthropicBody["messages"][number][] = [{ role: "user", content: "Begin." }];
    const told: string[] = [];
    const ask = async () => {
      const turn = await one.turn({ dialect: anthropicMessages, body: { messages: [...messages] } });
      expect(turn.problem).toBeUndefined();
      for (const { text } of turn.reminders) told.push(...(text.match(/call (?:ours|theirs)/gu) ?? []));
      await turn.commit();
    };
    try {
      await ask();
      const use = { type: "tool_use", id: "ours", name: "Look", input: {} };
      const result = { type: "tool_result", tool_use_id: "ours", content: "Done." };
      messages.push({ role: "assistant", content: [use] }, { role: "user", content: [result] });
      const call = { toolName: "Look", callId: "theirs", success: true, durationMs: 1 };
      beside = () => other.record({ type: "tool_finished", ...call });
      await ask();
      expect(beside).toBeUndefined();
      for (const content of ["More.", "And more."]) {
        messages.push({ role: "user", content });
        await ask();
      }
      expect(told.sort()).toEqual(["call ours", "call theirs"]);
    } finally {
      await one.close();
      await other.close();
      await store.close();
      rmSync(directory, { recursive: true });
    }
  },
);
