// The todo reminder over whole conversations: lists written, finished and emptied, histories compacted with and without a word.

import fc from "fast-check";
import { anthropicMessages, type TodoItem } from "sotto";
import { describe, expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { openSession } from "../support/telling.ts";

type Step = "answer" | "open list" | "finished list" | "no list" | "compacted" | "other history";

const steps = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.constant<Step>("answer") },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Step>("open list", "finished list", "no list", "compacted", "other history"),
    },
  ),
  { minLength: 20, maxLength: 90 },
);

interface Told {
  answers: number;
  types: string[];
  /** How many answers there had been when the list was last written, and when the view last began anew. */
  writtenAt?: number;
  beganAt?: number;
  /** Reminders since the list was last written. */
  ignored: number[];
  list: Step;
}

const LISTS: Partial<Record<Step, TodoItem[]>> = {
  "open list": [
    { content: "Read the parser", status: "completed" },
    { content: "Fix it", status: "pending" },
  ],
  "finished list": [{ content: "Read the parser", status: "completed" }],
  "no list": [],
};

/** Each turn with what it said, and what had happened by then. */
async function play(script: readonly Step[]): Promise<Told[]> {
  const session = openSession({ configFiles: { read: false } });
  let messages: object[] = [{ role: "user", content: "Go on." }];
  const told: Told[] = [];
  const now: Omit<Told, "types" | "ignored"> = { answers: 0, list: "answer" };
  let ignored: number[] = [];
  for (const [at, step] of script.entries()) {
    const items = LISTS[step];
    if (items !== undefined) {
      await session.record({ type: "todos_written", items });
      // An emptied list is finished where it was, and left where it was not.
      if (step !== "no list" || now.list === "answer") now.list = step;
      now.writtenAt = now.answers;
      ignored = [];
      continue;
    }
    if (step === "compacted" || step === "other history") {
      if (step === "compacted") await session.record({ type: "compacted" });
      messages = [{ role: "user", content: `Summary ${at} of what was done.` }];
      now.beganAt = now.answers;
      continue;
    }
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    await turn.commit();
    const types = turn.reminders.map(({ type }) => type);
    told.push({ ...now, types, ignored: [...ignored] });
    if (types.includes("todo_reminder")) ignored.push(now.answers);
    messages = [
      ...messages,
      { role: "assistant", content: `Done ${at}.` },
      { role: "user", content: `Next ${at}.` },
    ];
    now.answers += 1;
  }
  await session.close();
  return told;
}

describe("the todo reminder", () => {
  test("AC-7 AC-8 comes late, ever more rarely, and only while something on a list is left", async () => {
    const property = fc.asyncProperty(steps, async (script) => {
      for (const { types, answers, writtenAt, beganAt = -5, ignored, list } of await play(script)) {
        if (!types.includes("todo_reminder")) continue;
        expect(list).toBe("open list");
        expect(types).not.toContain("todo");
        expect(answers - (writtenAt as number)).toBeGreaterThanOrEqual(5);
        expect(answers - beganAt).toBeGreaterThanOrEqual(5);
        const gap = ignored.length === 0 ? 0 : 3 * 2 ** (ignored.length - 1);
        expect(answers - (ignored.at(-1) ?? 0)).toBeGreaterThanOrEqual(gap);
      }
    });
    await fc.assert(property, runs(25));
  });

  test("backs off over compactions, with and without a word", async () => {
    const ten = Array.from({ length: 10 }, (): Step => "answer");
    for (const step of ["compacted", "other history"] as const) {
      const script = ["open list" as const, ...[1, 2, 3, 4].flatMap((): Step[] => [...ten, step]), ...ten];
      const at = (await play(script)).flatMap(({ types, answers }) =>
        types.includes("todo_reminder") ? [answers] : [],
      );
      const gaps = at.slice(1).map((turn, index) => turn - (at[index] as number));
      expect(at[0]).toBe(5);
      expect(gaps).toHaveLength(3);
      for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(3 * 2 ** index);
    }
  });

  test("AC-36 a list that is open comes back once after compaction, a finished one never", async () => {
    const ten = Array.from({ length: 10 }, (): Step => "answer");
    const repeats = async (list: Step, step: Step) =>
      (await play([list, ...ten, step, ...ten])).flatMap(({ types, answers }) =>
        types.includes("todo") ? [answers] : [],
      );
    for (const step of ["compacted", "other history"] as const) {
      expect(await repeats("open list", step)).toEqual([10]);
      expect(await repeats("finished list", step)).toEqual([]);
      expect(await repeats("no list", step)).toEqual([]);
    }
  });
});
