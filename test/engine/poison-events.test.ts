// Events that are odd or far too large: refused with a clear error, or kept. What is recorded after them always arrives.

import { createMemoryStore, type SessionEvent, SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { eventTypes, recordAny } from "sotto/internal";
import { describe, expect, it } from "vitest";
import { isWhole } from "../support/runs.ts";
import { answered, openSession } from "../support/telling.ts";

type Fields = Record<string, unknown>;

const at = "2026-11-15T10:00:00Z";
const version = { realPath: "/repo/a.ts", hash: "h1", kind: "text" };

/** One of each type, with all of its fields. `mark` is what its reminder shows. */
const samples: Record<string, (mark: string) => Fields> = {
  session_started: () => ({ reason: "resume" }),
  session_ended: (mark) => ({ summary: mark }),
  file_read: (mark) => ({ path: "a.ts", content: mark, offset: 1, limit: 2 }),
  file_written: (mark) => ({ path: "a.ts", content: mark, cause: "tool" }),
  file_removed: () => ({ path: "b.ts", cause: "tool", realPath: "/repo/b.ts" }),
  file_changed: (mark) => ({
    path: "c.ts",
    realPath: "/repo/c.ts",
    change: "edited",
    version,
    from: "h0",
    snippet: mark,
  }),
  file_attached: (mark) => ({
    path: `${mark}.ts`,
    for: "mention",
    content: {
      type: "text",
      filePath: `/repo/${mark}.ts`,
      content: mark,
      numLines: 1,
      startLine: 1,
      totalLines: 1,
    },
    hash: mark,
    note: "n",
  }),
  agent_mentioned: (mark) => ({ agentType: mark }),
  resource_attached: (mark) => ({
    server: "s",
    uri: `x://${mark}`,
    name: mark,
    description: mark,
    contents: [{ text: mark, mimeType: "text/plain" }],
  }),
  past_sessions_found: (mark) => ({
    memories: [{ fullPath: "/m.md", content: mark, lastModified: at, remainingLines: 0 }],
  }),
  reminders_changed: () => ({ versions: { "a.md": "h" } }),
  files_restored: () => ({}),
  memory_resolved: (mark) => ({
    paths: ["/repo/a.ts"],
    loaded: [
      {
        path: "/repo/AGENTS.md",
        key: mark,
        kind: "project",
        reason: "r",
        for: "/repo/a.ts",
        hash: mark,
        content: mark,
      },
    ],
    skipped: [{ path: "/x", reason: "r" }],
  }),
  write_announced: () => ({ path: "a.ts" }),
  files_inherited: () => ({ files: [{ path: "a.ts", version }] }),
  todos_written: (mark) => ({ items: [{ content: mark, status: "pending", activeForm: mark }] }),
  mode_changed: () => ({
    mode: "plan",
    planFilePath: "/repo/plan.md",
    team: { name: "t", taskListPath: "/t" },
  }),
  plan_implemented: () => ({}),
  plan_file_found: (mark) => ({ path: "/repo/plan.md", content: mark }),
  assistant_turn: () => ({}),
  tool_finished: (mark) => ({
    toolName: "Read",
    callId: mark,
    success: true,
    durationMs: 1,
    paths: ["a.ts"],
  }),
  command_ran: (mark) => ({
    id: mark,
    command: mark,
    kind: "tool",
    of: mark,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:01.000Z",
  }),
  task_started: (mark) => ({ taskId: mark, taskType: "shell", description: mark, command: "x" }),
  task_output: (mark) => ({ taskId: mark, deltaSummary: mark }),
  task_progress: (mark) => ({ taskId: mark, message: mark }),
  task_finished: (mark) => ({ taskId: mark, status: "failed", exitCode: 1, error: mark, deltaSummary: mark }),
  hook_finished: (mark) => ({
    hookName: mark,
    hookEvent: "PostToolUse",
    toolName: "Bash",
    processId: 7,
    outcome: "blocking_error",
    async: false,
    command: "x",
    message: mark,
    systemMessage: "s",
    additionalContext: "c",
    stdout: "o",
    stderr: "e",
    exitCode: 2,
  }),
  diagnostics_published: (mark) => ({
    origin: "host",
    filePath: `/repo/${mark}.ts`,
    version: 1,
    diagnostics: [{ message: mark, severity: "Error", line: 1, source: "s", code: 1 }],
    more: 1,
  }),
  ide_changed: (mark) => ({
    ideName: "code",
    openFile: "a.ts",
    selection: { filename: "a.ts", lineStart: 1, lineEnd: 2, content: mark },
  }),
  prompt_queued: (mark) => ({ id: mark, prompt: mark, imagePasteIds: [1, "b"] }),
  message_received: (mark) => ({ id: mark, from: mark, text: mark, timestamp: at }),
  chats_changed: (mark) => ({ chats: [{ handle: mark, unreadCount: 1 }] }),
  skill_invoked: (mark) => ({ name: mark, path: "/s.md", content: mark }),
  usage_reported: () => ({ usedTokens: 1, totalTokens: 2, usedUsd: 0.1, addedUsd: 0.1 }),
  style_changed: (mark) => ({ style: mark }),
  ultramemory_changed: (mark) => ({ content: mark }),
  compacted: () => ({}),
  tool_results_cleared: () => ({ count: 1 }),
  rewound: () => ({ toTurn: 0 }),
  throttles_reset: () => ({}),
  calls_over: () => ({}),
  writing_changed: () => ({ id: "c1", paths: ["a.ts"] }),
  subagent_runs: (mark) => ({ id: mark, agentType: mark }),
  tags_named: () => ({ names: ["x"] }),
  answer_kept: () => ({ turn: 1, name: "x" }),
  request_recorded: (mark) => ({
    id: mark,
    dialect: "d",
    field: "messages",
    rest: mark,
    kept: 0,
    messages: [],
  }),
  config_changed: () => ({ config: { critical_instruction: "Test." } }),
  noted: (mark) => ({ attachment: { type: "structured_output", data: { mark } } }),
};

/** Types whose good event after a bad one of the same type must be said. */
const spoken = [
  "agent_mentioned",
  "diagnostics_published",
  "hook_finished",
  "message_received",
  "prompt_queued",
];

const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);

