// Whole sessions as a person reads them, and what must never reach a terminal.

import { describe, expect, test, vi } from "vitest";
import type { AgentEvent, TokenUsage } from "../agent-events.ts";
import { createStyle } from "../terminal/style.ts";
import { createOut, createScreen, hostile, markedStyle, OBEYED, plainStyle } from "./testing.ts";
import { createTextFace, type TextFaceOptions } from "./text-face.ts";

const usage: TokenUsage = { input: 12_340, output: 850, cacheRead: 11_500, cacheWrite: 200 };

const reminder = (more: Partial<Extract<AgentEvent, { type: "reminder" }>["reminder"]> = {}): AgentEvent => ({
  type: "reminder",
  reminder: {
    id: "r1",
    type: "edited_text_file",
    generator: "changed_files",
    about: "/project/src/a.ts",
    tokens: 84,
    text: "<system-reminder>\nsrc/a.ts was changed.\n\n  3→ const a = 1;\n</system-reminder>",
    again: false,
    ...more,
  },
});

const started = (callId: string, toolName: string, title: string): AgentEvent => ({
  type: "tool_started",
  callId,
  toolName,
  title,
});

const finished = (
  callId: string,
  toolName: string,
  title: string,
  { summary = "", success = true } = {},
): AgentEvent => ({ type: "tool_finished", callId, toolName, title, success, summary });

const explore = (event: AgentEvent, sessionId = "s1", agentType = "Explore"): AgentEvent => ({
  type: "subagent",
  agentType,
  sessionId,
  event,
});

const text = (said: string): AgentEvent => ({ type: "text", text: said });

const session: AgentEvent[] = [
  { type: "turn_started", turn: 1, mode: "plan" },
  reminder(),
  reminder({ id: "r2", type: "plan_mode", about: "", tokens: 1310, again: true, text: "Plan only." }),
  { type: "reasoning", text: "The user wants\nthe bug " },
  { type: "reasoning", text: "fixed, so I look first." },
  text("I will look at "),
  text("the file first.\n\n"),
  { type: "turn_finished", turn: 1, usage, mode: "plan" },
  started("c1", "Read", "/project/src/a.ts"),
  finished("c1", "Read", "/project/src/a.ts", { summary: "120 lines" }),
  started("c2", "Bash", "npm test"),
  finished("c2", "Bash", "npm test", { summary: "exit code 1", success: false }),
  started("c3", "Task", "find the tests"),
  explore({ type: "turn_started", turn: 1, mode: "plan" }),
  explore(reminder({ type: "agent_mention", about: "", tokens: 20 })),
  explore(text("Looking")),
  explore(text(" around.\n\nIt is ")),
  explore(started("c1", "Grep", "test(")),
  explore(finished("c1", "Grep", "test(", { summary: "3 matches" })),
  explore(text("There are three.")),
  explore({ type: "finished", text: "There are three.", turns: 2, usage }),
  finished("c3", "Task", "find the tests", { summary: "done" }),
  { type: "task", taskId: "b1", description: "npm run watch", status: "running" },
  { type: "retrying", attempt: 1, waitMs: 4000, why: "529 overloaded\nplease wait" },
  { type: "results_cleared", count: 5 },
  { type: "compacted", tokensBefore: 182_000, tokensAfter: 9000 },
  { type: "mode_changed", mode: "normal" },
  { type: "task", taskId: "b1", description: "npm run watch", status: "failed" },
  { type: "notice", text: "Resumed session s-1.\nIt had 4 turns." },
  text("\n\nThe bug is fixed.\n"),
  { type: "turn_finished", turn: 2, usage, mode: "normal" },
  { type: "finished", text: "The bug is fixed.", turns: 2, usage, costUsd: 0.0421 },
];

function pageOf(events: readonly AgentEvent[], options: Partial<TextFaceOptions> = {}): string {
  const out = createOut();
  const listen = createTextFace({
    out,
    style: plainStyle,
    width: 80,
    cwd: "/project",
    isTty: false,
    ...options,
  });
  for (const event of events) listen(event);
  return out.text;
}

