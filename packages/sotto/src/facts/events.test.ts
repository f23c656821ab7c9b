import { createMemoryStore, type SessionEvent, SottoError } from "sotto";
import type { Source, SourceEvent, StoredEvent } from "sotto/extend";
import { eventTypes } from "sotto/internal";
import type * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { openSession } from "../../../../test/support/telling.ts";
import type { events } from "./events.ts";
import { parseEvent } from "./parse-event.ts";

const circular: Record<string, unknown> = { type: "hook_cancelled" };
circular.self = circular;
const unreadable = {
  get type(): string {
    throw new Error("no way");
  },
};

const wrong: [unknown, string][] = [
  [undefined, 'event: expected an object with a "type", got undefined'],
  [null, 'event: expected an object with a "type", got null'],
  ["compacted", 'event: expected an object with a "type", got string'],
  [[], "event: got a list; pass one event at a time"],
  [{}, "event.type: undefined is not an event"],
  [{ type: 7 }, "event.type: 7 is not an event"],
  [{ type: 7n }, "event: it cannot be read: Do not know how to serialize a BigInt"],
  [{ type: "constructor" }, 'event.type: "constructor" is not an event'],
  [{ type: "todo_written" }, 'event.type: "todo_written" is not an event; did you mean "todos_written"?'],
  [{ type: "x".repeat(500) }, `event.type: "${"x".repeat(99)}… is not an event`],
  [unreadable, "event: it cannot be read: no way"],
  [{ type: "compacted", count: 1 }, "compacted.count: unknown field"],
  [{ type: "todos_written" }, "todos_written.items: missing"],
  [{ type: "todos_written", items: "x" }, 'todos_written.items: expected Array, got "x"'],
  [{ type: "todos_written", items: ["x"] }, 'todos_written.items.0: expected Object, got "x"'],
  [{ type: "todos_written", items: [{ content: "x" }] }, "todos_written.items.0.status: missing"],
  [
    { type: "todos_written", items: [{ content: "x", status: "done" }] },
    'todos_written.items.0.status: expected ("pending" | "in_progress" | "completed"), got "done"',
  ],
  [{ type: "mode_changed", mode: "" }, "mode_changed.mode: must not be empty"],
  [
    { type: "mode_changed", mode: "plan", planFilePath: 1 },
    "mode_changed.planFilePath: expected string, got 1",
  ],
  [{ type: "assistant_turn", empty: "no" }, 'assistant_turn.empty: expected boolean, got "no"'],
  [
    { type: "task_started", taskId: "b7", taskType: "thread", description: "" },
    'task_started.taskType: expected ("shell" | "agent" | "remote_session"), got "thread"',
  ],
  [
    { type: "task_finished", taskId: "b7", status: "running" },
    'task_finished.status: expected ("completed" | "failed"), got "running"',
  ],
  [
    { type: "task_finished", taskId: "b7", status: "failed", exitCode: 1.5 },
    "task_finished.exitCode: expected integer, got 1.5",
  ],
  [
    {
      type: "diagnostics_published",
      origin: "lsp",
      filePath: "a",
      diagnostics: [{ message: "m", severity: "error", line: 1 }],
    },
    'diagnostics_published.diagnostics.0.severity: expected ("Error" | "Warning" | "Info" | "Hint"), got "error"',
  ],
  [
    {
      type: "diagnostics_published",
      origin: "lsp",
      filePath: "a",
      diagnostics: [{ message: "m", severity: "Error", line: 0 }],
    },
    "diagnostics_published.diagnostics.0.line: expected >=1, got 0",
  ],
  [
    {
      type: "diagnostics_published",
      origin: "lsp",
      filePath: "a",
      version: Number.POSITIVE_INFINITY,
      diagnostics: [],
    },
    "diagnostics_published.version: expected finite, got Infinity",
  ],
  [
    { type: "prompt_queued", id: "p", prompt: 7 },
    "prompt_queued.prompt: expected a text or a list of blocks",
  ],
  [
    { type: "prompt_queued", id: "p", prompt: [{ type: "video" }] },
    'prompt_queued.prompt: expected a text or a list of blocks, {type: "text", text} or {type: "image", mediaType, data}',
  ],
  [
    { type: "message_received", id: "m", from: "a", text: "t", timestamp: "yesterday" },
    "message_received.timestamp: must be an ISO 8601 timestamp",
  ],
  [
    { type: "usage_reported", usedTokens: -1, totalTokens: 1 },
    "usage_reported.usedTokens: expected >=0, got -1",
  ],
  [
    { type: "usage_reported", usedTokens: Number.NaN, totalTokens: 1 },
    "usage_reported.usedTokens: expected number, got NaN",
  ],
  [{ type: "config_changed", config: 7 }, "config_changed.config: expected Object, got 7"],
  [{ type: "noted", attachment: {} }, "noted.attachment.type: missing"],
  [{ type: "noted", attachment: circular }, "noted.attachment: must be plain data, it is circular"],
  [
    { type: "noted", attachment: { type: "structured_output", text: "x".repeat(5_000_000) } },
    "noted.attachment: must be plain data, it is more than 4000000 characters",
  ],
];