const odd: Record<string, (value: unknown) => unknown> = {
  "more than 4,000,000 characters": (value) =>
    typeof value === "string" ? "x".repeat(4_100_000) : undefined,
  "just under 4,000,000 characters": (value) =>
    typeof value === "string" && value.startsWith("bad") ? "word ".repeat(780_000) : undefined,
  "half a surrogate pair": (value) => (typeof value === "string" ? `a\ud800b\udc00` : undefined),
  "control characters": (value) => (typeof value === "string" ? "a\0b\u001b[2J\u0008" : undefined),
  "lists in lists, 2000 deep": () => deep,
  "300,000 items": (value) => (Array.isArray(value) ? Array(300_000).fill(value[0]) : undefined),
  "no number": (value) => (typeof value === "number" ? Number.NaN : undefined),
  "an endless number": (value) => (typeof value === "number" ? Number.POSITIVE_INFINITY : undefined),
};

/** All fields of an event, each odd in its turn. */
const cases = Object.entries(samples).flatMap(([type, sample]) =>
  Object.entries(odd).flatMap(([what, make]) => {
    const events = pathsIn(sample("")).flatMap((path, index) => {
      const good = sample(`bad${index}`);
      const value = make(valueAt(good, path));
      return value === undefined ? [] : [{ type, ...withAt(good, path, value) }];
    });
    // Large ones take their time: in the short run those of types that are said right after.
    const isLeftOut = !isWhole && /just under|items/u.test(what) && !spoken.includes(type);
    return events.length === 0 || isLeftOut ? [] : [{ type, what, events }];
  }),
);

it("there is a sample of every event", () => {
  expect(Object.keys(samples).sort()).toEqual([...eventTypes].sort());
});

