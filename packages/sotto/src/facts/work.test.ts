import { describe, expect, it } from "vitest";
import type { EventOf } from "./events.ts";
import { work } from "./work.ts";

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