describe("a whole session", () => {
  test("without colour", () => {
    expect(pageOf(session)).toMatchInlineSnapshot(`
      "· edited_text_file src/a.ts, 84 tokens
      · plan_mode, 1,310 tokens, again
      ∴ The user wants the bug fixed, so I look first.

      I will look at the file first.

      ● Read src/a.ts · 120 lines
      ● Bash npm test ✗ exit code 1
      ● Task find the tests
      ◆ Explore
        · agent_mention, 20 tokens
        Looking around.
        It is
        ● Grep test( · 3 matches
        There are three.
        2 turns · 12,340 in, 850 out · 93% cached
      └ Task find the tests · done
      ▸ task b1 running: npm run watch
      ↻ attempt 1 failed, retrying in 4 s: 529 overloaded please wait
      ⇣ cleared 5 old tool results
      ⇣ compacted: 182,000 tokens to 9,000
      ▸ normal mode
      ▸ task b1 failed: npm run watch
      Resumed session s-1.
      It had 4 turns.

      The bug is fixed.

      normal · 12,340 in, 850 out · 93% cached · $0.042
      "
    `);
  });

  test("with NO_COLOR, on a terminal too", () => {
    vi.stubEnv("NO_COLOR", "1");
    const style = createStyle({ isTTY: true });
    vi.unstubAllEnvs();
    expect(pageOf(session, { style })).toBe(pageOf(session));
  });

  test("with colour", () => {
    expect(pageOf(session, { style: markedStyle })).toMatchInlineSnapshot(`
      "<dim>· edited_text_file src/a.ts, 84 tokens</dim>
      <dim>· plan_mode, 1,310 tokens, again</dim>
      <dim>∴ The user wants the bug fixed, so I look first.</dim>

      I will look at the file first.

      <accent>●</accent> Read src/a.ts <dim>· 120 lines</dim>
      <accent>●</accent> Bash npm test <bad>✗ exit code 1</bad>
      <accent>●</accent> Task find the tests
      <accent>◆ Explore</accent>
        <dim>· agent_mention, 20 tokens</dim>
        Looking around.
        It is
        <accent>●</accent> Grep test( <dim>· 3 matches</dim>
        There are three.
        <dim>2 turns · 12,340 in, 850 out · 93% cached</dim>
      <dim>└ Task find the tests · done</dim>
      <dim>▸ task b1 running: npm run watch</dim>
      <warn>↻ attempt 1 failed, retrying in 4 s: 529 overloaded please wait</warn>
      <dim>⇣ cleared 5 old tool results</dim>
      <dim>⇣ compacted: 182,000 tokens to 9,000</dim>
      <accent>▸ normal mode</accent>
      <bad>▸ task b1 failed: npm run watch</bad>
      Resumed session s-1.
      It had 4 turns.

      The bug is fixed.

      <dim>normal · 12,340 in, 850 out · 93% cached · $0.042</dim>
      "
    `);
  });

  test("on a narrow page no line is wider than it", () => {
    const page = pageOf(session, { width: 24 });
    expect(page).toMatchInlineSnapshot(`
      "· edited_text_file, 84 …
      · plan_mode, 1,310 toke…
      ∴ The user wants the bu…

      I will look at the file
      first.

      ● Read src/a.ts
        └ 120 lines
      ● Bash npm test
        ✗ exit code 1
      ● Task find the tests
      ◆ Explore
        · agent_mention, 20 t…
        Looking around.
        It is
        ● Grep test(
          └ 3 matches
        There are three.
        2 turns · 12,340 in, …
      └ Task find the tests ·…
      ▸ task b1 running: npm …
      ↻ attempt 1 failed, ret…
      ⇣ cleared 5 old tool re…
      ⇣ compacted: 182,000 to…
      ▸ normal mode
      ▸ task b1 failed: npm r…
      Resumed session s-1.
      It had 4 turns.

      The bug is fixed.

      normal · 12,340 in, 850…
      "
    `);
    const wide = page.split("\n").filter((line) => line.length > 24);
    expect(wide).toEqual([]);
  });

  test("with reminders in full", () => {
    expect(pageOf(session.slice(0, 3), { showReminders: true, style: markedStyle })).toMatchInlineSnapshot(`
      "<dim>· edited_text_file src/a.ts, 84 tokens</dim>
          <dim><system-reminder></dim>
          <dim>src/a.ts was changed.</dim>

          <dim>  3→ const a = 1;</dim>
          <dim></system-reminder></dim>
      <dim>· plan_mode, 1,310 tokens, again</dim>
          <dim>Plan only.</dim>
      "
    `);
  });
});

