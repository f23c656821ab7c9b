// After compaction the model hears which tasks run that it can no longer see: those that began before, and no other.

import fc from "fast-check";
import type { Session, SessionEvent, Turn } from "sotto";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { anthropic, prompt } from "../support/agent-wire.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

const KINDS = ["shell", "agent", "remote_session"] as const;
const started = (taskId: string, taskType: (typeof KINDS)[number] = "shell"): SessionEvent => ({
  type: "task_started",
  taskId,
  taskType,
  description: `work of ${taskId}`,
});

/** Tasks that a turn says run, whichever type says it. */
function running(turn: Turn<unknown>): string[] {
  return turn.attachments
    .map(({ data }) => data as { status?: string; taskId?: string; agentId?: string })
    .flatMap(({ status, taskId, agentId }) => (status === "running" ? (taskId ?? agentId ?? []) : []))
    .sort();
}

interface Life {
  session: Session;
  seed: number;
  /** Whether the client says that it compacts. */
  says(): boolean;
}

async function live({ session, seed, says }: Life): Promise<void> {
  const random = seeded(seed);
  const client = createClient(anthropic, random, { dull: false });
  const tasks = new Set<string>();
  let owed = new Set<string>();
  let isAnswered = false;
  // A retry says what the failed call said, whatever has happened meanwhile.
  let isRetry = false;
  for (let turn = 1; turn <= 30; turn++) {
    for (let count = isRetry ? 0 : random.below(3); count > 0; count--) {
      const taskId = `T${turn}${count}X`;
      tasks.add(taskId);
      await session.record(started(taskId, random.pick(KINDS)));
    }
    for (const taskId of [...tasks].filter(() => !isRetry && random.chance(0.15))) {
      tasks.delete(taskId);
      owed.delete(taskId);
      await session.record({ type: "task_finished", taskId, status: "completed" });
    }
    if (isAnswered && random.chance(0.25)) {
      if (says()) await session.record({ type: "compacted" });
      client.messages = [prompt(`Summary ${turn}.`)];
      owed = new Set(tasks);
      isAnswered = false;
    }
    const next = await session.turn({ dialect: anthropic.dialect, body: client.request() });
    expect(running(next)).toEqual([...owed].sort());
    isRetry = random.chance(0.2);
    if (isRetry) {
      await next.abandon();
      continue;
    }
    await next.commit();
    owed = new Set();
    isAnswered = client.messages.some(({ role }) => role === "assistant");
    client.goOn();
  }
}

describe.each([{ style: "unified" as const }, { style: "classic" as const }])("tasks as $style", (tasks) => {
  test.each([
    ["said", 1],
    ["unsaid", 0],
    ["said or not", 0.5],
  ])("AC-36 compactions that are %s", async (_, share) => {
    const property = fc.asyncProperty(seeds, (seed) => {
      const session = openEngine({ config: { ...roomy, tasks } });
      const random = seeded(seed + 1);
      return live({ session, seed, says: () => random.chance(share) });
    });
    await fc.assert(property, runs(10));
  });
});

test("AC-36 a todo list that was written after the compaction is not repeated, one from before is, once", async () => {
  const todos = (content: string): SessionEvent => ({
    type: "todos_written",
    items: [{ content, status: "pending" }],
  });
  const session = openEngine();
  const said = async () => {
    const turn = await session.turn();
    await turn.commit();
    return turn.reminders.filter(({ type }) => type === "todo").length;
  };
  await session.record({ type: "compacted" });
  await session.record(todos("after"));
  expect(await said()).toBe(0);
  await session.record({ type: "compacted" });
  expect([await said(), await said()]).toEqual([1, 0]);
  await session.record({ type: "compacted" });
  await session.record(todos("later still"));
  expect(await said()).toBe(0);
});

test("AC-36 only the first turn of a view that began anew has the room of one", async () => {
  const config = { max_tokens_per_turn: 300, max_context_tokens: 5000 };
  const session = openEngine({ config });
  const letters = async (name: string) => {
    for (let index = 0; index < 10; index++)
      await session.record({
        type: "hook_finished",
        ...{ hookName: "check", hookEvent: "PostToolUse", outcome: "success", async: false },
        processId: `${name}${index}`,
        additionalContext: `${name} ${"a word or two ".repeat(20)}`,
      });
    const turn = await session.turn();
    await turn.commit();
    return turn.reminders.length;
  };
  expect(await letters("first")).toBe(10);
  await session.record({ type: "compacted", summarised: "all" });
  expect((await session.turn()).reminders).toEqual([]);
  expect(await letters("later")).toBeLessThan(10);
});
