import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blocksOf, prefixOf } from "../../../../test/support/prefix.ts";
import { checkAnthropicMessages } from "../../../../test/support/servers/anthropic-rules.ts";
import { checkGemini } from "../../../../test/support/servers/gemini-rules.ts";
import { checkOpenAIChat } from "../../../../test/support/servers/openai-chat-rules.ts";
import { checkOpenAIResponses } from "../../../../test/support/servers/openai-responses-rules.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { Dialect, Insertion } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const FOLDER = new URL("fixtures/", import.meta.url);
const dialects = {
  "anthropic-messages": { dialect: anthropicMessages as Dialect, check: checkAnthropicMessages },
  "openai-chat": { dialect: openaiChat as Dialect, check: checkOpenAIChat },
  "openai-responses": { dialect: openaiResponses as Dialect, check: checkOpenAIResponses },
  gemini: { dialect: gemini as Dialect, check: checkGemini },
};

/** Each holds the bodies that a provider's own client sent in one conversation (`test/support/record-fixtures.ts`). */
const fixtures = readdirSync(FOLDER).map((file) => ({
  file,
  name: file.split(".")[0] as keyof typeof dialects,
  bodies: JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as unknown[],
}));

const calls = "assistant call, assistant call, user result, user result";
/** What each conversation's last request is made of. */
const kinds: Record<string, string> = {
  "anthropic-messages.prefill.json": "user text, assistant text, user text, assistant text",
  "anthropic-messages.tool-loop.json": `user image, user text, assistant thinking, assistant text, ${calls}`,
  "anthropic-messages.tool-runner.json": `user text, ${calls}, ${calls}`,
  "gemini.chat.json": "user text, assistant text, user text",
  "gemini.tool-loop.json": `user image, user text, assistant thinking, assistant text, ${calls}, assistant text, user text`,
  "openai-chat.run-tools.json": `user text, ${calls}, ${calls}`,
  "openai-chat.tool-loop.json": `system text, user image, user text, assistant text, ${calls}`,
  "openai-responses.kept.json": "user text",
  "openai-responses.tool-loop.json": `user image, user text, assistant thinking, assistant text, ${calls}, assistant text, user text`,
};

test("there are real bodies for every dialect", () => {
  expect(new Set(fixtures.map(({ name }) => name))).toEqual(new Set(Object.keys(dialects)));
});

const readIn = (dialect: Dialect) => (body: unknown) =>
  dialect.messages(body).flatMap((message, index) => dialect.read(message, index));
const isKept = ({ name, bodies }: (typeof fixtures)[number]) =>
  bodies.some((body) => dialects[name].dialect.kept?.(body) !== undefined);

test.each(fixtures)("$file is read as what it is", ({ file, name, bodies }) => {
  const { dialect } = dialects[name];
  expect(bodies.map((body) => dialect.problem(body))).toEqual(bodies.map(() => undefined));
  const seen = readIn(dialect)(bodies.at(-1)).map(({ role, kind }) => `${role} ${kind}`);
  expect(seen.join(", ")).toBe(kinds[file]);
});

test.each(fixtures.filter(isKept))("$file names what each request goes on from", ({ name, bodies }) => {
  const names = bodies.map((body) => dialects[name].dialect.kept?.(body));
  expect(names).toEqual([
    undefined,
    { name: "resp_loopback_1", moves: true },
    { name: "resp_loopback_2", moves: true },
  ]);
});

describe.each(fixtures.filter((one) => !isKept(one)))("$file", ({ name, bodies }) => {
  const { dialect, check } = dialects[name];
  const read = readIn(dialect);

  test("AC-37 what the client sends again is told again as the same blocks", () => {
    for (const [index, body] of bodies.entries()) {
      const earlier = index === 0 ? [] : read(bodies[index - 1]);
      expect(read(body).slice(0, earlier.length)).toEqual(earlier);
    }
  });

  test("AC-5 each request with its reminders continues the one before, and the provider takes it", () => {
    const insertions: Insertion[] = [];
    let earlier: unknown;
    for (const [index, body] of bodies.entries()) {
      const text = `<system-reminder>\nTurn ${index}\n</system-reminder>`;
      insertions.push({ at: dialect.end(body), blocks: [[{ type: "text", text }]] });
      const request = dialect.insert(body, insertions, []);
      expect(check(request)).toEqual([]);
      if (earlier) {
        expect(prefixOf(name, request).startsWith(prefixOf(name, earlier))).toBe(true);
        const before = blocksOf(name, earlier);
        expect(blocksOf(name, request).slice(0, before.length)).toEqual(before);
      }
      earlier = request;
    }
  });
});
