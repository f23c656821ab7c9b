// What counts as one answer of the model, in every dialect: however many messages or items it is written in.

import { expect, test } from "vitest";
import { type WireMessage, wires } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";

test.each(wires)("AC-9 $name: a reply with words and two calls is one answer", async (wire) => {
  const session = openEngine();
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
  const messages: WireMessage[] = [wire.prompt("Begin.")];
  const heard: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    const next = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
    expect(wire.check(next.body)).toEqual([]);
    if (next.reminders.length > 0) heard.push(turn);
    await next.commit();
    const calls = [`call_${turn}_a`, `call_${turn}_b`];
    messages.push(...wire.reply("Looking.", calls));
    messages.push(
      ...wire.results(
        calls.map((id) => ({ id, text: "Seen." })),
        true,
      ),
    );
  }
  expect(heard).toEqual([0, 5, 10]);
});
