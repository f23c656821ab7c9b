// The AI SDK's middleware against strict servers: 21 requests with tools, in both versions, whole and streamed.

import { jsonSchema, type ModelMessage, tool } from "ai";
import { type AiSdkBody, aiSdk, createSession, isReminder, type Session, withoutReminders } from "sotto";
import { reminders } from "sotto/ai-sdk";
import { describe, expect, it } from "vitest";
import { type AiSdk, ask, versions, type Wire, wires } from "../support/ai-sdk-versions.ts";
import { prefixOf } from "../support/prefix.ts";
import { config, happen } from "../support/sdk-session.ts";
import { type ReceivedRequest, startModelServer } from "../support/servers/model-server.ts";

const REQUESTS = 21;
// Some packages keep it in the history.
const USAGE = { input: 100, output: 10 };
const read = tool({
  inputSchema: jsonSchema<{ path: string }>({
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  }),
  execute: async ({ path }) => `the text of ${path}`,
});

interface Held {
  requests: readonly ReceivedRequest[];
  violations: readonly string[];
  /** What the SDK handed to the provider's package. */
  prompts: AiSdkBody[];
  history: ModelMessage[];
}

/** Prompts, answers and tool calls until the server has had enough; `session`: with reminders. */
async function hold(sdk: AiSdk, wire: Wire, stream: boolean, session?: Session): Promise<Held> {
  const server = await startModelServer({
    provider: wire.server,
    script: (_, index) => {
      if (session !== undefined) void happen(session, index);
      const thinking = wire.thinks ? { thinking: "Hm." } : {};
      const calls = ["a.ts", "b.ts"].slice(0, index % 4).map((path) => ({ name: "read", input: { path } }));
      return {
        text: `Answer ${index}.`,
        usage: USAGE,
        ...thinking,
        ...(calls.length > 0 ? { toolCalls: calls } : {}),
      };
    },
  });
  const prompts: AiSdkBody[] = [];
  const recorded = sdk.wrap(wire.open(sdk.providers, server.url), {
    specificationVersion: "v3",
    async transformParams({ params }) {
      prompts.push({ messages: structuredClone(params.prompt) as AiSdkBody["messages"] });
      return params;
    },
  });
  const model = session === undefined ? recorded : sdk.wrap(recorded, reminders(session));
  const history: ModelMessage[] = [];
  while (server.requests.length < REQUESTS && server.violations.length === 0) {
    history.push({ role: "user", content: `Prompt ${history.length}.` });
    const { added } = await ask(sdk, model, {
      ...{ system: "You mend code.", messages: history, tools: { read }, stream },
    });
    history.push(...added);
  }
  await server.close();
  return { requests: server.requests, violations: server.violations, prompts, history };
}

/** Calls that the provider gives no id get a random one from the SDK: here they are numbered. */
function counted(value: unknown): unknown {
  const known = new Map<string, string>();
  const name = (id: string) => known.get(id) ?? known.set(id, `call ${known.size}`).get(id);
  return JSON.parse(
    JSON.stringify(value).replace(/(?<="(?:id|toolCallId)":")\w{16}(?=")/g, (id) => name(id) as string),
  );
}

describe.each(versions)("%s", (_, sdk) => {
  describe.each(wires)("%s", (__, wire) => {
    it.each([
      ["whole", false],
      ["streamed", true],
    ])("AC-28 AC-29 AC-30 AC-34 AC-37 %s answers", async (___, stream) => {
      const session = createSession({
        cwd: "/repo",
        agent: { kind: "main" },
        config,
        configFiles: { read: false },
      });
      const told = await hold(sdk, wire, stream, session);
      const plain = await hold(sdk, wire, stream);
      await session.close();

      expect(told.violations).toEqual([]);
      expect(told.requests).toHaveLength(REQUESTS);
      const bodies = told.requests.map(({ body }) => body as never);
      const prefixes = bodies.map((body) => prefixOf(wire.measured, body));
      for (const [index, prefix] of prefixes.slice(1).entries())
        expect(prefix.startsWith(prefixes[index] as string), `${index + 1} goes on from ${index}`).toBe(true);

      const last = JSON.stringify(bodies.at(-1));
      for (const once of ["Plan mode is on.", "Parser done.", "## Exited Plan Mode", "Task t1", "Like this:"])
        expect(last.split(once), once).toHaveLength(2);
      expect(last.split(config.critical_instruction)).toHaveLength(REQUESTS + 1);
      expect(last).toContain("iVBORw0KGgo");

      // What was sent is the host's own request and reminders; the host's history has none.
      const bare = told.prompts.map((prompt) => withoutReminders(aiSdk, prompt, { words: false }));
      expect(counted(bare)).toEqual(counted(plain.prompts));
      const { messages } = told.prompts.at(-1) as AiSdkBody;
      const own = messages.filter((message) => isReminder(aiSdk, message));
      expect(messages.length - own.length).toBe(plain.prompts.at(-1)?.messages.length);
      expect(counted(told.history)).toEqual(counted(plain.history));
      // A package that makes one message of several leaves no sign of whose a picture is.
      if (!wire.merges)
        expect(counted(bodies.map((body) => withoutReminders(wire.dialect, body, { words: false })))).toEqual(
          counted(plain.requests.map(({ body }) => body)),
        );
    });
  });
});
