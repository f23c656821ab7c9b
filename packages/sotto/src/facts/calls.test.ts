import { expect, test } from "vitest";
import { calls, finishedCalls } from "./calls.ts";

test("the latest calls are kept, however many there were", () => {
  const state = calls.initial();
  for (let call = 0; call < 5000; call++) {
    const event = {
      type: "tool_finished",
      toolName: "x",
      callId: `${call}`,
      success: true,
      durationMs: 0,
    } as const;
    calls.apply(state, event, { seq: call, at: "", turns: 0, supersede: () => undefined });
  }
  expect(finishedCalls(state).has("4999")).toBe(true);
  expect(finishedCalls(state).has("3500")).toBe(true);
  expect(finishedCalls(state).has("0")).toBe(false);
  expect(Object.keys(state.finished).length).toBeLessThan(2200);
  expect(finishedCalls(state).has("toString")).toBe(false);
});
