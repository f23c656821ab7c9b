// The first session through the real engine: what happens outside is said, and what does not happen is not.

import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnthropicBody, anthropicMessages, createSession, type Session } from "sotto";
import { expect, onTestFinished, test } from "vitest";
import { createScriptedAsker } from "../open-run.ts";
import { loadScenario } from "./load-scenario.ts";
import { type Measured, measure } from "./measure.ts";
import { makeProject, type Scenario } from "./scenario.ts";
import { startRehearsal } from "./start-rehearsal.ts";
import { createTestAgent, type TestAnswer } from "./testing.ts";

const FIRST_SESSION = join(import.meta.dirname, "../../../cli/scenarios/first-session.yaml");

test("the outside edit is said once, and every request continues the one before", async () => {
  const { problems, measured, sum } = await play(await loadScenario(FIRST_SESSION));
  expect(problems).toEqual([]);
  expect(sum).toBe(
    "// Adds up.\nexport function sum(numbers) {\n  return numbers.reduce((total, number) => total + number, 0);\n}\n",
  );
  const { prefix, breaks, takenOut, unanswered, types } = measured;
  expect({ prefix, breaks, takenOut, unanswered, types }).toEqual({
    prefix: { kept: 4, extended: 0, broken: 0, rewritten: 0 },
    breaks: [],
    takenOut: 0,
    unanswered: 0,
    types: [{ type: "edited_text_file", said: 1, tokens: expect.any(Number) }],
  });
  expect(measured.cache.share).toBeGreaterThan(0.5);
});

test("without the outside edit there is no reminder, and the script says where it misses it", async () => {
  const scenario = await loadScenario(FIRST_SESSION);
  const script = scenario.script.map((step) => (step.kind === "answer" ? step : { ...step, meanwhile: [] }));
  const { problems, measured } = await play({ ...scenario, script });
  expect(measured.types).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(
      /first-session\.yaml:42: expected the reminder edited_text_file; new in the request: result/u,
    ),
    expect.stringMatching(
      /first-session\.yaml:43: expected a new text with "\/\/ Adds up\."; new in the request: result/u,
    ),
  ]);
});

async function play(scenario: Scenario): Promise<{ problems: string[]; measured: Measured; sum: string }> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-first-session-")));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await makeProject(scenario, cwd);
  const session = createSession({ cwd, home: cwd, agent: { kind: "main" } });
  onTestFinished(() => session.close());
  const types = new Map<string, string>();
  const typeOf = (text: string) => types.get(text);
  const rehearsal = await startRehearsal(scenario, { cwd, world: { typeOf } });
  onTestFinished(() => rehearsal.close());
  const asker = createScriptedAsker(rehearsal);
  const agent = createTestAgent({ ...rehearsal, fetch: withReminders(session, types) });

  async function result({ toolName, input }: TestAnswer["calls"][number]): Promise<string> {
    const { file_path, old_string, new_string } = input as Record<string, string>;
    const path = join(cwd, file_path ?? "");
    if (toolName === "Bash") return "the test ran";
    const content = await readFile(path, "utf8");
    if (toolName === "Read") {
      await session.record({ type: "file_read", path, content });
      return content;
    }
    expect(await asker.permit({ toolName, title: path })).toBe("yes");
    const edited = content.replace(String(old_string), String(new_string));
    await writeFile(path, edited);
    await session.record({ type: "file_written", path, content: edited });
    return "edited";
  }

  for (let words = await rehearsal.nextPrompt(); words !== undefined; words = await rehearsal.nextPrompt()) {
    let { calls } = await agent.ask(words);
    while (calls.length > 0) {
      const texts: string[] = [];
      for (const call of calls) texts.push(await result(call));
      agent.results(...texts);
      ({ calls } = await agent.ask());
    }
  }
  const problems = rehearsal.problems.map(({ message }) => message);
  const sum = await readFile(join(cwd, "src/sum.js"), "utf8");
  return { problems, measured: measure(rehearsal.requests, { typeOf }), sum };
}

/** As a host does it, on the body that the SDK has written. */
function withReminders(session: Session, types: Map<string, string>): typeof fetch {
  return async (input, init) => {
    const body = JSON.parse(String(init?.body)) as AnthropicBody;
    const turn = await session.turn({ dialect: anthropicMessages, body });
    for (const { type, blocks } of turn.reminders)
      for (const block of blocks) if (block.type === "text") types.set(block.text, type);
    const response = await fetch(input, { ...init, body: JSON.stringify(turn.body) });
    await (response.ok ? turn.commit() : turn.abandon());
    return response;
  };
}