describe("an event that is none", () => {
  it.each(wrong.map(([event, message]) => [message, () => event] as const))("%s", (message, event) => {
    try {
      parseEvent(event());
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(SottoError);
      expect({ code: (error as SottoError).code, message: (error as SottoError).message }).toEqual({
        code: "invalid_event",
        message,
      });
    }
  });

  it("throws from record at once, and nothing is appended", async () => {
    const store = createMemoryStore();
    const session = openSession({ id: "s1", store });
    await session.state();
    const before = await store.read("s1", 0);
    for (const [event] of wrong) expect(() => session.record(event as never)).toThrow(SottoError);
    await session.state();
    expect(await store.read("s1", 0)).toEqual(before);
  });

  it("a rewind past the last turn is refused, too, once the log is known", async () => {
    const session = openSession();
    await session.turn();
    await expect(session.record({ type: "rewound", toTurn: 2 })).rejects.toMatchObject({
      code: "invalid_event",
      message: "rewound.toTurn: 2 is past the last turn, 1",
    });
  });

  it("a closed session takes none", async () => {
    const session = openSession({ id: "s1" });
    await session.close();
    await expect(session.record({ type: "compacted" })).rejects.toThrow(
      new SottoError("session_closed", "session s1 is closed: create it again to continue"),
    );
  });
});

describe("what a host may record", () => {
  const refused: [object, string][] = [
    [{ type: "agent_mentioned", agentType: "reviewer" }, "agent_mentioned: only a source can record it"],
    [{ type: "files_restored" }, "files_restored: only a source can record it"],
    [{ type: "throttles_reset" }, "throttles_reset: the session records it itself"],
    [{ type: "write_announced", path: "/a" }, "write_announced: the session records it itself"],
    [{ type: "session_started", reason: "resume" }, 'session_started.reason: expected "clear", got "resume"'],
    [{ type: "file_read", path: "/a", fromRequest: true }, "file_read.fromRequest: unknown field"],
    [
      { type: "mode_changed", mode: "plan", parentPlanFilePath: "/p" },
      "mode_changed.parentPlanFilePath: unknown field",
    ],
    [{ type: "compacted", summarised: ["mailbox/1"] }, 'compacted.summarised: expected "all", got Array'],
    [
      { type: "prompt_queued", id: "p", prompt: [{ type: "image", mediaType: "image/png", blob: "b" }] },
      'prompt_queued.prompt: expected a text or a list of blocks, {type: "text", text} or {type: "image", mediaType, data}',
    ],
  ];

  it.each(refused)("not %j", (event, message) => {
    const session = openSession();
    expect(() => session.record(event as never)).toThrow(new SottoError("invalid_event", message));
    expect(() => parseEvent(event)).not.toThrow();
  });

  it("a source records what only a source can, and what a host can", async () => {
    const store = createMemoryStore();
    const source: Source<"calendar"> = {
      fact: "calendar",
      async observe(turn) {
        await turn.record([{ type: "agent_mentioned", agentType: "reviewer" }, { type: "plan_implemented" }]);
        return { today: "2026-01-01", start: "2026-01-01" };
      },
    };
    const session = openSession({ id: "s1", store, sources: [source] });
    const { reminders } = await session.turn();
    expect(reminders.map(({ type }) => type)).toEqual(["agent_mention", "verify_plan_reminder"]);
    const { entries } = await store.read("s1", 0);
    const types = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event.type] : []));
    expect(types).toEqual(["session_started", "agent_mentioned", "plan_implemented"]);
  });

  it("is what its type says", () => {
    // @ts-expect-error: only a source records it
    const bySource: SessionEvent = { type: "files_restored" };
    // @ts-expect-error: a host cannot know it
    const withVersion: SessionEvent = { type: "file_read", path: "/a", version: {} };
    // @ts-expect-error: only the engine records it
    const byEngine: SourceEvent = { type: "throttles_reset" };
    const given: SessionEvent = { type: "file_read", path: "/a", content: "a" };
    const stored: StoredEvent[] = [given, { type: "file_read", path: "/a", fromRequest: true }];
    expect([bySource, withVersion, byEngine, ...stored]).toHaveLength(5);
  });
});

