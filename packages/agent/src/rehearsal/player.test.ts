// The script: what is expected, what never comes, and who is spoken to.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseScenario } from "./load-scenario.ts";
import { createPlayer } from "./player.ts";
import type { RehearsedConversation } from "./requests.ts";
import { createTestAgent, messages, rehearse } from "./testing.ts";

test("an expectation that does not hold is said in place of the answer, and the rehearsal goes on", async () => {
  const types = new Map([["<system-reminder>\nA\n</system-reminder>", "todo"]]);
  const rehearsal = await rehearse(
    `
script:
  - user: One
  - assistant:
      expect:
        - told: One
        - not_told: { matches: "[Tt]wo" }
        - reminder: todo
        - no_reminder: plan_mode
      tools: [{ Read: {} }]
  - assistant:
      expect:
        - told: content
        - told: One
        - reminder: todo
      tools: [{ Read: {} }]
  - assistant: { say: This never comes. }
  - user: Two
  - assistant: { say: Fine. }
`,
    { typeOf: (text) => types.get(text) },
  );
  const agent = createTestAgent(rehearsal);
  agent.history.push({ role: "user", content: (await rehearsal.nextPrompt()) ?? "" });
  agent.history.push({ role: "user", content: [...types.keys()][0] ?? "" });
  expect((await agent.ask()).calls).toHaveLength(1);
  agent.results("the content");
  const { text, calls } = await agent.ask();
  const problems = [
    's.yaml:14: expected a new text with "One"; new in the request: result "the content"',
    's.yaml:15: expected the reminder todo; new in the request: result "the content"',
  ];
  expect(calls).toEqual([]);
  expect(text).toBe(`This is a rehearsal, not a model. The agent left the script.\n${problems.join("\n")}`);
  expect(await rehearsal.nextPrompt()).toBe("Two");
  expect((await agent.ask("Two")).text).toBe("Fine.");
  expect(messages(rehearsal)).toEqual(problems);
});

test("a host that does not know the types of its reminders is told so", async () => {
  const rehearsal = await rehearse("script:\n  - assistant: { say: x, expect: [{ reminder: todo }] }\n");
  expect((await createTestAgent(rehearsal).ask("Hi")).text).toContain(
    "s.yaml:3: this host does not report the types of its reminders",
  );
});

test("calls, answers and sub-agents that never come are problems, and so is a prompt of another kind", async () => {
  const rehearsal = await rehearse(`
script:
  - user: One
  - assistant: { say: a }
  - assistant: { say: b }
  - answer: yes
  - user: Two
  - assistant: { say: c }
agents:
  Plan:
    - assistant: { say: d }
`);
  const agent = createTestAgent(rehearsal);
  await agent.ask(await rehearsal.nextPrompt());
  expect(await rehearsal.nextPrompt()).toBe("Two");
  await agent.ask("Two");
  expect(await rehearsal.nextPrompt()).toBeUndefined();
  const other = createTestAgent({ ...rehearsal, system: "You are the Explore sub-agent of a test." });
  expect((await other.ask("Go")).text).toContain("no answer for this Explore sub-agent");
  expect(messages(rehearsal)).toEqual([
    "s.yaml:5: the agent never completed this call",
    "s.yaml:6: the agent never asked for this answer",
    "s.yaml:11: no Plan sub-agent used this",
    "s.yaml: the scenario has no answer for this Explore sub-agent",
  ]);
});

test("a person may type the prompts; another prompt is answered with the one that is waited for", async () => {
  const rehearsal = await rehearse(`
script:
  - user: /plan
  - user: Do it
    meanwhile: [{ write: { path: a.txt, content: a } }]
  - assistant: { say: Done. }
`);
  const agent = createTestAgent(rehearsal);
  expect((await agent.ask("Something else")).text).toContain("It is waiting for this prompt: /plan");
  expect((await agent.ask("Do it, please")).text).toBe("Done.");
  expect(await readFile(join(rehearsal.cwd, "a.txt"), "utf8")).toBe("a");
});

