// The measure of a prompt for the two wires that hosts speak through an SDK: blind to what the cache is blind to.
import { describe, expect, test } from "vitest";
import { blocksOf, prefixOf } from "./prefix.ts";

const ask = { role: "user", content: "Hi" };
const answer = { role: "assistant", content: "Hello." };

describe("openai-responses", () => {
  const prefix = (body: object) => prefixOf("openai-responses", body);
  const blocks = (body: object) => blocksOf("openai-responses", body);
  const input = (value: string) => ({ type: "input_text", text: value });
  const call = { type: "function_call", call_id: "a", name: "t", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "a", output: "x" };
  const body = {
    model: "a",
    instructions: "Be brief.",
    tools: [{ type: "function", name: "t" }],
    input: [ask],
  };

  test("a request with more behind it starts with the one before", () => {
    const next = { ...body, input: [ask, call, result, { role: "user", content: [input("Ho")] }] };
    expect(prefix(next).startsWith(prefix(body))).toBe(true);
    expect(blocks(next)).toEqual([
      ...blocks(body),
      JSON.stringify(call),
      '{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]}',
      '{"role":"user"} {"type":"input_text","text":"Ho"}',
    ]);
  });

  test("strings, breakpoints, ids and settings make no difference", () => {
    const part = { ...input("Hi"), prompt_cache_breakpoint: { mode: "explicit" } };
    const same = {
      ...body,
      model: "b",
      input: [{ type: "message", id: "msg_1", role: "user", content: [part] }],
    };
    expect(prefix(same)).toBe(prefix(body));
    expect(prefix({ ...body, input: "Hi" })).toBe(prefix(body));
    const answered = (fields: object) => ({ input: [{ ...answer, ...fields }] });
    const output = [{ type: "output_text", text: "Hello.", annotations: [], logprobs: [] }];
    expect(prefix(answered({ id: "msg_1", status: "completed", content: output }))).toBe(
      prefix(answered({})),
    );
    expect(prefix({ input: [{ ...call, id: "fc_1", status: "completed" }] })).toBe(prefix({ input: [call] }));
  });

  test.each([
    ["other instructions", { ...body, instructions: "Be kind." }],
    ["another tool", { ...body, tools: [] }],
    ["another text", { ...body, input: [{ role: "user", content: "Ho" }] }],
    ["another speaker", { ...body, input: [{ role: "developer", content: "Hi" }] }],
    ["an item put before", { ...body, input: [call, result, ask] }],
  ])("%s is no continuation", (_, other) => {
    expect(prefix(other).startsWith(prefix(body))).toBe(false);
  });

  test("what is referred to is told apart", () => {
    const reference = (id: string) => ({ input: [{ type: "item_reference", id }] });
    expect(prefix(reference("rs_1"))).not.toBe(prefix(reference("rs_2")));
  });
});

describe("gemini", () => {
  const prefix = (body: object) => prefixOf("gemini", body);
  const blocks = (body: object) => blocksOf("gemini", body);
  const said = (role: string, ...parts: object[]) => ({ role, parts });
  const call = { functionCall: { name: "t", args: {} }, thoughtSignature: "c2lnbmVk" };
  const result = { functionResponse: { name: "t", response: {} } };
  const body = {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [{ functionDeclarations: [{ name: "t" }] }],
    contents: [said("user", { text: "Hi" })],
  };

  test("a request with more behind it starts with the one before", () => {
    const next = { ...body, contents: [...body.contents, said("model", call), said("user", result)] };
    expect(prefix(next).startsWith(prefix(body))).toBe(true);
    expect(blocks(next)).toEqual([
      ...['system {"text":"Be brief."}', 'tool definition {"functionDeclarations":[{"name":"t"}]}'],
      '{"role":"user"} {"text":"Hi"}',
      `{"role":"model"} ${JSON.stringify(call)}`,
      `{"role":"user"} ${JSON.stringify(result)}`,
    ]);
  });

  test("settings and the user's name as a role make no difference", () => {
    const same = { ...body, contents: [{ parts: [{ text: "Hi" }] }], generationConfig: { temperature: 1 } };
    expect(prefix(same)).toBe(prefix(body));
  });

  test.each([
    ["another instruction", { ...body, systemInstruction: { parts: [{ text: "Be kind." }] } }],
    ["another tool", { ...body, tools: [] }],
    ["another text", { ...body, contents: [said("user", { text: "Ho" })] }],
    ["another speaker", { ...body, contents: [said("model", { text: "Hi" })] }],
    ["a part put before", { ...body, contents: [said("user", { text: "Ho" }, { text: "Hi" })] }],
    [
      "a part put behind, in the same content",
      { ...body, contents: [said("user", { text: "Hi" }, { text: "Ho" })] },
    ],
  ])("%s is no continuation", (_, other) => {
    expect(prefix(other).startsWith(prefix(body))).toBe(false);
  });
});
