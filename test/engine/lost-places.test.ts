// A client drops the stretch a reminder stood in: what it said is sent again as new, once.

import { describe, expect, test } from "vitest";
import { listOf, type WireMessage, wires } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";

describe.each(wires)("$name", (wire) => {
  const play = async () => {
    const session = openEngine();
    const messages: WireMessage[] = [wire.prompt("Begin.")];
    const ask = async () => {
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
      await commit();
      return listOf(wire, body).map((message) => JSON.stringify(message));
    };
    const goOn = (step: number) => {
      messages.push(...wire.reply(`Step ${step}.`, []), wire.prompt(`Go on, ${step}.`));
      return ask();
    };
    const times = (sent: string[], mark: string) => sent.join("\n").split(mark).length - 1;
    return { session, messages, ask, goOn, times };
  };
  const task = (id: string) => [
    { type: "task_started" as const, taskId: id, taskType: "shell" as const, description: `Build ${id}` },
    { type: "task_finished" as const, taskId: id, status: "failed" as const, exitCode: 1 },
  ];

  test("a notice whose neighbours were dropped comes again at the end, and stays there", async () => {
    const { session, messages, ask, goOn, times } = await play();
    await ask();
    await goOn(1);
    for (const event of task("MARK1")) await session.record(event);
    for (let step = 2; step < 9; step++) expect(times(await goOn(step), "Build MARK1")).toBe(1);
    messages.splice(0, messages.length - 4);
    const dropped = await goOn(9);
    expect(times(dropped, "Build MARK1")).toBe(1);
    expect(dropped.at(-1)).toContain("Build MARK1");
    expect((await goOn(10)).slice(0, dropped.length)).toEqual(dropped);
    // Lost once more it has been sent twice: the client forgets.
    await goOn(11);
    messages.splice(0, messages.length - 2);
    expect(times(await goOn(12), "Build MARK1")).toBe(0);
    await session.close();
  });

  test("where a summary stands in their place it was summed up, and what the user said comes again", async () => {
    const { session, messages, ask, goOn, times } = await play();
    await ask();
    await goOn(1);
    for (const event of task("MARK1")) await session.record(event);
    await session.record({ type: "prompt_queued", id: "q1", prompt: "Use MARK2." });
    for (let step = 2; step < 9; step++) expect(times(await goOn(step), "MARK2")).toBe(1);
    messages.splice(0, messages.length - 4, wire.prompt("Summary of all that was."));
    const after = await goOn(9);
    expect([times(after, "Build MARK1"), times(after, "MARK2")]).toEqual([0, 1]);
    expect((await goOn(10)).slice(0, after.length)).toEqual(after);
    await session.close();
  });
});
