import { expect, test } from "vitest";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import {
  broken,
  expectSent,
  happenBefore,
  openSession,
  recordedCalls,
} from "../../../../test/support/recorded-calls.ts";
import { type ModelInput, reminders } from "./openai-agents.ts";

const calls = () => frozen(recordedCalls<ModelInput>("openai-agents"));
const isAdded = (given: readonly object[]) => (item: object) => !given.includes(item);

test("AC-37 recorded calls: each thing is said once, each call begins with the one before, nothing given is touched", async () => {
  const session = openSession();
  const filter = reminders(session);
  const sent: object[][] = [];
  const given = calls();
  for (const [index, modelData] of given.entries()) {
    await happenBefore(session, index);
    const result = await filter({ modelData });
    expect({ ...result, input: [] }).toEqual({ ...modelData, input: [] });
    sent.push(result.input);
  }
  expectSent(
    given.map(({ input }) => input),
    sent,
  );
});

test("AC-37 what a session of the SDK has kept in front of a run goes back to where it stood, as the very object", async () => {
  const session = openSession();
  const filter = reminders(session);
  const [first, second, third] = calls() as [ModelInput, ModelInput, ModelInput];
  const once = (await filter({ modelData: first })).input;
  const twice = (await filter({ modelData: second })).input;
  const kept = structuredClone(twice.filter(isAdded(second.input)));
  expect(kept).toHaveLength(2);
  // Both stand behind the first prompt now.
  const [prompt, ...rest] = third.input as [object, ...object[]];
  const input = [prompt, ...kept, ...rest];
  const sent = (await filter({ modelData: { input } })).input;
  expect(JSON.stringify(sent).startsWith(JSON.stringify(twice).slice(0, -1))).toBe(true);
  expect(JSON.stringify(twice).startsWith(JSON.stringify(once).slice(0, -1))).toBe(true);
  expect(kept.every((item) => sent.includes(item))).toBe(true);
  expect(sent.filter(isAdded(input))).toHaveLength(1);
});

test("of a conversation that the provider keeps nothing is put back", async () => {
  const session = openSession();
  const filter = reminders(session, { conversation: "conv_1" });
  const ask = async (content: string) =>
    (await filter({ modelData: { input: [{ role: "user", content }] } })).input;
  const lengths = [
    (await ask("Go on 0.")).length,
    (await ask("Go on 1.")).length,
    (await ask("Go on 2.")).length,
  ];
  expect(lengths).toEqual([2, 2, 2]);
});

test("where anything is wrong the SDK's own data goes on, and the reason is told", async () => {
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const [modelData] = calls() as [ModelInput];
  expect(await reminders(broken, { onProblem })({ modelData })).toBe(modelData);
  expect(await reminders(() => undefined)({ modelData })).toBe(modelData);
  const odd = { input: [{ type: "message", role: 7 }] };
  expect(await reminders(openSession(), { onProblem })({ modelData: odd })).toBe(odd);
  expect(problems).toEqual([
    "no session today",
    "the request is not of the dialect openai-agents: input.0.role: expected a string",
  ]);
});
