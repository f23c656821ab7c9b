// Real frameworks against a model on loopback: what Sotto has to say is in what the model got, once, where it stood.

import { anthropicMessages, isReminder, openaiChat, openaiResponses, withoutReminders } from "sotto";
import type { Dialect } from "sotto/extend";
import { describe, expect, test } from "vitest";
import { type MeasuredWire, prefixOf } from "../../support/prefix.ts";
import type { ProviderName, Rules, Script } from "../../support/servers/model-server.ts";
import type { FrameworkName } from "./install-on-demand.ts";
import { openStage, recordingOf } from "./stage.ts";

interface Way {
  name: FrameworkName;
  /** What the scenario is told. */
  way: string;
  provider: ProviderName;
  rules?: Rules;
  /** Whether the framework itself keeps what is added: as often as it was said, or not at all. */
  keeps?: boolean;
}

const ways: Way[] = [
  { name: "openai-agents", way: "history", provider: "openai-responses" },
  { name: "openai-agents", way: "streamed", provider: "openai-responses" },
  { name: "openai-agents", way: "sdk-session", provider: "openai-responses", keeps: true },
  { name: "langchain", way: "anthropic", provider: "anthropic" },
  { name: "langchain", way: "openai-chat", provider: "openai-chat", rules: { namedAnswers: true } },
  { name: "langchain", way: "openai-responses", provider: "openai-responses" },
  { name: "mastra", way: "anthropic", provider: "anthropic" },
  { name: "mastra", way: "openai-chat", provider: "openai-chat" },
];

const wires: Record<string, { wire: MeasuredWire; dialect: Dialect }> = {
  anthropic: { wire: "anthropic-messages", dialect: anthropicMessages as Dialect },
  "openai-chat": { wire: "openai-chat", dialect: openaiChat as Dialect },
  "openai-responses": { wire: "openai-responses", dialect: openaiResponses as Dialect },
};

const CRITICAL = "Run the tests before you commit.";
const ONCE = ["Parser done.", "another note", "Task t1", "Like this:", "Plan mode is on."];

/** Every third answer calls a tool twice; the notes are read with the first of them. */
const script: Script = (_body, index) =>
  index % 3 === 1
    ? { text: "Looking.", toolCalls: [read(index === 1 ? "notes.txt" : "other.txt"), read("other.txt")] }
    : { text: `Answer ${index}.` };
const read = (path: string) => ({ name: "Read", input: { path } });

describe.each(ways)("$name, $way", ({ name, way, provider, rules, keeps = false }) => {
  test("AC-34 AC-37 each thing is said once over 20 calls, each request begins with the one before", async (context) => {
    const stage = await openStage(name, context, { ...rules, provider, script });
    await stage.write("notes.txt", "one note\n");
    await stage.write("other.txt", "something else\n");
    const { code, stdout, stderr } = await stage.run(`test/clients/frameworks/scenarios/${name}.ts`, {
      SCENARIO_PROVIDER: way,
      ...recordingOf(name, way),
    });
    const { requests, violations } = stage.server;
    expect({ code, violations }, `${stdout}\n${stderr}`).toEqual({ code: 0, violations: [] });
    const { problems, inKept, unconfirmed } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(problems).toEqual([]);
    // Where no answer is told of, only the next request shows that there was one.
    expect(unconfirmed > 0).toBe(name === "openai-agents");
    expect(requests.length).toBeGreaterThanOrEqual(20);
    const { wire, dialect } = wires[provider] as (typeof wires)[string];

    const prefixes = requests.map(({ body }) => prefixOf(wire, body));
    const broken = prefixes
      .slice(1)
      .flatMap((prefix, at) => (prefix.startsWith(prefixes[at] ?? "") ? [] : [at]));
    expect(broken, "requests that do not begin with the one before").toEqual([]);

    const last = requests.at(-1);
    const count = (words: string) => (last?.raw.split(words).length ?? 0) - 1;
    expect(ONCE.map((words) => [words, count(words)])).toEqual(ONCE.map((words) => [words, 1]));
    expect(count(CRITICAL)).toBe(requests.length);

    // Block by block, as some write neighbouring messages into one.
    const texts = textsOf(dialect, last?.body);
    const own = texts.filter((text) => TAGS.some((tag) => text.startsWith(`<${tag}`)));
    expect(own.every((text) => isReminder(dialect, { role: "user", content: text }))).toBe(true);
    const others = texts.filter((text) => !own.includes(text));
    expect(others.some((text) => isReminder(dialect, { role: "user", content: text }))).toBe(false);
    expect(textsOf(dialect, withoutReminders(dialect, last?.body, { words: false }))).toEqual(others);
    expect(inKept).toBe(keeps ? own.length : 0);
  });
});

test("openai-agents, kept by the provider: each thing is sent once, and nothing is put back", async (context) => {
  const stage = await openStage("openai-agents", context, { provider: "openai-responses", script });
  await stage.write("notes.txt", "one note\n");
  await stage.write("other.txt", "something else\n");
  const { code, stdout, stderr } = await stage.run("test/clients/frameworks/scenarios/openai-agents.ts", {
    SCENARIO_PROVIDER: "kept",
  });
  const { requests, violations } = stage.server;
  expect({ code, violations }, `${stdout}\n${stderr}`).toEqual({ code: 0, violations: [] });
  expect(requests.filter(({ raw }) => raw.includes("previous_response_id")).length).toBe(requests.length - 1);
  const sent = requests.map(({ raw }) => raw).join("\n");
  // The calls of tools stay with the provider: which file was read is not to be seen.
  const seen = ONCE.filter((words) => words !== "another note");
  const counts = seen.map((words) => sent.split(words).length - 1);
  expect(counts).toEqual(seen.map(() => 1));
  expect(sent.split(CRITICAL).length - 1).toBe(requests.length);
});

const TAGS = ["system-reminder", "teammate-message"];

function textsOf(dialect: Dialect, body: unknown): string[] {
  const blocks = dialect.messages(body).flatMap((message, index) => dialect.read(message, index));
  return blocks.flatMap(({ text }) => (text === undefined ? [] : [text]));
}