test("a prompt of one's own is answered with what this is, and the script's is handed out again", async () => {
  const rehearsal = await rehearse("script:\n  - user: Do it\n  - assistant: { say: Done. }\n");
  const agent = createTestAgent(rehearsal);
  for (const own of ["What can you do?", "Hello?"]) {
    expect(await rehearsal.nextPrompt()).toBe("Do it");
    const { text } = await agent.ask(own);
    expect(text).toMatch(/^This is a rehearsal, not a model: a script plays the model's part/u);
    expect(text).toMatch(/To use a real model, set ANTHROPIC_API_KEY/u);
  }
  expect((await agent.ask((await rehearsal.nextPrompt()) ?? "")).text).toBe("Done.");
  expect(messages(rehearsal)).toEqual([]);
});

test("sub-agents and the summariser are conversations of their own", async () => {
  const rehearsal = await rehearse(`
script:
  - assistant: { tools: [{ Task: {} }, { Task: {} }] }
  - assistant: { say: Both are back. }
agents:
  Explore:
    - assistant: { tools: [{ Glob: { pattern: "*.ts" } }], expect: [{ told: sources }] }
    - assistant: { say: There are sources. }
    - assistant: { tools: [{ Glob: { pattern: "*.test.ts" } }], expect: [{ told: tests }] }
    - assistant: { say: There are tests. }
summary: [Short., Shorter.]
`);
  const system = "You are the Explore sub-agent. You look around.";
  const main = createTestAgent(rehearsal);
  const tests = createTestAgent({ ...rehearsal, system });
  const sources = createTestAgent({ ...rehearsal, system });
  const summariser = createTestAgent({ ...rehearsal, system: "You summarise conversations." });
  await main.ask("Look around.");
  const [ofTests, ofSources] = [await tests.ask("Find tests"), await sources.ask("Find sources")];
  expect([ofTests.calls[0]?.input, ofSources.calls[0]?.input]).toEqual([
    { pattern: "*.test.ts" },
    { pattern: "*.ts" },
  ]);
  sources.results("a.ts");
  tests.results("a.test.ts");
  expect((await sources.ask()).text).toBe("There are sources.");
  // Summed up in between, it begins anew and is the same sub-agent all the same.
  expect((await summariser.ask("Sum it up")).text).toBe("Short.");
  tests.history.splice(0, tests.history.length);
  expect((await tests.ask("You were looking for tests.")).text).toBe("There are tests.");
  main.results("sources", "tests");
  expect((await main.ask()).text).toBe("Both are back.");
  expect((await summariser.ask("Once more")).text).toBe("Shorter.");
  expect((await summariser.ask("Once more")).text).toBe("Shorter.");
  expect(rehearsal.requests.map(({ conversation }) => conversation)).toEqual([
    ...["main", "Explore", "Explore 2", "Explore 2", "summary", "Explore", "main", "summary", "summary"],
  ]);
  expect(await rehearsal.nextPrompt()).toBeUndefined();
  expect(messages(rehearsal)).toEqual([]);
});

test("who breaks down during or after the answer asks again, and gets the same", async () => {
  const broken = new AbortController();
  const rehearsal = await rehearse(
    `
script:
  - user: One
  - assistant: { tools: [{ Read: {} }] }
    meanwhile: [{ append: { path: log, content: x } }, { wait_for_tasks: true }]
  - assistant: { say: Done. }
`,
    { tasksEnded: () => broken.abort() },
  );
  const agent = createTestAgent(rehearsal);
  await expect(agent.ask(await rehearsal.nextPrompt(), broken.signal)).rejects.toThrow("aborted");
  const first = await agent.ask();
  agent.history.pop();
  agent.history.push({ role: "user", content: "<system-reminder>\nx\n</system-reminder>" });
  const again = await agent.ask();
  expect([first.calls, again.calls]).toEqual([
    [{ toolCallId: "toolu_rehearsal_1", toolName: "Read", input: {} }],
    first.calls,
  ]);
  agent.results("x");
  expect((await agent.ask()).text).toBe("Done.");
  expect(await readFile(join(rehearsal.cwd, "log"), "utf8")).toBe("x");
  expect(messages(rehearsal)).toEqual([]);
});

test("what is taken back is played again, without what happened meanwhile", () => {
  const text = `name: x
script:
  - assistant: { fail: 500 }
    meanwhile: [{ wait_ms: 1 }]
  - assistant: { say: Hm. }
agents:
  Plan:
    - assistant: { say: Planned. }
`;
  const scenario = parseScenario(text, "s.yaml");
  const player = createPlayer({ scenario, typeOf: undefined, problem: String });
  const main = { name: "main", finished: false };
  const plan = { name: "Plan", agentType: "Plan", finished: false };
  const does = (conversation: RehearsedConversation, back: boolean) => {
    const { meanwhile, does, takeBack } = player.cue(conversation, []);
    if (back) takeBack();
    return `${"with" in does ? does.with : does.say}${meanwhile.length > 0 ? " and more" : ""}`;
  };
  expect([does(main, true), does(main, false), does(main, true), does(main, false)]).toEqual([
    ...["500 and more", "500", "Hm.", "Hm."],
  ]);
  expect([does(plan, true), plan.finished, does(plan, false), plan.finished]).toEqual([
    ...["Planned.", false, "Planned.", true],
  ]);
});
