import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearResults } from "./compact.ts";
import {
  addMissingResults,
  latestConversation,
  openTranscript,
  readConversation,
  type TranscriptEntry,
  transcriptPath,
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
      waiting: [],
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
  const message = (one: ModelMessage) => ({ type: "message" as const, message: one });
  const interrupted = (...ids: string[]) => ids.map((toolCallId) => ({ toolCallId, output: cutOff }));
  const cutOff = { type: "error-text", value: expect.stringContaining("The session ended before") };
  const read = async (...entries: TranscriptEntry[]) => {
    const path = transcriptPath(directory, "cut");
    await (await openTranscript(path)).append(header("cut", "/p", "1"), ...entries);
    const { messages, turns } = (await readConversation(path)) ?? { messages: [], turns: new Map() };
    return { messages, turns: [...turns] };
  };

  it("gets results for the last calls that have none", () => {
    const completed = (...messages: ModelMessage[]) => {
      addMissingResults(messages);
      return messages;
    };
    expect(completed(user("go"), calling("1", "2")).slice(2)).toMatchObject([
      { role: "tool", content: interrupted("1", "2") },
    ]);
    expect(completed(user("go"), calling("1", "2"), answering("x", "1")).slice(2)).toMatchObject([
      { content: [{ toolCallId: "1", output: { value: "x" } }, ...interrupted("2")] },
    ]);
    const whole = [user("go"), calling("1", "2"), answering("x", "1"), answering("y", "2")];
    expect(completed(...whole)).toEqual(whole);
  });

  it("gets results for earlier calls too, in their place, with turns counted behind them", async () => {
    const { messages, turns } = await read(
      ...[user("go"), calling("1", "2"), user("lost"), user("also lost")].map(message),
      { type: "turn", turn: 2 },
      // The same id again.
      ...[calling("1"), user("on")].map(message),
    );
    expect(messages).toMatchObject([
      user("go"),
      calling("1", "2"),
      { role: "tool", content: interrupted("1", "2") },
      user("lost"),
      user("also lost"),
      calling("1"),
      { role: "tool", content: interrupted("1") },
      user("on"),
    ]);
    expect(turns).toEqual([[2, 5]]);
  });

  it("gets them also in messages that replaced others", async () => {
    const { messages } = await read({
      type: "replaced",
      why: "rewound",
      messages: [user("go"), calling("1"), user("lost"), calling("2")],
    });
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
      "tool",
    ]);
  });

  it("loses results that came too late: two processes wrote", async () => {
    const { messages } = await read(
      ...[user("go"), calling("1", "2"), user("other"), answering("late", "1", "2"), user("on")].map(message),
    );
    expect(messages).toMatchObject([
      user("go"),
      calling("1", "2"),
      { role: "tool", content: interrupted("1", "2") },
      user("other"),
      user("on"),
    ]);
  });

  it("loses nothing that is written behind half a line, or behind a line without its end", async () => {
    const path = transcriptPath(directory, "half");
    await (await openTranscript(path)).append(header("half", "/p", "1"), message(user("one")));
    for (const [index, end] of ['{"type":"mess', JSON.stringify(message(user("whole")))].entries()) {
      await appendFile(path, end);
      await (await openTranscript(path)).append(message(user(`after ${index}`)));
    }
    expect((await readConversation(path))?.messages).toEqual(
      ["one", "after 0", "whole", "after 1"].map(user),
    );
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
