// Scenario files: what is read, and what is said of broken ones.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadScenario, parseScenario } from "./load-scenario.ts";
import { makeProject } from "./scenario.ts";

const FIRST_SESSION = join(import.meta.dirname, "../../../cli/scenarios/first-session.yaml");

test("every key of a scenario is read, with the lines of its steps", () => {
  const text = `name: All of it
about: a line
project:
  a.txt: one
window: 2000
script:
  - user: Hello
    meanwhile:
      - write: { path: b.txt, content: two }
      - append: { path: b.txt, content: three }
      - delete: a.txt
      - rename: { from: b.txt, to: "{{cwd}}/c/d.txt" }
      - run: ls
      - wait_ms: 5
      - wait_for_tasks: true
      - queue: And this
      - answer: always
      - event: { type: mode_changed, mode: plan }
      - interrupt: true
  - assistant:
      expect:
        - told: words
        - not_told: { matches: 'w\\d' }
        - reminder: plan_mode
        - no_reminder: todo
      say: Hm.
      thinking: Oh.
      tools:
        - Read: { file_path: a.txt }
        - ExitPlanMode:
      usage: { input: 9, output: 8, cache_read: 7 }
      fail: { with: 429, times: 2, retry_after_ms: 3 }
  - answer: true
agents:
  Explore:
    - assistant: { tools: [{ Glob: { pattern: "*" } }] }
    - assistant: { fail: cut }
    - assistant: { say: Found. }
    - assistant: { say: Found as well. }
summary: [Short., Shorter.]
`;
  const call = { kind: "assistant", expect: [], tools: [], usage: {}, meanwhile: [] };
  expect(parseScenario(text, "all.yaml")).toEqual({
    file: "all.yaml",
    name: "All of it",
    about: "a line",
    project: [{ path: "a.txt", content: "one" }],
    window: 2000,
    script: [
      {
        kind: "user",
        line: 7,
        text: "Hello",
        meanwhile: [
          { does: "write", line: 9, path: "b.txt", content: "two" },
          { does: "append", line: 10, path: "b.txt", content: "three" },
          { does: "delete", line: 11, path: "a.txt" },
          { does: "rename", line: 12, from: "b.txt", to: "{{cwd}}/c/d.txt" },
          { does: "run", line: 13, command: "ls" },
          { does: "wait_ms", line: 14, ms: 5 },
          { does: "wait_for_tasks", line: 15 },
          { does: "queue", line: 16, text: "And this" },
          { does: "answer", line: 17, text: "always" },
          { does: "event", line: 18, event: { type: "mode_changed", mode: "plan" } },
          { does: "interrupt", line: 19 },
        ],
      },
      {
        kind: "assistant",
        line: 20,
        expect: [
          { line: 22, kind: "told", wanted: "words", isPattern: false },
          { line: 23, kind: "not_told", wanted: "w\\d", isPattern: true },
          { line: 24, kind: "reminder", wanted: "plan_mode", isPattern: false },
          { line: 25, kind: "no_reminder", wanted: "todo", isPattern: false },
        ],
        say: "Hm.",
        thinking: "Oh.",
        tools: [
          { name: "Read", input: { file_path: "a.txt" } },
          { name: "ExitPlanMode", input: {} },
        ],
        usage: { input: 9, output: 8, cacheRead: 7 },
        fail: { with: 429, times: 2, retryAfterMs: 3 },
        meanwhile: [],
      },
      { kind: "answer", line: 33, text: "yes" },
    ],
    agents: new Map([
      [
        "Explore",
        [
          [
            { ...call, line: 36, tools: [{ name: "Glob", input: { pattern: "*" } }] },
            { ...call, line: 37, fail: { with: "cut", times: 1 } },
            { ...call, line: 38, say: "Found." },
          ],
          [{ ...call, line: 39, say: "Found as well." }],
        ],
      ],
    ]),
    summary: ["Short.", "Shorter."],
  });
});

test("a file that is not there is named", async () => {
  await expect(loadScenario("/nowhere/x.yaml")).rejects.toThrow(
    "cannot read the scenario: /nowhere/x.yaml cannot be reached: there is no directory /nowhere; correct the path",
  );
});

test("the first session is whole, and its project can be made", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "sotto-scenario-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const scenario = await loadScenario(FIRST_SESSION);
  expect(scenario.script).toHaveLength(7);
  await makeProject(
    { ...scenario, project: [...scenario.project, { path: "here", content: "{{cwd}}" }] },
    cwd,
  );
  expect(await readFile(join(cwd, "src/sum.js"), "utf8")).toContain("total - number");
  expect(await readFile(join(cwd, "here"), "utf8")).toBe(cwd);
});

test("the scenarios of the guide are whole", async () => {
  const guide = await readFile(join(import.meta.dirname, "../../../../docs/guide/scenarios.md"), "utf8");
  const examples = [...guide.matchAll(/^```yaml\n(.*?)^```$/gmsu)].map(([, text]) => text ?? "");
  expect(examples.map((text) => parseScenario(text, "scenarios.md").name)).toEqual([
    ...["A first session", "Two explorers"],
  ]);
});
