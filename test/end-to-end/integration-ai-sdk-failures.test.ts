// What goes wrong around a model call: servers that refuse, calls that are given up, stores that fail.

import { join } from "node:path";
import { createMemoryStore, createSqliteStore, type Session } from "sotto";
import { type AiSdkRequest, reminders, remindersForStep } from "sotto/ai-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { look, openPlace, type Place, times } from "../support/ai-sdk-agent.ts";
import { type AiSdk, type Asked, ask, versions, type Wire, wires } from "../support/ai-sdk-versions.ts";
import {
  type Answer,
  type ModelServer,
  type Script,
  startModelServer,
} from "../support/servers/model-server.ts";

const [, anthropic] = wires[0] as (typeof wires)[number];
const user = (content: string) => ({ role: "user" as const, content });
const letter = (session: Session, text: string) =>
  session.record({
    type: "message_received",
    id: text,
    from: "ada",
    text,
    timestamp: "2026-11-15T10:00:00Z",
  });

let place: Place;
let server: ModelServer;
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  await server.close();
  place.remove();
});

async function serve(script: Script, { server: provider }: Wire = anthropic): Promise<void> {
  server = await startModelServer({ provider, script });
}
const modelOf = (sdk: AiSdk, wire: Wire = anthropic) => wire.open(sdk.providers, server.url);
const bodies = () => server.requests.map(({ body }) => body);

