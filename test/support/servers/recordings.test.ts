// What real providers took and refused, where recordings of it are at hand, is taken and refused here too.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { checkAnthropicMessages } from "./anthropic-rules.ts";
import { modelOf } from "./gemini-model.ts";
import { checkGemini } from "./gemini-rules.ts";
import { checkOpenAIChat } from "./openai-chat-rules.ts";
import { checkOpenAIResponses } from "./openai-responses-rules.ts";

type Recording = {
  interactions: { request: { url: string; body: string }; response: { status: number; body: string } }[];
};

const root = resolve(import.meta.dirname, "../../..");
const folder = join(process.env.SOTTO_SHARED ?? join(root, "../shared"), "recordings");
type Check = (body: unknown, url: string) => string[];
const checks: { url: RegExp; check: Check }[] = [
  { url: /\/v1\/messages$/, check: (body) => checkAnthropicMessages(body) },
  { url: /\/v1\/chat\/completions$/, check: (body) => checkOpenAIChat(body) },
  { url: /\/v1\/responses$/, check: (body) => checkOpenAIResponses(body) },
  {
    url: /:(?:g|streamG)enerateContent/,
    check: (body, url) => checkGemini(body, { geminiModel: modelOf(url) }),
  },
];

test("the rules agree with the recorded providers", () => {
  if (!existsSync(folder)) {
    console.info(`no recordings at ${folder}: nothing to compare with`);
    return;
  }
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const compared = names.flatMap((name) => {
    const { interactions } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording;
    return interactions.flatMap(({ request, response }) => {
      const rules = checks.find(({ url }) => url.test(request.url));
      return rules
        ? [{ name, rules, response, found: rules.check(JSON.parse(request.body), request.url) }]
        : [];
    });
  });
  const taken = compared.filter(({ response }) => response.status < 300);
  const refused = compared.filter(({ response }) => response.status >= 400);
  expect(taken.filter(({ found }) => found.length > 0)).toEqual([]);
  for (const { response, found } of refused) {
    const complaint = JSON.parse(response.body).error.message.replace(/^messages\.\d+: /, "");
    expect(found).toContainEqual(expect.stringContaining(complaint));
  }
  expect([taken.length > 0, refused.length > 0]).toEqual([true, true]);
  expect(new Set(compared.map(({ rules }) => rules)).size).toBe(checks.length);
});
