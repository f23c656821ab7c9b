import { createMemoryStore, createSession } from "sotto";
import { explain } from "sotto/inspect";
import { expect, test } from "vitest";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import {
  broken,
  expectSent,
  happenBefore,
  openSession,
  recordedCalls,
} from "../../../../test/support/recorded-calls.ts";
import { type ModelRequest, reminders } from "./mastra.ts";

type Recorded = ModelRequest & { prompt: object[] };
const asked = [{ role: "user", content: [{ type: "text", text: "go" }] }];

test.each(["anthropic", "openai-chat"])(
  "AC-37 recorded calls with a model of %s: each thing is said once, each call begins with the one before",
  async (provider) => {
    const session = openSession();
    const { processLLMRequest } = reminders(session);
    const requests = frozen(recordedCalls<Recorded>(`mastra.${provider}`));
    const sent: object[][] = [];
    for (const [index, request] of requests.entries()) {
      await happenBefore(session, index);
      sent.push((await processLLMRequest({ ...request, state: {} }))?.prompt ?? request.prompt);
    }
    expectSent(
      requests.map(({ prompt }) => prompt),
      sent,
    );
  },
);

test("other instructions, or a working memory that changed, move nothing", async () => {
  const session = openSession();
  const { processLLMRequest } = reminders(session);
  const ask = (system: string) =>
    processLLMRequest({ prompt: [{ role: "system", content: system }, ...asked] as object[] });
  const [first, second] = [await ask("You mend."), await ask("You mend. The user is Ada.")];
  expect(second?.prompt.slice(1)).toEqual(first?.prompt.slice(1));
  expect(first?.prompt).toHaveLength(3);
});

test("a picture is written as the model's version has it", async () => {
  const pictures = await Promise.all(
    ["v2", "v3", "v4"].map(async (specificationVersion) => {
      const session = createSession({ cwd: "/project", agent: { kind: "main" } });
      const image = { type: "image" as const, mediaType: "image/png" as const, data: "AAAA" };
      await session.record({
        type: "prompt_queued",
        id: "p1",
        prompt: [{ type: "text", text: "So:" }, image],
      });
      const result = await reminders(session).processLLMRequest({
        prompt: asked as object[],
        model: { specificationVersion },
      });
      const last = (result?.prompt ?? []).at(-1) as { content: { data?: unknown }[] } | undefined;
      return last?.content.at(-1)?.data;
    }),
  );
  expect(pictures).toEqual(["AAAA", "AAAA", { type: "data", data: "AAAA" }]);
});

test("an answer confirms what was said", async () => {
  const store = createMemoryStore();
  const config = { critical_instruction: "Run the tests." };
  const session = createSession({ id: "one", cwd: "/project", agent: { kind: "main" }, store, config });
  const { processLLMRequest, processLLMResponse } = reminders(session);
  const state: Record<string, unknown> = {};
  const states = async () =>
    explain((await store.read("one", 0)).entries).flatMap((turn) => turn.deliveries.map((one) => one.state));
  await processLLMRequest({ prompt: asked, state });
  expect(await states()).toEqual(["offered"]);
  await processLLMResponse({ state });
  expect(await states()).toEqual(["confirmed"]);
  expect(state).toEqual({});
});

test("where anything is wrong the prompt goes on as it is, and the reason is told", async () => {
  const problems: string[] = [];
  const processor = reminders(broken, { onProblem: (problem) => void problems.push(problem) });
  expect(await processor.processLLMRequest({ prompt: asked })).toBeUndefined();
  expect(await processor.processLLMRequest({ prompt: "go" })).toBeUndefined();
  expect(await processor.processLLMResponse({})).toBeUndefined();
  expect(problems).toEqual(["no session today", "no session today"]);
});
