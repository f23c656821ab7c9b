import { describe, expect, it } from "vitest";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import { anchorAt, readHistory } from "./history.ts";
import { insertAt, type Placement, placeFor } from "./insertion.ts";
import type { ReminderTexts } from "./said-texts.ts";
import { wordSums } from "./sums.ts";

const reminders: ReminderTexts = { texts: new Map(), tags: ["system-reminder"] };
const user = (content: AnthropicMessage["content"]): AnthropicMessage => ({ role: "user", content });
const assistant = (content: string): AnthropicMessage => ({ role: "assistant", content });

function read(messages: readonly AnthropicMessage[]) {
  const body = { messages };
  const history = readHistory({
    dialect: anthropicMessages,
    body,
    ids: [...messages.keys()],
    sums: wordSums,
    reminders,
  });
  return { dialect: anthropicMessages, body, history, reminders };
}

const note = (text: string) => [{ type: "text" as const, text }];
const textsIn = ({ messages }: { messages: readonly AnthropicMessage[] }) =>
  messages.map(({ role, content }) => {
    const blocks = anthropicMessages.read({ role, content }, 0);
    return `${role}: ${blocks.map(({ text }) => text).join(" | ")}`;
  });

describe("insertAt", () => {
  const request = read([user("Hi"), assistant("Hello"), user("Bye")]);

  it("puts each reminder behind so many blocks", () => {
    const body = insertAt(request, [
      { at: 3, seq: 9, blocks: note("new") },
      { at: 1, seq: 4, blocks: note("old") },
    ]);
    expect(textsIn(body)).toEqual(["user: Hi", "user: old", "assistant: Hello", "user: Bye", "user: new"]);
  });

  it("puts the older one first at one place", () => {
    const body = insertAt(request, [
      { at: 3, seq: 9, blocks: note("second") },
      { at: 3, seq: 8, blocks: note("first") },
    ]);
    expect(textsIn(body).slice(3)).toEqual(["user: first", "user: second"]);
  });

  it("never changes the given request, nor the messages it does not touch", () => {
    const body = insertAt(request, [{ at: 3, seq: 9, blocks: note("new") }]);
    expect(request.body.messages).toHaveLength(3);
    expect(body.messages[0]).toBe(request.body.messages[0]);
  });

  it("without reminders gives the request as it is", () => {
    expect(textsIn(insertAt(request, []))).toEqual(["user: Hi", "assistant: Hello", "user: Bye"]);
  });

  it("moves a reminder behind the tool results that must follow their calls", () => {
    const call = { type: "tool_use", id: "t", name: "Read", input: {} };
    const result = { type: "tool_result", tool_use_id: "t", content: "1" };
    const { body, ...rest } = read([user("Hi"), { role: "assistant", content: [call] }, user([result])]);
    const filled = insertAt({ body, ...rest }, [{ at: 2, seq: 9, blocks: note("new") }]);
    expect(filled.messages.slice(0, 3)).toEqual(body.messages);
    expect(textsIn({ messages: filled.messages.slice(3) })).toEqual(["user: new"]);
  });
});

describe("placeFor", () => {
  const context = "<environment_context>linux</environment_context>";
  const request = read([
    user(context),
    user("# Rules\nBe brief."),
    user("Hi"),
    assistant("Hello"),
    user("Bye"),
  ]);
  const at = (placement: Placement, forms: string[] = []) => placeFor(placement, request, forms).at;

  it("append is the end of the history", () => {
    expect(at("append")).toBe(5);
  });

  it("after_context is behind the leading context messages, those of config included", () => {
    expect(at("after_context")).toBe(1);
    expect(at("after_context", ["# Rules"])).toBe(2);
  });

  it("start is behind the system prompt only", () => {
    expect(at("start")).toBe(0);
    expect(placeFor("start", read([{ role: "system", content: "Be kind." }, user("Hi")]), []).at).toBe(1);
  });

  it("gives the anchor of the place", () => {
    expect(placeFor("append", request, []).anchor).toEqual(anchorAt(request.history, 5));
  });
});
