// Types that had nothing to send are not asked again while nothing they look at changed: over random sessions every
// turn sends and says the same as if all were asked.

import fc from "fast-check";
import { expect, it } from "vitest";
import { catalogue as builtIn } from "../attachments/catalogue.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { StoredEvent } from "../facts/events.ts";
import type { ObservedName } from "../facts/facts.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import type { Source } from "../sources/source.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSessionFrom, recordAny, type Session } from "./session.ts";

const task = (taskId: string) => ({ taskId, taskType: "shell", description: "build" }) as const;
const todo = (status: "pending" | "completed") => ({ content: "Write it", status }) as const;

const version = (hash: string) => ({ realPath: "/repo/a.ts", hash, kind: "text" }) as const;

const EVENTS: readonly StoredEvent[] = [
  { type: "file_read", path: "/repo/a.ts", version: version("h1") },
  { type: "file_written", path: "/repo/a.ts", version: version("h2") },
  { type: "file_removed", path: "/repo/a.ts" },
  {
    type: "file_changed",
    path: "/repo/a.ts",
    realPath: "/repo/a.ts",
    change: "edited",
    version: version("h3"),
  },
  {
    type: "file_changed",
    path: "/repo/a.ts",
    realPath: "/repo/a.ts",
    change: "edited",
    from: "h1",
    version: version("h3"),
    snippet: "1 + it",
  },
  {
    type: "file_attached",
    path: "/repo/b.ts",
    for: "mention",
    content: {
      type: "text",
      filePath: "/repo/b.ts",
      content: "let b;",
      numLines: 1,
      startLine: 1,
      totalLines: 1,
    },
    hash: "b1",
  },
  { type: "files_restored" },
  { type: "agent_mentioned", agentType: "tester" },
  { type: "past_sessions_found", memories: [] },
  { type: "session_started", reason: "clear" },
  { type: "session_started", reason: "resume" },
  { type: "session_ended" },
  { type: "command_ran", id: "x1", command: "make" },
  { type: "task_output", taskId: "t1", deltaSummary: "warning" },
  { type: "throttles_reset" },
  { type: "write_announced", path: "/repo/a.ts" },
  { type: "ide_changed", ideName: "Ed", openFile: "/repo/b.ts" },
  { type: "noted", attachment: { type: "silent_note" } },
  {
    type: "diagnostics_published",
    origin: "host",
    filePath: "/repo/a.ts",
    diagnostics: [{ severity: "Error", message: "no", line: 1 }],
  },
  { type: "todos_written", items: [todo("pending")] },
  { type: "todos_written", items: [todo("completed")] },
  { type: "todos_written", items: [] },
  { type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" },
  { type: "mode_changed", mode: "normal" },
  { type: "mode_changed", mode: "delegate", team: { name: "core" } },
  { type: "plan_implemented" },
  { type: "task_started", ...task("t1") },
  { type: "task_progress", taskId: "t1", message: "half" },
  { type: "task_finished", taskId: "t1", status: "completed" },
  { type: "prompt_queued", id: "p1", prompt: "And the tests?" },
  { type: "message_received", id: "m1", from: "ann", text: "Done.", timestamp: "2026-01-02T00:00:00.000Z" },
  {
    type: "hook_finished",
    hookName: "lint",
    hookEvent: "Stop",
    outcome: "success",
    async: false,
    stdout: "fine",
  },
  { type: "usage_reported", usedTokens: 150_000, totalTokens: 200_000, usedUsd: 0.5 },
  { type: "style_changed", style: "terse" },
  { type: "ultramemory_changed", content: "Be kind." },
  { type: "chats_changed", chats: [{ handle: "core", unreadCount: 2 }] },
  { type: "skill_invoked", name: "deploy", path: "/repo/.claude/skills/deploy", content: "Deploy." },
  { type: "tool_finished", toolName: "Read", callId: "c1", success: true, durationMs: 1 },
  { type: "assistant_turn" },
  { type: "compacted" },
  { type: "tool_results_cleared", count: 3 },
  { type: "rewound", toTurn: 1 },
  { type: "config_changed", config: { attachments: { todo_reminder: false } } },
  { type: "config_changed", config: { attachments: { todo_reminder: true, budget_usd: true } } },
  { type: "config_changed", config: { enable_token_usage: true, max_budget_usd: 1 } },
];

const OBSERVED: readonly { fact: ObservedName; values: readonly unknown[] }[] = [
  { fact: "planFile", values: [{ exists: false }, { exists: true }] },
  {
    fact: "calendar",
    values: [
      { today: "2026-01-02", start: "2026-01-02" },
      { today: "2026-01-03", start: "2026-01-02" },
    ],
  },
  { fact: "sessionNotes", values: [{}, { untold: "there are none" }] },
  { fact: "languageServers", values: [{ servers: [] }] },
];

type Step =
  | { do: "record"; event: StoredEvent }
  | { do: "observe"; fact: number; value: number }
  | { do: "fail"; fact: number }
  | { do: "turn"; how: "grow" | "same" | "edit" | "shorten"; end: "commit" | "abandon" | "neither" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...EVENTS).map((event): Step => ({ do: "record", event })) },
    fc
      .record({ fact: fc.nat(OBSERVED.length - 1), value: fc.nat(1) })
      .map((one): Step => ({ do: "observe", ...one })),
    fc.nat(OBSERVED.length - 1).map((fact): Step => ({ do: "fail", fact })),
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("turn" as const),
        how: fc.constantFrom("grow", "grow", "grow", "same", "edit", "shorten"),
        end: fc.constantFrom("commit", "commit", "abandon", "neither"),
      }),
    },
  ),
  { minLength: 5, maxLength: 30 },
);

