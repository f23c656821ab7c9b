// The measure of a prompt: blind to what the provider's cache is blind to, and to nothing else.
import { describe, expect, test } from "vitest";
import { blocksOf, prefixOf } from "./prefix.ts";

const cache_control = { type: "ephemeral" };
const text = (value: string) => ({ type: "text", text: value });
const ask = { role: "user", content: "Hi" };
const answer = { role: "assistant", content: [text("Hello.")] };

describe("anthropic-messages", () => {
  const prefix = (body: object) => prefixOf("anthropic-messages", body);
  const blocks = (body: object) => blocksOf("anthropic-messages", body);
  const body = { model: "a", system: "Be brief.", tools: [{ name: "t" }], messages: [ask] };

  test("a request with more behind it starts with the one before", () => {
    const next = { ...body, messages: [ask, answer, ask] };
    expect(prefix(next).startsWith(prefix(body))).toBe(true);
    expect(blocks(next).slice(0, blocks(body).length)).toEqual(blocks(body));
  });

  test("strings, breakpoints and settings make no difference", () => {
    const same = {
      ...{ model: "b", max_tokens: 1 },
      system: [{ ...text("Be brief."), cache_control }],
      tools: [{ name: "t", cache_control }],
      messages: [{ role: "user", content: [{ ...text("Hi"), cache_control }] }],
    };
    expect(prefix(same)).toBe(prefix(body));
    expect(blocks(same)).toEqual(blocks(body));
  });

  test("results are measured inside as well", () => {
    const result = (fields: object) => ({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", ...fields }] }],
    });
    expect(prefix(result({ content: [{ ...text("x"), cache_control }], cache_control }))).toBe(
      prefix(result({ content: "x" })),
    );
    expect(prefix(result({ content: "y" }))).not.toBe(prefix(result({ content: "x" })));
    expect(prefix(result({}))).not.toBe(prefix(result({ content: "" })));
  });

  test("what a tool is called with is never touched", () => {
    const call = (input: object) => ({
      messages: [{ role: "assistant", content: [{ type: "tool_use", id: "a", input }] }],
    });
    expect(prefix(call({ cache_control }))).not.toBe(prefix(call({})));
  });

  test.each([
    ["another system prompt", { ...body, system: "Be kind." }],
    ["another tool", { ...body, tools: [{ name: "u" }] }],
    ["another text", { ...body, messages: [{ role: "user", content: "Ho" }, answer] }],
    ["a text put before", { ...body, messages: [answer, ask] }],
    ["a text left out", { ...body, messages: [] }],
  ])("%s is no continuation", (_, other) => {
    expect(prefix(other).startsWith(prefix(body))).toBe(false);
    expect(blocks(other).slice(0, blocks(body).length)).not.toEqual(blocks(body));
  });

  test("merging messages changes the bytes, but no block", () => {
    const apart = { messages: [ask, { role: "user", content: "Ho" }] };
    const merged = { messages: [{ role: "user", content: [text("Hi"), text("Ho")] }] };
    expect(prefix(merged)).not.toBe(prefix(apart));
    expect(blocks(merged)).toEqual([
      '{"role":"user"} {"type":"text","text":"Hi"}',
      '{"role":"user"} {"type":"text","text":"Ho"}',
    ]);
    expect(blocks(apart)).toEqual(blocks(merged));
  });

  test("who says it makes a difference", () => {
    expect(blocks({ messages: [{ role: "assistant", content: "Hi" }] })).not.toEqual(
      blocks({ messages: [ask] }),
    );
  });
});

describe("openai-chat", () => {
  const call = { id: "a", type: "function", function: { name: "t", arguments: "{}" } };
  const calling = { role: "assistant", content: null, tool_calls: [call] };
  const result = { role: "tool", tool_call_id: "a", content: "x" };
  const body = {
    model: "a",
    tools: [{ type: "function" }],
    messages: [{ role: "system", content: "Be brief." }, ask],
  };

  test("a request with more behind it starts with the one before", () => {
    const next = { ...body, messages: [...body.messages, calling, result] };
    expect(prefixOf("openai-chat", next).startsWith(prefixOf("openai-chat", body))).toBe(true);
    expect(prefixOf("openai-chat", body).startsWith(prefixOf("openai-chat", next))).toBe(false);
    const before = blocksOf("openai-chat", body);
    expect(blocksOf("openai-chat", next).slice(0, before.length)).toEqual(before);
  });

  test("blocks carry role and call", () => {
    expect(blocksOf("openai-chat", { messages: [calling, result] })).toEqual([
      `{"role":"assistant"} ${JSON.stringify(call)}`,
      '{"role":"tool","tool_call_id":"a"} {"type":"text","text":"x"}',
    ]);
  });

  test("strings and breakpoints make no difference", () => {
    const part = { ...text("Hi"), prompt_cache_breakpoint: { mode: "explicit" } };
    const same = { ...body, messages: [body.messages[0], { role: "user", content: [part] }] };
    expect(prefixOf("openai-chat", same)).toBe(prefixOf("openai-chat", body));
  });
});
