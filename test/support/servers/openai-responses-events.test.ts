// The events of the loopback server are those of the provider, where recordings of it are at hand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createOpenAIResponses } from "./openai-responses-answer.ts";

type Recording = { interactions: { request: { url: string; body: string }; response: { body: string } }[] };
type Item = { type: string; call_id: string; name: string; arguments: string; content: { text: string }[] };
type Event = { type: string; item?: object; response?: { output: Item[] } };

const root = resolve(import.meta.dirname, "../../..");
const folder = join(process.env.SOTTO_SHARED ?? join(root, "../shared"), "recordings");

test("a recorded answer is told in the same events with the same fields", () => {
  if (!existsSync(folder)) {
    console.info(`no recordings at ${folder}: nothing to compare with`);
    return;
  }
  const recorded = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording).interactions)
    .filter(({ request }) => request.url.endsWith("/v1/responses"));
  expect(recorded.length).toBeGreaterThan(0);
  for (const { request, response } of recorded) {
    const theirs = parse(response.body);
    const ours = parse(
      createOpenAIResponses()
        .events(replyLike(theirs, JSON.parse(request.body)))
        .join(""),
    );
    expect(outline(ours)).toEqual(outline(theirs));
  }
});

/** What a script would say to get the recorded answer. */
function replyLike(events: Event[], request: Record<string, unknown>) {
  const output = events.at(-1)?.response?.output ?? [];
  const calls = output.filter(({ type }) => type === "function_call");
  return {
    // The recorded thoughts were too short to be summed up, although that was asked for.
    ...{ id: "1", model: "m", path: "/v1/responses", request: { ...request, reasoning: null } },
    text: output.find(({ type }) => type === "message")?.content[0]?.text ?? "",
    thinking: output.some(({ type }) => type === "reasoning") ? "Hm." : "",
    toolCalls: calls.map(({ call_id, name, arguments: input }) => ({
      ...{ id: call_id, name, input: JSON.parse(input) },
    })),
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
}

function parse(stream: string): Event[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

/** The kinds of events in their order, repetitions left out, each with its fields and those of its item. */
function outline(events: Event[]): string[] {
  // Padding against those who measure the length of what is encrypted; a loopback has none.
  const fields = (value: object = {}) => Object.keys(value).filter((key) => key !== "obfuscation");
  const all = events.map((event) => {
    const { type, item } = event;
    return `${type}: ${fields(event).sort()} ${fields(item).sort()}`;
  });
  return all.filter((line, at) => line !== all[at - 1]);
}
