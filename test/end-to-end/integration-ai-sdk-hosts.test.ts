// What hosts on the AI SDK do besides: mentions in prompts, sub-agents, histories kept as JSON, steps of their own.

import { join } from "node:path";
import { jsonSchema, type ModelMessage, tool } from "ai";
import { createSqliteStore, type Turn } from "sotto";
import { reminders, remindersForStep } from "sotto/ai-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { look, openPlace, type Place, times } from "../support/ai-sdk-agent.ts";
import { type AiSdk, ask, versions, wires } from "../support/ai-sdk-versions.ts";
import { prefixOf } from "../support/prefix.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

const [, anthropic] = wires[0] as (typeof wires)[number];
const user = (content: string): ModelMessage => ({ role: "user", content });

let place: Place;
let server: ModelServer;
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  await server.close();
  place.remove();
});

async function open(sdk: AiSdk, script: Script) {
  server = await startModelServer({ provider: "anthropic", script });
  return anthropic.open(sdk.providers, server.url);
}
const bodies = () => server.requests.map(({ body }) => body);

/** In place of the network, where the SDK fetches pictures for models that cannot. */
const download = async (wanted: readonly unknown[]) =>
  wanted.map(() => ({ data: Buffer.from("iVBORw0KGgo=", "base64"), mediaType: "image/png" }));

function expectPrefixes(): void {
  expect(server.violations).toEqual([]);
  const prefixes = bodies().map((body) => prefixOf("anthropic-messages", body));
  for (const [index, prefix] of prefixes.slice(1).entries())
    expect(prefix.startsWith(prefixes[index] as string), `${index + 1} goes on from ${index}`).toBe(true);
}