describe("an event", () => {
  it("knows the events of the specification", () => {
    expect(eventTypes).toEqual(
      expect.arrayContaining(
        "session_started session_ended file_read file_written file_removed todos_written mode_changed plan_implemented assistant_turn tool_finished task_started task_output task_progress task_finished hook_finished diagnostics_published ide_changed prompt_queued message_received chats_changed skill_invoked usage_reported style_changed ultramemory_changed compacted tool_results_cleared rewound config_changed noted".split(
          " ",
        ),
      ),
    );
  });

  it("is kept as it was, not as the caller changes it afterwards", async () => {
    const store = createMemoryStore();
    const session = openSession({ id: "s1", store });
    const items = [{ content: "Read", status: "pending" as const }];
    const recorded = session.record({ type: "todos_written", items });
    items.push({ content: "Later", status: "pending" });
    await recorded;
    const { entries } = await store.read("s1", 0);
    expect(entries.at(-1)).toMatchObject({
      kind: "event",
      event: { type: "todos_written", items: [{ content: "Read", status: "pending" }] },
    });
  });
});

it.each<SessionEvent>([
  { type: "config_changed", config: { tags: { "new-diagnostics": "before" } } },
  { type: "noted", attachment: { type: "agent_setting", data: { words: ["before"] } } },
  { type: "todos_written", items: [{ content: "before", status: "pending" }] },
])("what a host changes in an event that it has recorded is not stored: $type", async (event) => {
  const store = createMemoryStore();
  const session = openSession({ store, id: "s" });
  const change = (value: object) => {
    for (const [key, inner] of Object.entries(value))
      if (inner === "before") Object.assign(value, { [key]: "after" });
      else if (typeof inner === "object" && inner !== null) change(inner);
  };
  const recorded = session.record(event);
  change(event);
  await recorded;
  const stored = JSON.stringify(await store.read("s", 0));
  expect(JSON.stringify(event)).toContain("after");
  expect(stored).toContain("before");
  expect(stored).not.toContain("after");
  await session.close();
});

type Events = typeof events;
type HostType = { [T in keyof Events]: Events[T]["by"] extends "host" ? T : never }[keyof Events];
type Given<T extends HostType> = v.InferOutput<Events[T]["given"]>;

it("the written events are those of the schemas", () => {
  expectTypeOf<SessionEvent["type"]>().toEqualTypeOf<HostType>();
  // Tables of any keys are compared by themselves.
  type Named = Exclude<HostType, "config_changed" | "noted">;
  expectTypeOf<{ [T in Named]: Extract<SessionEvent, { type: T }> }>().branded.toEqualTypeOf<{
    [T in Named]: Given<T>;
  }>();
  for (const type of ["config_changed", "noted"] as const) {
    expectTypeOf<Extract<SessionEvent, { type: typeof type }>>().toExtend<Given<typeof type>>();
    expectTypeOf<Given<typeof type>>().toExtend<Extract<SessionEvent, { type: typeof type }>>();
  }
});