describe("the status line", () => {
  const closing = (event: Partial<Extract<AgentEvent, { type: "finished" }>>) =>
    pageOf([{ type: "finished", text: "", turns: 1, usage, ...event }]).trim();

  test("says mode, tokens, cache hits and cost", () => {
    const page = pageOf([
      { type: "mode_changed", mode: "plan" },
      { type: "finished", text: "", turns: 1, usage, costUsd: 0.0421 },
    ]);
    expect(page).toBe("▸ plan mode\n\nplan · 12,340 in, 850 out · 93% cached · $0.042\n");
  });

  test("leaves out what is not known", () => {
    expect(closing({})).toBe("normal · 12,340 in, 850 out · 93% cached");
    expect(closing({ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } })).toBe(
      "normal · 0 in, 0 out",
    );
  });

  test("costs of all sizes", () => {
    const costs = [0, 0.0000001, 0.0421, 12.345].map((costUsd) => closing({ costUsd }).split(" · ").at(-1));
    expect(costs).toEqual(["$0.000", "< $0.001", "$0.042", "$12.35"]);
  });

  test("all is cached only where all of it was", () => {
    const almost = { ...usage, input: 1000, cacheRead: 999 };
    expect(closing({ usage: almost })).toContain("99% cached");
    expect(closing({ usage: { ...almost, cacheRead: 1000 } })).toContain("100% cached");
  });
});

describe("tool calls", () => {
  test("those that run side by side are told apart at their end", () => {
    const page = pageOf([
      started("a", "Read", "Read a.ts"),
      started("b", "Read", "Read b.ts"),
      finished("a", "Read", "Read a.ts", { summary: "3 lines" }),
      finished("b", "Read", "Read b.ts", { success: false }),
    ]);
    expect(page).toBe("● Read a.ts\n● Read b.ts\n└ Read a.ts · 3 lines\n✗ Read b.ts · failed\n");
  });

  test("an outcome that does not fit goes below", () => {
    const page = pageOf(
      [
        started("a", "Read", "a-long-name.ts"),
        finished("a", "Read", "a-long-name.ts", { summary: "3 lines" }),
        started("b", "Write", "another-name.ts"),
        finished("b", "Write", "another-name.ts", { success: false, summary: "no permission to write it" }),
      ],
      { width: 24 },
    );
    expect(page).toBe(
      "● Read a-long-name.ts\n  └ 3 lines\n● Write another-name.ts\n  ✗ no permission to wr…\n",
    );
  });

  test("one without a summary, one that never was announced", () => {
    expect(pageOf([started("a", "TodoWrite", "TodoWrite"), finished("a", "TodoWrite", "TodoWrite")])).toBe(
      "● TodoWrite\n",
    );
    expect(pageOf([finished("x", "Gone", "y", { success: false, summary: "no such tool" })])).toBe(
      "✗ Gone y · no such tool\n",
    );
  });
});

describe("several speak at once", () => {
  test("a line of the answer is not torn apart by others", () => {
    const page = pageOf([
      text("The answer "),
      explore(text("found it\n")),
      { type: "task", taskId: "b1", description: "npm test", status: "completed" },
      text("is 42.\nAnd "),
      explore(text("and more\n"), "s2", "Plan"),
      text("more.\n"),
      explore(text("again\n")),
      { type: "finished", text: "", turns: 1, usage },
    ]);
    expect(page).toMatchInlineSnapshot(`
      "The answer is 42.
      And more.

      ◆ Explore
        found it
      ▸ task b1 completed: npm test
      ◆ Plan
        and more
      ◆ Explore
        again

      normal · 12,340 in, 850 out · 93% cached
      "
    `);
  });

  test("what is held is shown when the answer ends within a line", () => {
    const page = pageOf([
      text("The answer"),
      { type: "task", taskId: "b1", description: "npm test", status: "completed" },
      { type: "notice", text: "Queued." },
      { type: "aborted" },
      { type: "finished", text: "", turns: 1, usage },
    ]);
    expect(page).toBe(
      "The answer\n\n▸ task b1 completed: npm test\nQueued.\n■ stopped\n\nnormal · 12,340 in, 850 out · 93% cached\n",
    );
  });

  test("reasoning is one line, whoever speaks meanwhile", () => {
    const page = pageOf([
      { type: "reasoning", text: "I think" },
      { type: "task", taskId: "b1", description: "npm test", status: "running" },
      { type: "reasoning", text: " and think" },
      text("Done.\n"),
    ]);
    expect(page).toBe("▸ task b1 running: npm test\n∴ I think and think\n\nDone.\n");
  });

  test("sub-agents of sub-agents are one level deeper", () => {
    const page = pageOf([
      explore(text("one\n")),
      explore(explore(text("two\n"), "s2", "Plan")),
      explore(text("three\n")),
    ]);
    expect(page).toBe("◆ Explore\n  one\n  ◆ Plan\n    two\n◆ Explore\n  three\n");
  });
});

