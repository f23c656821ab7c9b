import { describe, expect, test } from "vitest";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { checkLangchain, langchainBody } from "../../../../test/support/langchain-history.ts";
import { type LangchainBody, type LangchainMessage, langchain } from "./langchain.ts";

const { read, legal, end, insert, remove, calls, problem } = langchain;

/** As LangChain's classes are built: fields of their own, methods on the prototype, what they were made from. */
class Message implements LangchainMessage {
  readonly type: string;
  readonly content: LangchainMessage["content"];
  readonly lc_kwargs: object;
  constructor(type: string, fields: { content: LangchainMessage["content"] }) {
    this.type = type;
    this.content = fields.content;
    this.lc_kwargs = fields;
  }
  words(): string {
    return JSON.stringify(this.content);
  }
}
class HumanMessage extends Message {
  constructor(fields: { content: LangchainMessage["content"] }) {
    super("human", fields);
  }
}

const of = (...messages: object[]): LangchainBody => frozen({ messages: messages as LangchainMessage[] });
const asked = { type: "human", content: "go" };
const called = { type: "ai", content: "", tool_calls: [{ id: "1", name: "look", args: { path: "a" } }] };
const answered = { type: "tool", content: "seen", tool_call_id: "1", status: "success" };
const text = (value: string) => ({ type: "text" as const, text: value });
const place = (message: number, index = 0) => ({ message, index });

describe("properties", () => {
  hasDialectProperties<LangchainBody>({
    dialect: langchain,
    write: langchainBody,
    check: checkLangchain,
    breakpoint: { field: "cache_control", value: { type: "ephemeral" } },
  });
});

test("results stay right behind their calls", () => {
  const body = of(asked, called, answered);
  expect(legal(body, place(2))).toEqual(place(3));
  expect(end(body)).toEqual(place(3));
});

test("calls and what came of them", () => {
  expect(calls?.(called)).toEqual([{ part: "call", id: "1", name: "look", input: { path: "a" } }]);
  expect(calls?.(answered)).toEqual([{ part: "result", id: "1", failed: false, output: "seen" }]);
  expect(calls?.({ ...answered, status: "error" })).toMatchObject([
    { part: "result", id: "1", failed: true },
  ]);
});

test("a call named twice, among the blocks and beside them, is one", () => {
  const use = { type: "tool_use", id: "1", name: "look", input: { path: "a" } };
  const twice = { ...called, content: [use] };
  expect(read(twice, 0).map(({ identity }) => identity)).toEqual(
    read(called, 0).map(({ identity }) => identity),
  );
  expect(read({ type: "ai", content: [use] }, 0).map(({ kind }) => kind)).toEqual(["call"]);
});

test("a reminder is of the class that the conversation's human messages have", () => {
  const body = of(new HumanMessage({ content: "go" }));
  const { messages } = insert(
    body,
    [{ at: place(1), blocks: [[text("Note.")], [text("a"), text("b")]] }],
    [],
  );
  expect(messages[0]).toBe(body.messages[0]);
  expect(messages.slice(1).map((message) => message instanceof HumanMessage)).toEqual([true, true]);
  expect(messages.slice(1).map(({ content }) => content)).toEqual(["Note.", [text("a"), text("b")]]);
  expect(insert(of(called), [{ at: place(0), blocks: [[text("Note.")]] }], []).messages[0]).toEqual({
    type: "human",
    content: "Note.",
  });
});

test("what is left of a message is of its class, and the message itself is as it was", () => {
  const given = new HumanMessage({ content: [text("Note."), text("go")] });
  const [rest] = remove(of(given), [place(0, 0)]).messages;
  expect(rest).toBeInstanceOf(HumanMessage);
  expect((rest as Message).words()).toBe(JSON.stringify([text("go")]));
  expect((rest as Message).lc_kwargs).toEqual({ content: [text("go")] });
  expect(given.content).toHaveLength(2);
});

test("a breakpoint that moves leaves messages of their class", () => {
  const marked = { ...text("Note."), cache_control: { type: "ephemeral" } };
  const body = of(new HumanMessage({ content: [text("go")] }), new HumanMessage({ content: [marked] }));
  const { messages } = insert(body, [], [place(1, 0)]);
  expect(messages.map((message) => message instanceof HumanMessage)).toEqual([true, true]);
  expect(messages.map(({ content }) => content)).toEqual([
    [{ ...text("go"), cache_control: { type: "ephemeral" } }],
    [text("Note.")],
  ]);
});

test("a message of the general kind has its role beside it", () => {
  const roles = ["assistant", "developer", "user"].map(
    (role) => read({ type: "generic", role, content: "x" }, 0)[0]?.role,
  );
  expect(roles).toEqual(["assistant", "system", "user"]);
});

test.each([
  [{ messages: "go" }, "messages: expected a list"],
  [{ messages: ["go"] }, "messages.0: expected a message"],
  [{ messages: [{ content: "go" }] }, "messages.0.type: expected a string"],
  [{ messages: [{ type: "human" }] }, "messages.0.content: expected a string or a list of blocks"],
  [{ messages: [{ ...asked, tool_calls: [1] }] }, "messages.0.tool_calls: expected a list of objects"],
])("%j is none of it", (body, words) => {
  expect(problem(body)).toBe(words);
});