/** The world that both sessions look at. */
function createWorld() {
  const now: { value: unknown; fails: boolean }[] = OBSERVED.map(({ values }) => ({
    value: values[0],
    fails: false,
  }));
  const sources = OBSERVED.map(
    ({ fact }, index): Source =>
      ({
        fact,
        observe() {
          if (now[index]?.fails) throw new Error("it cannot be read");
          return now[index]?.value;
        },
      }) as unknown as Source,
  );
  return { now, sources };
}

function open(sources: readonly Source[], asksAll: boolean): { session: Session; clock: { at: number } } {
  const clock = { at: Date.UTC(2026, 0, 2) };
  const platform = { ...nodePlatform, now: () => clock.at };
  const parts = {
    platform,
    // A host's own types are always asked.
    catalogue: asksAll ? [] : builtIn,
    sources: () => sources,
    store: createMemoryStore(),
  };
  const own = asksAll ? { attachments: builtIn } : {};
  const config = { timeout_ms: 60_000 };
  return {
    session: createSessionFrom(parts, { id: "s", cwd: "/repo", agent: { kind: "main" }, config, ...own }),
    clock,
  };
}

async function live(
  sources: readonly Source[],
  world: ReturnType<typeof createWorld>,
  all: readonly Step[],
  asksAll: boolean,
) {
  const { session, clock } = open(sources, asksAll);
  let messages = [{ role: "user", content: "Begin." }];
  const told: unknown[] = [];
  for (const [index, step] of all.entries()) {
    clock.at += 1000;
    if (step.do === "record")
      await recordAny(session, step.event).catch((error: unknown) => told.push(String(error)));
    if (step.do === "observe") {
      const { values } = OBSERVED[step.fact] as (typeof OBSERVED)[number];
      world.now[step.fact] = { value: values[step.value % values.length], fails: false };
    }
    if (step.do === "fail") world.now[step.fact] = { value: undefined, fails: true };
    if (step.do !== "turn") continue;
    if (step.how === "grow")
      messages = [
        ...messages,
        { role: "assistant", content: `answer ${index}` },
        { role: "user", content: `next ${index}` },
      ];
    if (step.how === "edit" && messages[0])
      messages = [{ ...messages[0], content: `edited ${index}` }, ...messages.slice(1)];
    if (step.how === "shorten") messages = messages.slice(0, Math.max(1, messages.length - 2));
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } });
    if (step.end === "commit") await turn.commit();
    if (step.end === "abandon") await turn.abandon();
    expect(turn.problem).toBeUndefined();
    told.push({
      body: turn.body,
      trace: turn.trace.map(({ type, outcome, reason, tokens, spared }) => ({
        type,
        outcome,
        reason,
        tokens,
        spared,
      })),
    });
  }
  await session.close();
  return told;
}

it("every turn sends and says the same as if all types were asked", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const [one, other] = [createWorld(), createWorld()];
      const quiet = await live(one.sources, one, all, false);
      const asked = await live(other.sources, other, all, true);
      expect(quiet).toEqual(asked);
    }),
    { numRuns: 60 },
  );
});

it("a type is asked again only when something it looks at has changed", async () => {
  const counts = new Map<string, number>();
  const counted = builtIn.map((attachment) => ({
    ...attachment,
    trigger(...given: Parameters<typeof attachment.trigger>) {
      counts.set(attachment.type, (counts.get(attachment.type) ?? 0) + 1);
      return attachment.trigger(...given);
    },
  }));
  const { sources } = createWorld();
  const parts = {
    platform: nodePlatform,
    catalogue: counted,
    sources: () => sources,
    store: createMemoryStore(),
  };
  const session = createSessionFrom(parts, { id: "s", cwd: "/repo", agent: { kind: "main" } });
  let messages = [{ role: "user", content: "Begin." }];
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      await (await session.turn({ dialect: anthropicMessages, body: { messages } })).commit();
      messages = [...messages, { role: "assistant", content: "yes" }, { role: "user", content: "next" }];
    }
  };
  await turns(3);
  const known = new Set(counts.keys());
  counts.clear();
  await turns(5);
  const again = [...counts].filter(([, count]) => count > 1).map(([type]) => type);
  const counting = builtIn.filter(({ needs }) => needs.includes("turns")).map(({ type }) => type);
  expect(again.filter((type) => !counting.includes(type))).toEqual([]);
  await session.record({ type: "todos_written", items: [] });
  counts.clear();
  await turns(1);
  const looking = builtIn.filter(({ needs }) => needs.includes("todos")).map(({ type }) => type);
  expect(looking.filter((type) => counts.has(type))).toEqual(looking.filter((type) => known.has(type)));
  expect([...counts.keys()].filter((type) => ![...counting, ...looking].includes(type))).toEqual([]);
});
