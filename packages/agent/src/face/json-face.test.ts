// What programs and scripts get of a session.

import { describe, expect, test } from "vitest";
import type { AgentEvent, ShownReminder } from "../agent-events.ts";
import { createAnswerFace, type OutputFormat } from "./json-face.ts";
import { createOut, hostile, OBEYED } from "./testing.ts";

const session = { sessionId: "s-1", model: "anthropic/some", cwd: "/project" };
const usage = { input: 100, output: 10, cacheRead: 90, cacheWrite: 5 };
const shown: ShownReminder = {
  id: "r1",
  type: "edited_text_file",
  generator: "changed_files",
  about: "src/a.ts",
  tokens: 84,
  text: "changed",
  again: false,
};

const events: AgentEvent[] = [
  { type: "turn_started", turn: 1, mode: "normal" },
  { type: "reminder", reminder: shown },
  { type: "text", text: "Let me see." },
  { type: "turn_finished", turn: 1, usage, mode: "normal" },
  { type: "reminder", reminder: { ...shown, again: true } },
  { type: "reminder", reminder: { ...shown, id: "r2", type: "token_usage", tokens: 7 } },
  {
    type: "subagent",
    agentType: "Explore",
    sessionId: "s-2",
    event: { type: "finished", text: "sub", turns: 9, usage },
  },
  { type: "finished", text: "Done.\n", turns: 2, usage, costUsd: 0.5 },
];

function written(format: OutputFormat, given: readonly AgentEvent[]) {
  const out = createOut();
  const errors = createOut();
  const face = createAnswerFace({ format, out, errors, session });
  for (const event of given) face.listen(event);
  const before = out.text;
  const { isError } = face.end();
  return { before, out: out.text, errors: errors.text, isError };
}

describe("text", () => {
  test("is the final answer alone", () => {
    expect(written("text", events)).toEqual({ before: "", out: "Done.\n", errors: "", isError: false });
  });

  test.each(["text", "json"] as const)(
    "%s says elsewhere that it tries again, also of a sub-agent",
    (format) => {
      const retrying: AgentEvent = { type: "retrying", attempt: 1, waitMs: 4000, why: "529\noverloaded" };
      const { errors } = written(format, [
        retrying,
        { type: "subagent", agentType: "Explore", sessionId: "s-2", event: { ...retrying, attempt: 2 } },
      ]);
      expect(errors).toBe(
        "sotto: attempt 1 failed, retrying in 4 s: 529 overloaded\nsotto: attempt 2 failed, retrying in 4 s: 529 overloaded\n",
      );
    },
  );

  test("says what went wrong elsewhere", () => {
    const failed: AgentEvent[] = [
      { type: "text", text: "Let me" },
      { type: "failed", message: `529\noverloaded ${hostile}` },
      { type: "finished", text: "", turns: 1, usage },
    ];
    const { out, errors, isError } = written("text", failed);
    expect({ out, isError }).toEqual({ out: "", isError: true });
    expect(errors).toMatch(/^sotto: 529 overloaded .*\n$/u);
    expect(OBEYED.test(errors)).toBe(false);
  });

  test("cannot steer the terminal", () => {
    const { out } = written("text", [{ type: "finished", text: hostile, turns: 1, usage }]);
    expect(OBEYED.test(out)).toBe(false);
  });
});

describe("json", () => {
  test("is one object at the end", () => {
    const { before, out } = written("json", events);
    expect(before).toBe("");
    expect(out.split("\n").length).toBe(2);
    expect(JSON.parse(out)).toEqual({
      text: "Done.\n",
      turns: 2,
      usage,
      costUsd: 0.5,
      sessionId: "s-1",
      isError: false,
      reminders: [
        { type: "edited_text_file", tokens: 84 },
        { type: "token_usage", tokens: 7 },
      ],
    });
  });

  test("adds up several prompts and leaves out a cost that is not known", () => {
    const { out } = written("json", [
      { type: "finished", text: "one", turns: 1, usage },
      { type: "finished", text: "two", turns: 2, usage },
    ]);
    expect(JSON.parse(out)).toEqual({
      text: "two",
      turns: 3,
      usage: { input: 200, output: 20, cacheRead: 180, cacheWrite: 10 },
      sessionId: "s-1",
      isError: false,
      reminders: [],
    });
  });

  test("tells an error, even where nothing else came", () => {
    const none = { turns: 0, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    const rest = { text: "", ...none, sessionId: "s-1", isError: true, reminders: [] };
    const failed = written("json", [{ type: "failed", message: "no key" }]);
    expect(JSON.parse(failed.out)).toEqual({ ...rest, error: "no key" });
    const aborted = written("json", [{ type: "aborted" }]);
    expect(JSON.parse(aborted.out)).toEqual({ ...rest, error: "stopped by the user" });
    expect(failed.isError && aborted.isError).toBe(true);
  });

  test("a sub-agent's failure is not the session's", () => {
    const failed: AgentEvent = { type: "failed", message: "x" };
    expect(
      written("json", [{ type: "subagent", agentType: "Plan", sessionId: "s-2", event: failed }]).isError,
    ).toBe(false);
  });

  test("keeps a hostile text exactly, and cannot steer the terminal", () => {
    const { out } = written("json", [{ type: "finished", text: hostile, turns: 1, usage }]);
    expect(JSON.parse(out).text).toBe(hostile);
    expect(OBEYED.test(out)).toBe(false);
  });
});

describe("stream-json", () => {
  test("is the session, then a line for each event as it happens", () => {
    const { before, out } = written("stream-json", events);
    expect(out).toBe(before);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ type: "session", ...session }, ...events]);
  });

  test("a line stays one line, whatever is in it", () => {
    const event: AgentEvent = { type: "text", text: `${hostile}\n\u2028\u0085next` };
    const { out } = written("stream-json", [event]);
    const lines = out.trimEnd().split("\n");
    expect(JSON.parse(lines[1] ?? "")).toEqual(event);
    expect(lines.length).toBe(2);
    expect(OBEYED.test(out)).toBe(false);
  });
});
