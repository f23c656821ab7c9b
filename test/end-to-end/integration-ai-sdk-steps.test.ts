// Before each step, as middleware, and both at once: the same tool loops over real files, nothing said twice.

import type { ModelMessage } from "ai";
import type { Session } from "sotto";
import { reminders, remindersForStep } from "sotto/ai-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { look, openPlace, type Place, put, times } from "../support/ai-sdk-agent.ts";
import { type AiSdk, addedBy, ask, versions, type Wire, wires } from "../support/ai-sdk-versions.ts";
import { prefixOf } from "../support/prefix.ts";
import { type Answer, type ModelServer, startModelServer } from "../support/servers/model-server.ts";

const CHANGED = "was modified outside this conversation";
// A pixel: reminders may carry pictures, and so may prompts.
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let place: Place;
let server: ModelServer | undefined;
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  await server?.close();
  place.remove();
});

type Way = "as middleware" | "before each step" | "both at once" | "before each step of an agent";
const ways: readonly Way[] = [
  "as middleware",
  "before each step",
  "both at once",
  "before each step of an agent",
];

/** How a host calls its model that has it one way or another. */
function caller(way: Way, sdk: AiSdk, wire: Wire, session: Session) {
  const plain = wire.open(sdk.providers, server?.url as string);
  const wraps = way === "as middleware" || way === "both at once";
  const model = wraps ? sdk.wrap(plain, reminders(session)) : plain;
  const prepareStep = remindersForStep(session);
  const { tools } = place;
  if (way === "before each step of an agent") {
    const agent = sdk.createAgent(model, tools, prepareStep);
    return async (messages: ModelMessage[]) => addedBy(await agent.generate({ messages }));
  }
  const step = way === "as middleware" ? {} : { prepareStep };
  // Some packages write their tools differently where they stream: a host does one or the other.
  const stream = way !== "as middleware";
  return async (messages: ModelMessage[]) =>
    (await ask(sdk, model, { messages, tools, stream, system: "You mend files.", ...step })).added;
}

/** What the model does, and what happens meanwhile: somebody else changes `a.txt` twice. */
function script(session: Session) {
  const answers = [
    () => ({ toolCalls: [look("a.txt"), look("b.txt")] }),
    () => {
      place.write("a.txt", "two\n");
      return { toolCalls: [put("b.txt", "mine\n")] };
    },
    () => ({ text: "So far." }),
    () => {
      const image = { type: "image" as const, mediaType: "image/png" as const, data: PIXEL };
      const prompt = [{ type: "text" as const, text: "Like this:" }, image];
      void session.record({ type: "prompt_queued", id: "p", prompt });
      return { toolCalls: [look("b.txt"), put("c.txt", "new\n")] };
    },
    () => {
      place.write("a.txt", "two\nthree\n");
      return { toolCalls: [look("c.txt")] };
    },
    () => ({ toolCalls: [put("c.txt", "newer\n")] }),
    () => ({ text: "Done." }),
  ];
  return (_: unknown, index: number) => (answers[index] as () => Answer)();
}

/** A picture of the user's is written differently for a step and for a model: it is the same conversation. */
const prompts = (first: "bytes" | "text"): ModelMessage[] => [
  {
    role: "user",
    content: [
      { type: "text", text: "Mend it as the picture shows." },
      { type: "image", image: first === "bytes" ? Buffer.from(PIXEL, "base64") : PIXEL },
    ],
  },
  { role: "user", content: "Go on." },
];

describe.each(versions)("%s", (_, sdk) => {
  describe.each(wires)("%s", (__, wire) => {
    it.each(ways)(
      "AC-30 AC-37 %s: a change of a file is told once, the agent's own writes are not",
      async (way) => {
        const config = { critical_instruction: "Mind the tests." };
        const session = place.open({ config });
        place.write("a.txt", "one\n");
        place.write("b.txt", "b\n");
        server = await startModelServer({ provider: wire.server, script: script(session) });
        const call = caller(way, sdk, wire, session);
        const history: ModelMessage[] = [];
        for (const prompt of prompts(sdk === versions[0]?.[1] ? "bytes" : "text")) {
          history.push(prompt);
          history.push(...(await call(history)));
        }
        await session.close();

        expect(server.violations).toEqual([]);
        const bodies = server.requests.map(({ body }) => body);
        const prefixes = bodies.map((body) => prefixOf(wire.measured, body));
        for (const [index, prefix] of prefixes.slice(1).entries())
          expect(prefix.startsWith(prefixes[index] as string), `${index + 1} goes on from ${index}`).toBe(
            true,
          );
        expect(bodies.map((body) => times(body, CHANGED))).toEqual([0, 0, 1, 1, 1, 2, 2]);
        expect(bodies.map((body) => times(body, config.critical_instruction))).toEqual([1, 2, 3, 4, 5, 6, 7]);
        expect(bodies.map((body) => times(body, "Like this:"))).toEqual([0, 0, 0, 0, 1, 1, 1]);
        expect(bodies.map((body) => times(body, PIXEL))).toEqual([1, 1, 1, 1, 2, 2, 2]);
        // Every change of the other two was the agent's own.
        expect(times(bodies.at(-1), `${place.file("a.txt")} ${CHANGED}`)).toBe(2);
        expect(JSON.stringify(history)).not.toContain(config.critical_instruction);
      },
    );
  });
});
