// Requests that end with the assistant's own message: a prefill that the model continues, or calls without results.

import { describe, expect, test } from "vitest";
import { listOf, type WireMessage, wires } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";

describe.each(wires)("$name", (wire) => {
  test("a new reminder stands before a prefill, after everything that was sent already, and stays there", async () => {
    const session = openEngine();
    const messages: WireMessage[] = [wire.prompt("Begin.")];
    const ask = async () => {
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
      await commit();
      return listOf(wire, body).map((message) => JSON.stringify(message));
    };
    const first = await ask();
    messages.push(...wire.reply("Half of the answer.", []));
    await session.record({ type: "prompt_queued", id: "q1", prompt: "Use MARK1." });
    const second = await ask();
    const at = second.findIndex((message) => message.includes("MARK1"));
    expect(at).toBe(second.length - 2);
    expect(second.slice(0, first.length)).toEqual(first);
    messages.push(wire.prompt("Go on."));
    expect((await ask()).slice(0, second.length)).toEqual(second);
    await session.close();
  });

  test("calls that wait for their results keep them right behind", async () => {
    const session = openEngine();
    await session.record({ type: "prompt_queued", id: "q1", prompt: "Use MARK1." });
    const messages = [wire.prompt("Begin."), ...wire.reply("I look.", ["call_1"])];
    const { body } = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
    const sent = listOf(wire, body).map((message) => JSON.stringify(message));
    expect(sent.findIndex((message) => message.includes("MARK1"))).toBeLessThan(sent.length - 1);
    await session.close();
  });
});
