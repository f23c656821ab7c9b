import { describe, expect, it } from "vitest";
import type { EventOf, StoredEvent } from "./events.ts";
import { isBeingWritten, work, workOn } from "./work.ts";

const started = (command: string, taskType: EventOf<"task_started">["taskType"] = "shell") => {
  const fact = work.initial();
  const context = { seq: 1, at: "2026-01-02T00:00:00.000Z", turns: 0, supersede: () => undefined };
  work.apply(fact, { type: "task_started", taskId: "b1", taskType, description: "Go", command }, context);
  return fact.latest.map(({ name }) => name);
};

describe("a background task", () => {
  it.each(["echo done", "sleep 5 && ls", "cat a.txt | grep x", "git status"])(
    "%s cannot have changed a file",
    (command) => expect(started(command)).toEqual([]),
  );

  it.each(["npm test", "echo x > a.txt", "sed -i s/a/b/ a.txt", "sh -c 'echo done'", "echo $(touch a)"])(
    "%s may have changed one",
    (command) => expect(started(command)).toEqual([`b1 (${command})`]),
  );

  it("in a remote session changes no file here", () => {
    expect(started("npm test", "remote_session")).toEqual([]);
  });
});

describe("a call", () => {
  const at = (second: number) => `2026-01-02T00:00:0${second}.000Z`;
  const begins = { type: "command_ran", id: "1", command: "make", startedAt: at(1) } as const;
  const ends = { type: "command_ran", id: "1", command: "make", endedAt: at(5) } as const;
  const played = (...events: StoredEvent[]) => {
    const fact = work.initial();
    for (const [index, event] of events.entries())
      work.apply(fact, event, { seq: index, at: at(index + 1), turns: 0, supersede: () => undefined });
    return fact.latest.map(({ from = 0, to = Number.NaN, doubtful = false }) => [to - from, doubtful]);
  };
  const over: StoredEvent[] = [
    { type: "calls_over" },
    { type: "session_ended" },
    { type: "session_started", reason: "resume" },
  ];

  it.each(over)("without an end is over with %j, and nobody knows whether it ran", (event) => {
    expect(played(begins, event)).toEqual([[1000, true]]);
  });

  it("that ends after all ran until then", () => {
    expect(played(begins, { type: "calls_over" }, ends)).toEqual([[4000, false]]);
  });

  it.each([{ background: true as const }, { of: "your sub-agent" }])("with %j goes on", (more) => {
    expect(played({ ...begins, ...more }, { type: "calls_over" })).toEqual([[Number.NaN, false]]);
  });
});

describe("a call that writes", () => {
  const at = (second: number) => `2026-01-02T00:00:0${second}.000Z`;
  const writes: StoredEvent = { type: "writing_changed", id: "c1", tool: "Edit", paths: ["/a.ts"] };
  const played = (...events: StoredEvent[]) => {
    const fact = work.initial();
    for (const [index, event] of events.entries())
      work.apply(fact, event, { seq: index, at: at(index + 1), turns: 0, supersede: () => undefined });
    return fact;
  };
  const restart: StoredEvent = { type: "session_started", reason: "resume" };

  it("can have changed its files, and only those, until its end is recorded", () => {
    const fact = played(writes);
    expect(workOn(fact, ["/a.ts"])).toMatchObject([{ kind: "tool", name: "Edit", doubtful: true }]);
    expect(workOn(fact, ["/b.ts"])).toEqual([]);
    expect(workOn(played(writes, { ...writes, paths: [] }), ["/a.ts"])).toEqual([]);
  });

  it("can have before a restart, as it may have been killed; otherwise it was refused", () => {
    const [killed] = workOn(played(writes, restart), ["/a.ts"]);
    expect((killed?.to ?? 0) - (killed?.from ?? 0)).toBe(1000);
    expect(workOn(played(writes, restart), ["/b.ts"])).toEqual([]);
    expect(workOn(played(writes, { type: "calls_over" }), ["/a.ts"])).toEqual([]);
  });

  it("of another agent goes on when the agent's own calls are over", () => {
    const fact = played({ ...writes, of: "your sub-agent" }, { type: "calls_over" });
    expect(isBeingWritten(fact, ["/a.ts"], Date.parse(at(5)))).toBe(true);
    expect(isBeingWritten(fact, ["/a.ts"], Date.parse(at(1)) + 20_000)).toBe(false);
  });
});
