import { createMemoryStore, createSession, profiles } from "sotto";
import { explain } from "sotto/inspect";
import { expect, test } from "vitest";
import { broken, recordedCalls } from "../../../../test/support/recorded-calls.ts";
import { type HookInput, reminders } from "./claude-agent-sdk.ts";

const inputs = recordedCalls<HookInput>("claude-agent-sdk");
const open = () => {
  const store = createMemoryStore();
  const session = createSession({
    ...{ id: "one", cwd: "/project", agent: { kind: "main" as const }, store },
    profile: profiles["claude-code"],
    config: { critical_instruction: "Run the tests." },
  });
  return { store, session };
};
const timestamp = "2026-11-15T10:00:00Z";

test("recorded hooks: text where a call of the model follows, without our tags, and nothing elsewhere", async () => {
  const { store, session } = open();
  const hooks = reminders(session) as Record<string, { hooks: ((input: HookInput) => Promise<object>)[] }[]>;
  await session.record({ type: "message_received", id: "m1", from: "ada", text: "Parser done.", timestamp });
  const told: [string, object][] = [];
  for (const input of inputs) {
    const { hook_event_name: event } = input;
    const output = await hooks[event]?.[0]?.hooks[0]?.(input);
    told.push([event, output ?? {}]);
  }
  const says = (hookEventName: string, additionalContext = "Run the tests.") => [
    hookEventName,
    { hookSpecificOutput: { hookEventName, additionalContext } },
  ];
  const message = '<teammate-message teammate_id="ada">\nParser done.\n</teammate-message>\n\nRun the tests.';
  expect(told.slice(0, 4)).toEqual([
    says("UserPromptSubmit", message),
    ["PostToolUse", {}],
    says("PostToolBatch"),
    ["Stop", {}],
  ]);
  const speaking = ["UserPromptSubmit", "PostToolBatch", "SubagentStart"];
  expect(told.slice(4)).toEqual(
    inputs
      .slice(4)
      .map(({ hook_event_name: event }) => (speaking.includes(event) ? says(event) : [event, {}])),
  );
  const turns = explain((await store.read("one", 0)).entries);
  expect(new Set(turns.flatMap(({ deliveries }) => deliveries.map(({ state }) => state)))).toEqual(
    new Set(["confirmed"]),
  );
  const { agent_id: agent } = inputs.find((input) => input.agent_id !== undefined) as HookInput;
  expect(explain((await store.read(`one/${agent}`, 0)).entries)).toHaveLength(1);
});

test("a tool's files are known by what the hooks tell, relative ones from where the agent is", async () => {
  const { store, session } = open();
  const [{ hooks }] = reminders(session).PostToolUse as [
    { hooks: ((input: HookInput) => Promise<object>)[] },
  ];
  const used = { ...inputs[0], cwd: "/project/src", hook_event_name: "PostToolUse", tool_use_id: "t1" };
  await hooks[0]?.({
    ...used,
    tool_name: "Write",
    tool_input: { file_path: "a.ts" },
  } as unknown as HookInput);
  const entries = JSON.stringify((await store.read("one", 0)).entries);
  expect(entries).toContain('"/project/src/a.ts"');
});

test("what wakes the agent by itself is no prompt of a person", async () => {
  const { session } = open();
  const hook = reminders(session).UserPromptSubmit[0]?.hooks[0];
  await session.record({ type: "assistant_turn" });
  const prompt = { ...inputs[0], prompt: "@missing.txt", source: "system" } as unknown as HookInput;
  expect(await hook?.(prompt)).toEqual({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Run the tests." },
  });
});

test("where anything is wrong a hook says nothing, and the reason is told", async () => {
  const problems: string[] = [];
  const hooks = reminders(broken, { onProblem: (problem) => void problems.push(problem) });
  expect(await hooks.UserPromptSubmit[0]?.hooks[0]?.(inputs[0] as HookInput)).toEqual({});
  expect(await reminders(() => undefined).Stop[0]?.hooks[0]?.(inputs[0] as HookInput)).toEqual({});
  expect(problems).toEqual(["no session today"]);
});
