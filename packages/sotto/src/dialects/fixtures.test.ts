import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blocksOf, prefixOf } from "../../../../test/support/prefix.ts";
import { checkAnthropicMessages } from "../../../../test/support/servers/anthropic-rules.ts";
import { checkOpenAIChat } from "../../../../test/support/servers/openai-chat-rules.ts";
import type { Dialect, Insertion } from "../core/dialect.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiChat } from "./openai-chat.ts";

const FOLDER = new URL("fixtures/", import.meta.url);
const dialects = {
  "anthropic-messages": { dialect: anthropicMessages as Dialect, check: checkAnthropicMessages },
  "openai-chat": { dialect: openaiChat as Dialect, check: checkOpenAIChat },
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
  "openai-chat.run-tools.json": `user text, ${calls}, ${calls}`,
  "openai-chat.tool-loop.json": `system text, user image, user text, assistant text, ${calls}`,
};

test("there are real bodies for every dialect", () => {
  expect(new Set(fixtures.map(({ name }) => name))).toEqual(new Set(Object.keys(dialects)));
});

describe.each(fixtures)("$file", ({ file, name, bodies }) => {
  const { dialect, check } = dialects[name];
  const read = (body: unknown) =>
    dialect.messages(body).flatMap((message, index) => dialect.read(message, index));

  test("is read as what it is", () => {
    expect(bodies.map((body) => dialect.problem(body))).toEqual(bodies.map(() => undefined));
    const seen = read(bodies.at(-1)).map(({ role, kind }) => `${role} ${kind}`);
    expect(seen.join(", ")).toBe(kinds[file]);
  });

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