test("empty lines around an answer are left out, those within it stay", () => {
  expect(
    pageOf([
      text("\n"),
      text("\n\nOne."),
      text("\n"),
      text("\n"),
      text("Two.\n\n\n"),
      started("a", "X", "y"),
    ]),
  ).toBe("One.\n\nTwo.\n\n● X y");
});

test("a character or a line end that is cut in two between pieces stays whole", () => {
  expect(pageOf([text("a\ud83d"), text("\ude00b\r"), text("\nc\n")])).toBe("a😀b\nc\n");
});

describe("on a terminal", () => {
  test("a row says what goes on until there is something to show", () => {
    const screen = createScreen();
    const listen = createTextFace({
      out: screen,
      style: plainStyle,
      width: 60,
      cwd: "/project",
      isTty: true,
    });
    const rows: string[][] = [];
    for (const event of [
      { type: "turn_started", turn: 1, mode: "plan" },
      text("Hello wor"),
      { type: "turn_finished", turn: 1, usage, mode: "plan" },
      { type: "turn_started", turn: 2, mode: "plan" },
      reminder(),
    ] satisfies AgentEvent[]) {
      listen(event);
      rows.push(screen.rows());
    }
    expect(rows).toEqual([
      ["⠋ plan · turn 1 …"],
      ["Hello"],
      ["Hello wor", ""],
      ["Hello wor", "⠋ plan · 12,340 in, 850 out · 93% cached · turn 2 …"],
      ["Hello wor", "", "· edited_text_file src/a.ts, 84 tokens", ""],
    ]);
  });

  test("it moves while the model is waited for, and is gone when that is over or stopped", () => {
    vi.useFakeTimers();
    const screen = createScreen();
    const listen = createTextFace({
      out: screen,
      style: plainStyle,
      width: 60,
      cwd: "/project",
      isTty: true,
    });
    listen({ type: "turn_started", turn: 1, mode: "normal" });
    vi.advanceTimersByTime(250);
    expect(screen.rows()).toEqual(["⠹ normal · turn 1 …"]);
    listen({ type: "aborted" });
    vi.advanceTimersByTime(1000);
    expect(screen.rows()).toEqual(["■ stopped", ""]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("without one there are no escape codes at all", () => {
    expect(OBEYED.test(pageOf(session, { showReminders: true }))).toBe(false);
  });
});

describe("hostile texts", () => {
  const everywhere: AgentEvent[] = [
    { type: "turn_started", turn: 1, mode: hostile },
    reminder({ type: hostile, about: hostile, text: `${hostile}\n${hostile}` }),
    { type: "reasoning", text: hostile },
    ...[...hostile].map(text),
    text(hostile),
    started(hostile, hostile, hostile),
    finished(hostile, hostile, hostile, { summary: hostile }),
    finished("other", hostile, hostile, { summary: hostile, success: false }),
    { type: "retrying", attempt: 1, waitMs: 10, why: hostile },
    { type: "failed", message: hostile },
    { type: "task", taskId: hostile, description: hostile, status: "failed" },
    { type: "mode_changed", mode: hostile },
    { type: "notice", text: hostile },
  ];
  const events = [
    ...everywhere,
    ...everywhere.map((event) => explore(event, "s1", hostile)),
    { type: "finished", text: hostile, turns: 1, usage },
  ] satisfies AgentEvent[];

  test("reach the page as text alone", () => {
    for (const showReminders of [true, false])
      for (const width of [20, 80, 400])
        expect(OBEYED.exec(pageOf(events, { showReminders, width }))).toBeNull();
    expect(pageOf([{ type: "notice", text: "\u001b[2J\u202e" }])).toBe("\\u001b[2J\\u202e\n");
  });

  test("a line of 10 MB is cut where one line is promised, and harmless where all is", () => {
    const huge = `\u001b[31m${"x".repeat(10_000_000)}`;
    const lines = pageOf([
      reminder({ about: huge, text: huge }),
      { type: "reasoning", text: huge },
      started("a", "Bash", huge),
      finished("a", "Bash", huge, { summary: huge }),
      { type: "failed", message: huge },
      explore({ type: "task", taskId: "b", description: huge, status: "running" }),
    ]).split("\n");
    expect(lines.map(({ length }) => length <= 80)).toEqual(lines.map(() => true));
    const whole = pageOf([text(huge), explore(text(`${huge}\n`)), reminder({ text: huge })], {
      showReminders: true,
    });
    expect(whole.length).toBeGreaterThan(30_000_000);
    expect(OBEYED.test(whole)).toBe(false);
  });
});