describe.each(versions)("%s", (_, sdk) => {
  const soon = { "retry-after-ms": "1" };

  it.each(wires)("AC-37 %s: the SDK's own retries say the same bytes", async (__, wire) => {
    const refusals: Answer[] = [
      { status: 500, headers: soon },
      { status: 429, headers: soon },
    ];
    await serve([...refusals, { toolCalls: [look("a.txt")] }, ...refusals, { text: "Done." }], wire);
    place.write("a.txt", "one\n");
    const session = place.open();
    await letter(session, "Parser done.");
    const model = sdk.wrap(modelOf(sdk, wire), reminders(session));
    const asked = { messages: [user("Go.")], tools: place.tools, maxRetries: 2 };
    expect((await ask(sdk, model, asked)).text).toBe("Done.");
    await session.close();
    expect(server.violations).toEqual([]);
    const raw = server.requests.map((request) => request.raw);
    expect(raw).toHaveLength(6);
    expect(new Set(raw.slice(0, 3)).size).toBe(1);
    expect(new Set(raw.slice(3)).size).toBe(1);
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it.each([
    ["as middleware", (session: Session) => ({ model: sdk.wrap(modelOf(sdk), reminders(session)) })],
    [
      "before a step",
      (session: Session) => ({ model: modelOf(sdk), prepareStep: remindersForStep(session) }),
    ],
  ])("AC-37 %s: a call that is given up loses nothing, whatever is asked next", async (__, wire) => {
    const aborting = new AbortController();
    await serve((___, index) => {
      if (index === 0) aborting.abort();
      return index === 0 ? { text: "Too late.", delayMs: 20_000 } : { text: "Yes." };
    });
    const session = place.open();
    await letter(session, "Parser done.");
    const { model, ...step } = wire(session) as { model: Parameters<typeof ask>[1] } & Partial<Asked>;
    const given = { messages: [user("Go.")], ...step };
    await expect(ask(sdk, model, { ...given, abortSignal: aborting.signal })).rejects.toThrow(/abort/i);
    // Given up before it was sent.
    await expect(ask(sdk, model, { ...given, abortSignal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    await ask(sdk, model, { ...given, messages: [user("Something else.")] });
    await session.close();
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([1, 1]);
  });

  it("AC-37 a stream that breaks off loses nothing", async () => {
    await serve([{ text: "Half an answer.", cut: "mid-stream" }, { text: "Whole." }, { text: "Again." }]);
    const session = place.open();
    await letter(session, "Parser done.");
    const model = sdk.wrap(modelOf(sdk), reminders(session));
    const messages = [user("Go.")];
    await expect(ask(sdk, model, { messages, stream: true })).rejects.toThrow();
    const { added } = await ask(sdk, model, { messages, stream: true });
    await letter(session, "Lexer done.");
    await ask(sdk, model, { messages: [...messages, ...added, user("Go on.")], stream: true });
    await session.close();
    expect(server.requests[1]?.raw).toBe(server.requests[0]?.raw);
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([1, 1, 1]);
    expect(bodies().map((body) => times(body, "Lexer done."))).toEqual([0, 0, 1]);
  });

  it("leaves requests alone that are not of the conversation", async () => {
    await serve([{ text: "A title." }, { text: "Yes." }]);
    const session = place.open();
    await letter(session, "Parser done.");
    const isTitle = ({ messages: [first] }: AiSdkRequest) => first?.content === "You write titles.";
    const model = sdk.wrap(modelOf(sdk), reminders(session, { when: (request) => !isTitle(request) }));
    await ask(sdk, model, { system: "You write titles.", messages: [user("Go.")] });
    await ask(sdk, model, { system: "You mend code.", messages: [user("Go.")] });
    await session.close();
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([0, 1]);
  });

  it("a store that fails costs the reminders, not the call; onProblem hears of it", async () => {
    await serve([{ toolCalls: [look("a.txt")] }, { text: "Done." }]);
    place.write("a.txt", "one\n");
    const store = createSqliteStore({ path: join(place.cwd, "log.db") });
    const session = place.open({ store });
    await letter(session, "Parser done.");
    await store.close();
    const problems: string[] = [];
    const options = { onProblem: (problem: string) => void problems.push(problem) };
    const model = sdk.wrap(modelOf(sdk), reminders(session, options));
    const { text } = await ask(sdk, model, { messages: [user("Go.")], tools: place.tools });
    expect(text).toBe("Done.");
    expect(problems).toHaveLength(2);
    expect(problems.join()).toMatch(/not open|closed/);
    expect(server.violations).toEqual([]);
  });

  it("what a host's own functions throw is told, what its listeners throw is theirs, and the request goes out", async () => {
    await serve([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    const problems: string[] = [];
    const onProblem = (problem: string) => {
      problems.push(problem);
      throw new Error("and this as well");
    };
    const fail = () => {
      throw new Error("no session today");
    };
    const session = place.open();
    for (const middleware of [
      reminders(fail, { onProblem }),
      reminders(session, { onProblem, when: fail }),
      reminders(session, { onProblem, onTurn: fail }),
    ])
      await ask(sdk, sdk.wrap(modelOf(sdk), middleware), { messages: [user("Go.")] });
    await session.close();
    expect(problems).toEqual(["no session today", "no session today"]);
    expect(server.requests.every(({ raw }) => raw === server.requests[0]?.raw)).toBe(true);
  });

  it("AC-37 conversations at once through one middleware: each hears its own, once", async () => {
    await serve((___, index) => (index < 16 ? { toolCalls: [look("a.txt")] } : { text: "Done." }));
    place.write("a.txt", "one\n");
    const store = createMemoryStore();
    const names = Array.from({ length: 8 }, (___, index) => `talk-${index}`);
    const sessions = new Map(names.map((id) => [id, place.open({ id, store })]));
    for (const [name, session] of sessions) await letter(session, `For ${name}.`);
    const model = sdk.wrap(
      modelOf(sdk),
      reminders(({ headers }) => sessions.get(headers?.["x-talk"] ?? "")),
    );
    const talk = (name: string) =>
      ask(sdk, model, { messages: [user(name)], tools: place.tools, headers: { "x-talk": name } });
    await Promise.all([...names.map(talk), talk("talk-nobody")]);
    for (const session of sessions.values()) await session.close();
    expect(server.violations).toEqual([]);
    for (const { body, headers } of server.requests)
      for (const name of names)
        expect(times(body, `For ${name}.`), `${name} in ${headers["x-talk"]}`).toBe(
          headers["x-talk"] === name ? 1 : 0,
        );
  });

  it("AC-37 calls at once on one session are lines of it: each hears what happened, once", async () => {
    await serve(() => ({ text: "Yes." }));
    const session = place.open();
    await letter(session, "Parser done.");
    const model = sdk.wrap(modelOf(sdk), reminders(session));
    await Promise.all(
      Array.from({ length: 6 }, (___, index) => ask(sdk, model, { messages: [user(`Part ${index}.`)] })),
    );
    await session.close();
    expect(bodies().map((body) => times(body, "Parser done."))).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