describe.each(versions)("%s", (_, sdk) => {
  it("AC-30 AC-37 a file that a prompt mentions comes with it once, and instructions with the file", async () => {
    const plain = await open(sdk, [{ toolCalls: [look("b.txt")] }, { text: "Yes." }, { text: "Still." }]);
    place.write("a.txt", "the first file\n");
    place.write("b.txt", "the other file\n");
    place.write("AGENTS.md", "Speak plainly.\n");
    const session = place.open();
    const turns: Turn[] = [];
    const model = sdk.wrap(plain, reminders(session, { onTurn: (turn) => void turns.push(turn) }));
    const history = [user("Does @a.txt fit?")];
    const { added } = await ask(sdk, model, { messages: history, tools: place.tools });
    history.push(...added, user("Sure?"));
    await ask(sdk, model, { messages: history, tools: place.tools });
    await session.close();
    expectPrefixes();
    expect(bodies().map((body) => times(body, "the first file"))).toEqual([1, 1, 1]);
    expect(bodies().map((body) => times(body, "Speak plainly."))).toEqual([1, 1, 1]);
    expect(turns.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(turns.every(({ problem }) => problem === undefined)).toBe(true);
  });

  it("AC-37 a history kept as JSON goes on in a session opened anew from its log", async () => {
    const plain = await open(sdk, [
      ...[{ toolCalls: [look("a.txt")] }, { text: "One." }, { text: "Two." }, { text: "Three." }],
    ]);
    place.write("a.txt", "one\n");
    let kept = "[]";
    const later = async (prompt: string) => {
      const store = createSqliteStore({ path: join(place.cwd, "log.db") });
      const session = place.open({ id: "talk", store, config: { critical_instruction: "Mind the tests." } });
      const history = [...(JSON.parse(kept) as ModelMessage[]), user(prompt)];
      const model = sdk.wrap(plain, reminders(session));
      const { added } = await ask(sdk, model, { messages: history, tools: place.tools });
      kept = JSON.stringify([...history, ...added]);
      await session.close();
      await store.close();
    };
    await later("Look.");
    place.write("a.txt", "two\n");
    await later("And now?");
    await later("Sure?");
    expectPrefixes();
    expect(bodies().map((body) => times(body, "Mind the tests."))).toEqual([1, 2, 3, 4]);
    expect(bodies().map((body) => times(body, "was modified outside"))).toEqual([0, 0, 1, 1]);
  });

  it("a sub-agent has a session of its own: it hears what is its own, and the main agent's news stays there", async () => {
    const plain = await open(sdk, (body) => {
      const isTask = times(body, "Find the bug.") > 0 && times(body, "Mend the parser.") === 0;
      if (isTask) return { text: "In line 3." };
      if (times(body, "In line 3.") > 0) return { text: "Mended." };
      return { toolCalls: [{ name: "send", input: { task: "Find the bug." } }] };
    });
    const session = place.open();
    await session.record({
      type: "message_received",
      id: "m",
      from: "ada",
      text: "Parser done.",
      timestamp: "2026-11-15T10:00:00Z",
    });
    const send = tool({
      inputSchema: jsonSchema<{ task: string }>({ type: "object", properties: { task: { type: "string" } } }),
      execute: async ({ task }) => {
        const definition = { criticalSystemReminder: "Change no file." };
        const sub = session.subagent({ agentType: "finder", definition });
        const { text } = await ask(sdk, sdk.wrap(plain, reminders(sub)), { messages: [user(task)] });
        await sub.close();
        return text;
      },
    });
    const model = sdk.wrap(plain, reminders(session));
    const { text } = await ask(sdk, model, { messages: [user("Mend the parser.")], tools: { send } });
    await session.close();
    expect(text).toBe("Mended.");
    expect(server.violations).toEqual([]);
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([1, 0, 1]);
    expect(bodies().map((body) => times(body, "Change no file."))).toEqual([0, 1, 0]);
  });

  it("a step of the host's own goes along with reminders", async () => {
    const plain = await open(sdk, [{ toolCalls: [look("a.txt")] }, { text: "Done." }]);
    place.write("a.txt", "one\n");
    const session = place.open({ config: { critical_instruction: "Mind the tests." } });
    const remind = remindersForStep(session);
    await sdk.generateText({
      ...{ model: plain, messages: [user("Go.")], tools: place.tools, stopWhen: sdk.stepCountIs(3) },
      prepareStep: async (step) => ({
        ...(await remind(step)),
        toolChoice: step.stepNumber === 0 ? ("required" as const) : ("auto" as const),
      }),
    });
    await session.close();
    expectPrefixes();
    expect(bodies().map((body) => times(body, "Mind the tests."))).toEqual([1, 2]);
    expect(bodies()).toMatchObject([{ tool_choice: { type: "any" } }, { tool_choice: { type: "auto" } }]);
  });

  it("AC-37 both at once: what the SDK rewrites on its way to the model is no other conversation", async () => {
    const plain = await open(sdk, (__, index) =>
      index % 2 === 0 ? { toolCalls: [{ name: "show", input: {} }] } : { text: `Answer ${index}.` },
    );
    const show = tool({
      inputSchema: jsonSchema<object>({ type: "object", properties: {} }),
      execute: async () => "iVBORw0KGgo=",
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "image-data", data: output, mediaType: "image/png" }],
      }),
    });
    const session = place.open({ config: { critical_instruction: "Mind the tests." } });
    const model = sdk.wrap(plain, reminders(session));
    const prepareStep = remindersForStep(session);
    const picture = { type: "image" as const, image: new URL("https://pictures.test/pixel.png") };
    const history: ModelMessage[] = [{ role: "user", content: [picture, { type: "text", text: "Show." }] }];
    for (const prompt of ["Again.", "And again.", "Thanks."]) {
      const asked = { messages: history, tools: { show }, prepareStep, experimental_download: download };
      history.push(...(await ask(sdk, model, asked)).added, user(prompt));
    }
    await session.close();
    expectPrefixes();
    expect(bodies().map((body) => times(body, "Mind the tests."))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
