import fc from "fast-check";
import { expect, it } from "vitest";
import type { StoredEvent } from "./events.ts";
import { settleEdges } from "./pending.ts";
import { tasks } from "./tasks.ts";

const taskId = fc.constantFrom("a", "b", "__proto__", "constructor");
const event: fc.Arbitrary<StoredEvent | "say"> = fc.oneof(
  fc.constant("say" as const),
  taskId.map(
    (id): StoredEvent => ({ type: "task_started", taskId: id, taskType: "agent", description: `do ${id}` }),
  ),
  taskId.map((id): StoredEvent => ({ type: "task_output", taskId: id, deltaSummary: "news" })),
  taskId.map((id): StoredEvent => ({ type: "task_finished", taskId: id, status: "completed" })),
);

it("each run ends once, nothing about a task is news behind its end, and what runs is known", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const fact = tasks.initial();
      const running = new Map<string, boolean>();
      const ends = { recorded: 0, seen: new Set<string>() };
      for (const [seq, one] of events.entries()) {
        if (one === "say")
          for (const { id } of [...fact.pending])
            settleEdges(fact, new Set([id]), { branch: "main", turn: seq });
        else {
          const before = fact.pending.length;
          tasks.apply(fact, one, { seq, at: "", turns: 0, supersede: () => undefined });
          const over = "taskId" in one && running.get(one.taskId) === false;
          if (one.type === "task_started") running.set(one.taskId, true);
          else if (over) expect(fact.pending.length).toBe(before);
          else if (one.type === "task_finished") {
            running.set(one.taskId, false);
            ends.recorded++;
          }
        }
        for (const { id, status } of fact.pending) if (status !== "running") ends.seen.add(id);
        const alive = [...running].filter(([, runs]) => runs).map(([id]) => id);
        expect(
          Object.values(fact.running)
            .map((task) => task.taskId)
            .sort(),
        ).toEqual(alive.sort());
      }
      expect(ends.seen.size).toBe(ends.recorded);
    }),
  );
});