describe("an event with a field that is odd", () => {
  it.each(cases)("$type: $what", async ({ type, events }) => {
    const store = createMemoryStore();
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    for (const event of events) await recordOr(session, event);
    const marks = ["good-prompt", ...(spoken.includes(type) ? ["good-own"] : [])];
    await session.record({ type: "prompt_queued", id: "g", prompt: "good-prompt" });
    if (spoken.includes(type)) await recordAny(session, { type, ...samples[type]?.("good-own") } as never);
    const heard: string[] = [];
    for (let turn = 0; turn < 12 && !marks.every((mark) => heard.join().includes(mark)); turn++) {
      const { reminders, problem } = await answered(session);
      expect(problem).toBeUndefined();
      heard.push(...reminders.map(({ text }) => text));
    }
    for (const mark of marks) expect(heard.join()).toContain(mark);
    for (const text of heard) expect(text.isWellFormed()).toBe(true);
    await session.close();
    // What was taken can be read back.
    const again = openSession({ id: "s", store, configFiles: { read: false } });
    expect((await again.state()).damaged).toEqual([]);
    await again.close();
  });
});

describe("a log from before there was a limit", () => {
  it.each([
    ["5 MB", 5_000_000],
    ["70 MB", 70_000_000],
  ])("with a prompt and a letter of %s", async (_, size) => {
    const store = createMemoryStore();
    const long = "x".repeat(size);
    await begin(store, [
      { type: "prompt_queued", id: "p1", prompt: "before" },
      { type: "prompt_queued", id: "p2", prompt: long },
      { type: "prompt_queued", id: "p3", prompt: "behind" },
      { type: "message_received", id: "m1", from: "eve", text: long, timestamp: at },
      { type: "message_received", id: "m2", from: "ada", text: "a letter", timestamp: at },
    ]);
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    expect((await session.state()).damaged).toEqual([]);
    const turns = [await answered(session), await answered(session), await answered(session)];
    const heard = turns.flatMap(({ reminders }) => reminders).map(({ text }) => text);
    for (const mark of ["before", "behind", "a letter"]) expect(heard.join()).toContain(mark);
    // Their beginnings come, each once, with a word about the rest; and nothing is left.
    const cut = heard.filter((text) => text.includes(`ut, as it has ${size} characters`));
    expect(cut).toHaveLength(2);
    expect((await answered(session)).reminders).toEqual([]);
    await session.close();
  });

  it("many that are fine alone and too much together come in parts", async () => {
    const store = createMemoryStore();
    const files = Array.from({ length: 17 }, (_, index) => ({
      type: "diagnostics_published" as const,
      origin: "host" as const,
      filePath: `/repo/f${index}.ts`,
      diagnostics: [{ message: `m${index} ${"y".repeat(3_900_000)}`, severity: "Error" as const, line: 1 }],
    }));
    await begin(store, files);
    const session = openSession({ id: "s", store, configFiles: { read: false } });
    const heard: string[] = [];
    for (let turn = 0; turn < 30 && !files.every((_, index) => isIn(heard, index)); turn++) {
      const { reminders, trace } = await answered(session);
      const failed = trace.filter(({ type, outcome }) => type === "diagnostics" && outcome === "failed");
      expect(failed).toEqual([]);
      heard.push(...reminders.map(({ text }) => text));
    }
    expect(files.filter((_, index) => !isIn(heard, index))).toEqual([]);
    await session.close();
  });
});

const isIn = (heard: readonly string[], index: number) => heard.some((text) => text.includes(`f${index}.ts`));

/** As an older version wrote it. */
async function begin(store: Store, events: readonly SessionEvent[]): Promise<void> {
  const entries = events.map((event) => ({ kind: "event" as const, v: 1, at, event }));
  await store.append("s", { entries });
}

async function recordOr(session: ReturnType<typeof openSession>, event: Fields): Promise<void> {
  try {
    await recordAny(session, event as never);
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    expect(error).toMatchObject({ code: "invalid_event" });
    expect((error as Error).message.length).toBeLessThan(400);
  }
}

/** Every field that is a text, a number or a list. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value === "string" || typeof value === "number") return [path];
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Fields)[key], value);
}

function withAt(value: unknown, [key, ...rest]: readonly string[], put: unknown): Fields {
  if (key === undefined) return put as Fields;
  const inner = withAt((value as Fields)[key], rest, put);
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? inner : one)) as never;
  return { ...(value as Fields), [key]: inner };
}
