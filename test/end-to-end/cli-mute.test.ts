// `sotto mute`: a type switched off in a session that runs in another process.

import { join } from "node:path";
import { createSession, createSqliteStore } from "sotto";
import { expect, onTestFinished, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { answered, outcomeOf, says } from "../support/telling.ts";

function running(config = {}) {
  const cwd = temporaryDirectory();
  const path = join(cwd, "sotto.db");
  const store = createSqliteStore({ path });
  onTestFinished(() => store.close());
  const session = createSession({
    id: "agent",
    cwd,
    home: "/nonexistent",
    agent: { kind: "main" },
    store,
    config: { timeout_ms: 30_000, critical_instruction: "Run the tests.", ...config },
  });
  const sotto = (...args: string[]) => sottoHere([...args, "--store", path], { cwd });
  return { session, sotto, cwd, path };
}

test("a running session is quiet from its next turn on, and speaks again when it is taken back", async () => {
  const { session, sotto, cwd, path } = running();
  expect(says(await answered(session), "critical_system_reminder")).toBe(true);
  expect(await runSotto(["mute", "critical_instruction", "--store", path], { cwd })).toEqual({
    code: 0,
    stdout:
      "Muted in agent from the next turn: critical_system_reminder. Undo with `sotto unmute critical_instruction`.\n",
    stderr: "",
  });
  expect(outcomeOf(await answered(session), "critical_system_reminder")).toBe(
    "off: switched off: attachments.critical_system_reminder",
  );
  expect((await sotto("mute", "--list")).stdout).toBe("Muted in agent: critical_system_reminder.\n");
  expect((await sotto("unmute", "critical_system_reminder")).stdout).toBe(
    "Unmuted in agent: critical_system_reminder. The config applies again.\n",
  );
  expect(says(await answered(session), "critical_system_reminder")).toBe(true);
  expect((await sotto("mute", "--list", "--json")).stdout).toBe(
    '{\n  "session": "agent",\n  "muted": []\n}\n',
  );
});

test("a generator is muted with all its types, whatever config says of single ones", async () => {
  const { session, sotto } = running({ attachments: { plan_mode_reentry: true } });
  await session.record({ type: "mode_changed", mode: "plan" });
  expect(says(await answered(session), "plan_mode")).toBe(true);
  await sotto("mute", "plan_mode", "--json");
  const turn = await session.turn();
  for (const type of ["plan_mode", "plan_mode_reentry"])
    expect(outcomeOf(turn, type)).toBe(`off: switched off: attachments.${type}`);
});

test("what config switches off stays off when a mute is taken back", async () => {
  const { session, sotto } = running({ attachments: { critical_instruction: false } });
  await answered(session);
  await sotto("mute", "critical_instruction");
  await sotto("mute", "critical_instruction", "--undo");
  expect((await session.turn()).reminders).toEqual([]);
  expect((await sotto("unmute", "todo_reminder")).stdout).toBe("todo_reminder was not muted in agent.\n");
});

test("it holds for sub-agents, whose sessions are not taken for the latest", async () => {
  const { session, sotto } = running();
  await answered(session);
  await answered(session.subagent({ agentType: "Explore" }));
  expect((await sotto("mute", "critical_instruction")).stdout).toContain("Muted in agent from the next turn");
  await session.turn();
  expect((await session.subagent({ agentType: "Explore" }).turn()).reminders).toEqual([]);
});

test("a wrong name is told with the nearest right one, and changes nothing", async () => {
  const { session, sotto } = running();
  await answered(session);
  expect(await sotto("mute", "todo_remindr")).toEqual({
    code: 2,
    stdout: "",
    stderr: 'sotto: "todo_remindr" is no type of reminder; did you mean "todo_reminder"?\n',
  });
  expect((await sotto("mute")).code).toBe(2);
  expect((await sotto("mute", "--list")).stdout).toBe("Nothing is muted in agent.\n");
});
