import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, story } from "../../../../../test/support/telling.ts";
import { toolResult } from "./tool-result.ts";

const config = { attachments: { tool_results: true } };
const finish = (callId: string, success = true) =>
  ({ type: "tool_finished", toolName: "Bash", callId, success, durationMs: 12 }) as const;

it("AC-2 is one line a tool", () => {
  expect(examplesAsRead(toolResult)).toMatchInlineSnapshot(`
    "# finished
    <system-reminder>
    Tool Bash (call call_1) finished after 1250 ms.
    </system-reminder>

    # failed
    <system-reminder>
    Tool Edit (call call_2) failed after 3 ms.
    </system-reminder>"
  `);
  const odd = { toolName: "Ba\nsh", callId: " c ", success: true, durationMs: 0 };
  expect(asRead(toolResult, odd)).toMatchInlineSnapshot(`
    "<system-reminder>
    Tool Ba sh (call c ) finished after 0 ms.
    </system-reminder>"
  `);
});

it("is off by default", async () => {
  const session = openSession();
  await session.record(finish("c1"));
  expect(outcomeOf(await session.turn(), "tool_result")).toBe("off: switched off: attachments.tool_result");
});

it("tells what finished since the last turn, each once, and again where the turn was lost", async () => {
  expect(
    await story(openSession({ config }), [
      "turn",
      finish("c1"),
      finish("c2", false),
      "lost turn",
      "turn",
      "turn",
      finish("c3"),
      "turn",
    ]),
  ).toMatchInlineSnapshot(`
    "turn: nothing
    > tool_finished {"toolName":"Bash","callId":"c1","success":true,"durationMs":12}
    > tool_finished {"toolName":"Bash","callId":"c2","success":false,"durationMs":12}
    lost turn
      tool_result: Tool Bash (call c1) finished after 12 ms.
      tool_result: Tool Bash (call c2) failed after 12 ms.
    turn
      tool_result: Tool Bash (call c1) finished after 12 ms.
      tool_result: Tool Bash (call c2) failed after 12 ms.
    turn: nothing
    > tool_finished {"toolName":"Bash","callId":"c3","success":true,"durationMs":12}
    turn
      tool_result: Tool Bash (call c3) finished after 12 ms."
  `);
});

it("does not tell what finished before it was switched on", async () => {
  const session = openSession();
  for (let count = 0; count < 150; count++) await session.record(finish(`c${count}`));
  await answered(session);
  await session.record({ type: "config_changed", config });
  expect(outcomeOf(await answered(session), "tool_result")).toBe(
    "nothing: no tool finished since the last turn",
  );
  await session.record(finish("last"));
  const turn = await answered(session);
  expect(turn.attachments.map(({ data }) => (data as { callId: string }).callId)).toEqual(["last"]);
});

it("reaches sub-agents, each with its own", async () => {
  const session = openSession({ config });
  await session.record(finish("c1"));
  const child = session.subagent({ agentType: "Explore" });
  expect(says(await answered(child), "tool_result")).toBe(false);
  await child.record(finish("c2"));
  expect(says(await answered(child), "tool_result")).toBe(true);
});
