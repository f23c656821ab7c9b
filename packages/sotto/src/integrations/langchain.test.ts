import { expect, test } from "vitest";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import {
  broken,
  expectSent,
  happenBefore,
  openSession,
  recordedCalls,
} from "../../../../test/support/recorded-calls.ts";
import { type ModelRequest, reminders } from "./langchain.ts";

test.each(["anthropic", "openai-responses"])(
  "AC-37 recorded calls with a model of %s: each thing is said once, each call begins with the one before",
  async (provider) => {
    const session = openSession();
    const { wrapModelCall } = reminders(session);
    const requests = frozen(recordedCalls<ModelRequest>(`langchain.${provider}`));
    const sent: object[][] = [];
    for (const [index, request] of requests.entries()) {
      await happenBefore(session, index);
      const answer = await wrapModelCall(frozen({ ...request, model: "m" }), ({ messages, model }) => {
        sent.push(messages);
        return `${model} ${index}`;
      });
      expect(answer).toBe(`m ${index}`);
    }
    expectSent(
      requests.map(({ messages }) => messages),
      sent,
    );
  },
);

test("an answer confirms what was said; a failed call is the host's, and its retry says the same", async () => {
  const session = openSession();
  const { wrapModelCall } = reminders(session);
  const request = { messages: [{ type: "human", content: "go" }] };
  const sent: string[] = [];
  const failing = wrapModelCall(request, ({ messages }) => {
    sent.push(JSON.stringify(messages));
    throw new Error("503");
  });
  await expect(failing).rejects.toThrow("503");
  await wrapModelCall(request, ({ messages }) => void sent.push(JSON.stringify(messages)));
  expect(sent[1]).toBe(sent[0]);
  expect(sent[0]).toContain("Run the tests");
});

test("where anything is wrong the request goes on as it is, and the reason is told", async () => {
  const problems: string[] = [];
  const { wrapModelCall } = reminders(broken, { onProblem: (problem) => void problems.push(problem) });
  const request = { messages: [{ type: "human", content: "go" }] };
  expect(await wrapModelCall(request, (given) => given)).toBe(request);
  expect(problems).toEqual(["no session today"]);
});
