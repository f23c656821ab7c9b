import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearResults } from "./compact.ts";
import {
  latestConversation,
  openTranscript,
  readConversation,
  transcriptPath,
  withMissingResults,
} from "./transcript.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sotto-transcript-"));
});
afterEach(() => rm(directory, { recursive: true }));

const user = (content: string): ModelMessage => ({ role: "user", content });
const calling = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "Read", input: {} })),
});
const answering = (value: string, ...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "Read",
    output: { type: "text", value },
  })),
});
const header = (id: string, cwd: string, at: string) => ({
  type: "session" as const,
  id,
  cwd,
  model: "m",
  at,
});

describe("a transcript", () => {
  it("gives the conversation back, without what was half written", async () => {
    const path = transcriptPath(directory, "a/b");
    const transcript = await openTranscript(path);
    await transcript.append(header("a/b", "/p", "1"), { type: "message", message: user("one") });
    await transcript.append({ type: "turn", turn: 1 }, { type: "message", message: user("two") });
    await appendFile(path, '{"type":"message","mess');
    expect(await readConversation(path)).toEqual({
      id: "a/b",
      cwd: "/p",
      model: "m",
      firstPrompt: "one",
      messages: [user("one"), user("two")],
      turns: new Map([[1, 1]]),
    });
  });

  it("goes on from what replaced the messages", async () => {
    const path = transcriptPath(directory, "a");
    const transcript = await openTranscript(path);
    await transcript.append(
      header("a", "/p", "1"),
      ...["one", "two", "three"].flatMap((text, index) => [
        { type: "message" as const, message: user(text) },
        { type: "turn" as const, turn: index + 1 },
      ]),
      { type: "replaced", why: "rewound", messages: [user("one"), user("two")] },
    );
    const back = await readConversation(path);
    expect([back?.messages.length, [...(back?.turns.keys() ?? [])]]).toEqual([2, [1, 2]]);
    await transcript.append({ type: "replaced", why: "compacted", messages: [user("summary")] });
    const compacted = await readConversation(path);
    expect(compacted).toMatchObject({ messages: [user("summary")], firstPrompt: "one" });
    expect(compacted?.turns.size).toBe(0);
  });

  it("is found again by its directory, the latest first", async () => {
    for (const [id, cwd, at] of [
      ["a", "/p", "1"],
      ["b", "/p", "3"],
      ["c", "/other", "9"],
    ] as const)
      await (await openTranscript(transcriptPath(directory, id))).append(header(id, cwd, at));
    expect((await latestConversation(directory, "/p"))?.id).toBe("b");
    expect(await latestConversation(directory, "/none")).toBeUndefined();
  });
});

describe("a conversation that was cut off", () => {
  it("gets answers for calls that have none", () => {
    expect(withMissingResults([user("go"), calling("1", "2")]).at(-1)).toMatchObject({
      role: "tool",
      content: [{ toolCallId: "1" }, { toolCallId: "2" }],
    });
    expect(withMissingResults([user("go"), calling("1", "2"), answering("x", "1")]).at(-1)).toMatchObject({
      content: [
        { toolCallId: "1", output: { value: "x" } },
        { toolCallId: "2", output: { type: "error-text" } },
      ],
    });
    const whole = [user("go"), calling("1"), answering("x", "1")];
    expect(withMissingResults(whole)).toEqual(whole);
  });
});

describe("clearing results", () => {
  it("takes the text of old long ones only", () => {
    const messages = Array.from({ length: 12 }, (_, index) => [
      calling(`c${index}`),
      answering(index === 1 ? "short" : "x".repeat(1000), `c${index}`),
    ]).flat();
    const { messages: cleared, count } = clearResults(messages);
    expect(count).toBe(3);
    expect(JSON.stringify(cleared)).toContain("short");
    expect(cleared.length).toBe(messages.length);
  });
});
