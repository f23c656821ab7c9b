// Silent types that a host notes: in the transcript once, never said; what is no such type is an error in the trace.

import { SottoError } from "sotto";
import { describe, expect, it } from "vitest";
import { answered, openSession, outcomeOf } from "../support/telling.ts";

const note = (attachment: { type: string; [field: string]: unknown }) =>
  ({ type: "noted", attachment }) as const;

describe("a note", () => {
  it.each([
    ["already_read_file", { filename: "/repo/a.ts" }],
    ["edited_image_file", { filename: "/repo/a.png" }],
    ["command_permissions", { allowedTools: ["Read"], model: "small" }],
    ["hook_cancelled", { hookName: "Stop" }],
    ["hook_error_during_execution", { hookName: "Stop", content: "ENOENT" }],
    ["hook_non_blocking_error", { hookName: "Stop", exitCode: 1 }],
    ["hook_system_message", { hookName: "Stop", content: "Hi." }],
    ["hook_permission_decision", { hookName: "Stop", decision: "deny" }],
    ["structured_output", { data: { a: [1] } }],
    ["task_reminder", {}],
    ["autocheckpointing", {}],
    ["background_task_status", { taskId: "b1" }],
  ])("of %s is kept once, and nothing is said", async (type, fields) => {
    const session = openSession();
    await session.record(note({ type, ...fields }));
    await (await session.turn()).abandon();
    const turn = await answered(session);
    expect(turn.reminders).toEqual([]);
    expect(turn.attachments).toEqual([{ type, data: fields }]);
    expect(turn.trace.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect((await answered(session)).attachments).toEqual([]);
  });

  it("has what JSON makes of it, as in a session that is resumed", async () => {
    const session = openSession();
    const odd = { at: new Date(0), list: [undefined, Number.NaN], none: undefined };
    await session.record(note({ type: "structured_output", data: odd }));
    const data = { data: { at: "1970-01-01T00:00:00.000Z", list: [null, null] } };
    expect((await answered(session)).attachments).toEqual([{ type: "structured_output", data }]);
  });

  it("that does not fit its type is refused at once", () => {
    const session = openSession();
    expect(() => session.record(note({ type: "hook_cancelled", hookName: 7 }))).toThrow(
      new SottoError("invalid_event", "noted.attachment(hook_cancelled).hookName: expected string, got 7"),
    );
  });

  it("of an unknown type is kept, says nothing, and is an error in the trace", async () => {
    const session = openSession();
    await session.record(note({ type: "made_up", text: "Hello." }));
    const turn = await answered(session);
    expect(turn.reminders).toEqual([]);
    expect(turn.attachments).toEqual([{ type: "made_up", data: { text: "Hello." } }]);
    expect(outcomeOf(turn, "made_up")).toBe('failed: the host noted "made_up", but there is no such type');
    const next = await answered(session);
    expect(next.attachments).toEqual([]);
    expect(outcomeOf(next, "made_up")).toBe("not in the trace");
  });

  it.each(["todo_reminder", "__proto__", "Made up"])(
    "as %s is an error under the name noted",
    async (type) => {
      const session = openSession();
      await session.record(note({ type }));
      const turn = await answered(session);
      expect(turn.reminders).toEqual([]);
      expect(outcomeOf(turn, "noted")).toMatch(/^failed: the host noted/u);
      expect(turn.trace.filter(({ outcome }) => outcome === "failed")).toHaveLength(1);
      expect(outcomeOf(await answered(session), "noted")).toBe("not in the trace");
    },
  );
});
