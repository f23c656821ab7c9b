// What a scenario lets happen, to real files and processes and through the host.

import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestAgent, messages, outcomes, rehearse } from "./testing.ts";

test("what happens meanwhile happens before the answer, to real files and through the host", async () => {
  const told: unknown[] = [];
  const rehearsal = await rehearse(
    `
project: { a.txt: a, b.txt: b, old/c.txt: c }
script:
  - user: Go
    meanwhile: [{ write: { path: new/d.txt, content: "in {{cwd}}" } }]
  - assistant: { say: x }
    meanwhile:
      - append: { path: a.txt, content: "!" }
      - delete: b.txt
      - rename: { from: old/c.txt, to: moved/c.txt }
      - run: "cat a.txt > copy.txt"
      - run: "echo no such luck >&2; exit 3"
      - wait_ms: 1
      - queue: One more thing
      - event: { type: ide_changed, ideName: "{{cwd}}" }
      - wait_for_tasks: true
      - answer: always
      - answer: no
      - delete: gone.txt
      - interrupt: true
  - answer: maybe
  - assistant: { say: y }
`,
    {
      queuePrompt: (text) => told.push(text),
      record: (event) => told.push(event),
      tasksEnded: async () => told.push("tasks"),
    },
  );
  const { cwd } = rehearsal;
  const read = (path: string) => readFile(join(cwd, path), "utf8");
  const agent = createTestAgent(rehearsal);
  await agent.ask(await rehearsal.nextPrompt());
  expect(await Promise.all(["a.txt", "copy.txt", "moved/c.txt", "new/d.txt"].map(read))).toEqual([
    ...["a!", "a!", "c", `in ${cwd}`],
  ]);
  await expect(access(join(cwd, "b.txt"))).rejects.toThrow("ENOENT");
  expect(told).toEqual(["One more thing", { type: "ide_changed", ideName: cwd }, "tasks"]);
  expect(Array.from({ length: 4 }, rehearsal.nextAnswer)).toEqual(["always", "no", "maybe", undefined]);
  expect(messages(rehearsal)).toEqual([
    "s.yaml:12: `echo no such luck >&2; exit 3` exited with 3: no such luck",
    expect.stringMatching(/^s\.yaml:19: ENOENT/u),
    "s.yaml:20: this host cannot be interrupted",
  ]);
});

test("an interrupted call gets no answer, and the script goes on behind it", async () => {
  const stopping = new AbortController();
  const rehearsal = await rehearse(
    `
script:
  - user: One
  - assistant: { say: This is not heard., tools: [{ Read: {} }] }
    meanwhile: [{ interrupt: true }]
  - user: Two
  - assistant: { say: Two., expect: [{ told: One }] }
`,
    { interrupt: () => stopping.abort() },
  );
  const agent = createTestAgent(rehearsal);
  await expect(agent.ask(await rehearsal.nextPrompt(), stopping.signal)).rejects.toThrow("aborted");
  expect((await agent.ask(await rehearsal.nextPrompt())).text).toBe("Two.");
  expect(outcomes(rehearsal)).toEqual(["main 0 left", "main 200 answered"]);
  expect(messages(rehearsal)).toEqual([]);
});

test("it closes while a command of the scenario runs, and ends it", async () => {
  const rehearsal = await rehearse(`
script:
  - assistant: { say: x }
    meanwhile: [{ run: "echo $$ > pid; exec sleep 600" }]
`);
  const asked = createTestAgent(rehearsal).ask("Go");
  asked.catch(() => undefined);
  const pid = await expect
    .poll(() => readFile(join(rehearsal.cwd, "pid"), "utf8").catch(() => ""))
    .toMatch(/\d\n/u)
    .then(() => readFile(join(rehearsal.cwd, "pid"), "utf8"));
  await rehearsal.close();
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  await expect(asked).rejects.toThrow();
});
