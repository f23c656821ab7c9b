import { type AnthropicBody, anthropicMessages, type Session } from "sotto";
import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, turnsThatSay } from "../../../../../test/support/telling.ts";
import { todoReminder } from "./todo-reminder.ts";

const item = (content: string, status: "pending" | "in_progress" | "completed" = "pending") => ({
  content,
  status,
  activeForm: content,
});
const write = (...items: ReturnType<typeof item>[]) => ({ type: "todos_written", items }) as const;
const answer = { role: "assistant", content: [{ type: "text", text: "Done." }] };
const ask = { role: "user", content: [{ type: "text", text: "Go on." }] };

describe("todo_reminder, as the model reads it", () => {
  it("AC-23 has the list, or says that it is empty", () => {
    expect(examplesAsRead(todoReminder)).toMatchInlineSnapshot(`
      "# an empty list
      <system-reminder>
      The todo list is empty and has not been touched for a while. If a list helps here, keep one with TodoWrite. If it does not matter here, ignore this automatic note.
      </system-reminder>

      # a list with items
      <system-reminder>
      The todo list has not been touched for a while. If it helps here, keep it up to date with TodoWrite, and tidy what is stale. If it does not matter here, ignore this automatic note.

      The list now:

      [1. [completed] Read the parser
      2. [in_progress] Write the failing test
      3. [pending] Fix the off-by-one]
      </system-reminder>"
    `);
  });

  it("AC-23 writes items as a numbered list in brackets, one line each", () => {
    const content = [item("First"), item("Second,\n  on two lines", "in_progress"), item("", "completed")];
    expect(asRead(todoReminder, { content, itemCount: 3 })).toContain(
      "\n\n[1. [pending] First\n2. [in_progress] Second, on two lines\n3. [completed] ]\n",
    );
  });

  it("AC-23 names no tool that the agent lacks", () => {
    expect(examplesAsRead(todoReminder, { tools: ["Read"] })).toMatchInlineSnapshot(`
      "# an empty list
      <system-reminder>
      The todo list is empty and has not been touched for a while. If it does not matter here, ignore this automatic note.
      </system-reminder>

      # a list with items
      <system-reminder>
      The todo list has not been touched for a while. If it does not matter here, ignore this automatic note.

      The list now:

      [1. [completed] Read the parser
      2. [in_progress] Write the failing test
      3. [pending] Fix the off-by-one]
      </system-reminder>"
    `);
  });
});

/** A session whose agent has made a list. */
async function withList(options: Parameters<typeof openSession>[0] = {}): Promise<Session> {
  const session = openSession(options);
  await session.record(write(item("Read the parser")));
  return session;
}

describe("todo_reminder, when", () => {
  it("AC-8 waits for 5 turns after the session began with a list", async () => {
    const session = await withList();
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe(
      "throttled: 0 of 5 turns since the todo list was written or shown, 5 to go",
    );
    expect(await turnsThatSay(session, "todo_reminder", 6)).toEqual([5]);
  });

  it("is silent as long as nobody has used a list, however long the session is", async () => {
    const session = openSession();
    expect(await turnsThatSay(session, "todo_reminder", 60)).toEqual([]);
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe(
      "nothing: no todo list was used in this session",
    );
  });

  it("reminds of a list that was emptied with something left, and not of one that was worked off", async () => {
    const dropped = await withList();
    await dropped.record(write());
    expect(await turnsThatSay(dropped, "todo_reminder", 6)).toEqual([5]);
    const done = await withList();
    await done.record(write(item("Read the parser", "completed")));
    await done.record(write());
    expect(await turnsThatSay(done, "todo_reminder", 12)).toEqual([]);
    expect(outcomeOf(await done.turn(), "todo_reminder")).toBe("nothing: the list is empty");
  });

  it("is not for an agent that has no tool for it, unless its host keeps a list for it", async () => {
    const session = openSession({ tools: ["lookup_order"] });
    expect(await turnsThatSay(session, "todo_reminder", 12)).toEqual([]);
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe(
      "nothing: the agent has no tool for todo lists",
    );
    const kept = await withList({ tools: ["lookup_order"] });
    expect(await turnsThatSay(kept, "todo_reminder", 6)).toEqual([5]);
  });

  it("counts from where it came in when it is given a long history", async () => {
    const long = Array.from({ length: 40 }, () => [ask, answer]).flat();
    const session = await withList();
    expect(await reminded(session, [...long, ask])).toBe(false);
    const later = (more: number) => Array.from({ length: more }, () => [answer, ask]).flat();
    expect(await reminded(session, [...long, ask, ...later(4)])).toBe(false);
    expect(await reminded(session, [...long, ask, ...later(5)])).toBe(true);
  });

  it("AC-8 waits for 5 turns after the list was written", async () => {
    const session = openSession();
    await answered(session);
    await answered(session);
    await session.record(write(item("Read the parser")));
    expect(await turnsThatSay(session, "todo_reminder", 6)).toEqual([5]);
  });

  it("AC-7 leaves at least 3 turns between, and twice as many each time it is ignored: 3, 6, 12", async () => {
    const session = openSession();
    await session.record(write(item("Read the parser")));
    expect(await turnsThatSay(session, "todo_reminder", 40)).toEqual([5, 8, 14, 26]);
  });

  it("AC-7 AC-8 begins anew when the list is written, also when an item moved", async () => {
    const session = openSession();
    await session.record(write(item("Read the parser")));
    expect(await turnsThatSay(session, "todo_reminder", 9)).toEqual([5, 8]);
    await session.record(write(item("Read the parser", "in_progress")));
    expect(await turnsThatSay(session, "todo_reminder", 15)).toEqual([5, 8, 14]);
  });

  it("AC-7 holds 3 turns between even where a write has just reset the count of 5", async () => {
    const session = openSession({
      config: { attachments: { todo_reminder: { min_turns_after_trigger: 1 } } },
    });
    await session.record(write(item("Read the parser")));
    await answered(session);
    expect(says(await answered(session), "todo_reminder")).toBe(true);
    await session.record(write(item("Read the parser", "in_progress")));
    expect(await turnsThatSay(session, "todo_reminder", 4)).toEqual([2]);
  });

  it("AC-10 reset() clears the gap and the back-off, not the 5 turns since the last write", async () => {
    const session = await withList();
    expect(await turnsThatSay(session, "todo_reminder", 10)).toEqual([5, 8]);
    await session.reset();
    expect(await turnsThatSay(session, "todo_reminder", 5)).toEqual([0, 3]);
    await session.record(write(item("Read the parser")));
    await session.reset();
    expect(await turnsThatSay(session, "todo_reminder", 6)).toEqual([5]);
  });

  it("AC-10 reset() does not clear max_per_session, nor does compaction", async () => {
    const session = await withList({ config: { attachments: { todo_reminder: { max_per_session: 2 } } } });
    expect(await turnsThatSay(session, "todo_reminder", 12)).toEqual([5, 8]);
    await session.reset();
    await session.record({ type: "compacted" });
    expect(outcomeOf(await answered(session), "todo_reminder")).toBe(
      "throttled: sent 2 of at most 2 times in this session",
    );
  });

  it("is silent in plan mode", async () => {
    const session = openSession();
    await session.record({ type: "mode_changed", mode: "plan" });
    expect(await turnsThatSay(session, "todo_reminder", 8)).toEqual([]);
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe(
      "nothing: plan mode is on: the plan is the list",
    );
  });

  it("is silent when everything is done", async () => {
    const session = openSession();
    await session.record(write(item("Read the parser", "completed"), item("Fix it", "completed")));
    for (let count = 0; count < 6; count++) await answered(session);
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe("nothing: all 2 items are completed");
  });

  it("AC-8 does not count empty assistant turns", async () => {
    const session = await withList();
    for (let count = 0; count < 7; count++) await session.record({ type: "assistant_turn", empty: true });
    for (let count = 0; count < 4; count++) await session.record({ type: "assistant_turn" });
    expect(outcomeOf(await session.turn(), "todo_reminder")).toBe(
      "throttled: 4 of 5 turns since the todo list was written or shown, 1 to go",
    );
    await session.record({ type: "assistant_turn" });
    expect(says(await session.turn(), "todo_reminder")).toBe(true);
  });

  it("AC-8 counts messages where no events tell of them, empty and thinking-only ones not", async () => {
    const session = await withList();
    expect(await reminded(session, [ask])).toBe(false);
    const thought = {
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }],
    };
    const empty = { role: "assistant", content: [] };
    const four = [ask, answer, ask, answer, ask, answer, ask, answer, ask];
    expect(await reminded(session, [...four, thought, ask, empty, ask])).toBe(false);
    expect(await reminded(session, [...four, thought, ask, empty, ask, answer, ask])).toBe(true);
  });

  it("AC-8 counts events or messages, never both", async () => {
    const session = await withList();
    const body = [ask, answer, ask, answer, ask, answer, ask, answer, ask, answer, ask];
    for (let count = 0; count < 3; count++) await session.record({ type: "assistant_turn" });
    expect(await reminded(session, body)).toBe(false);
    await session.record({ type: "assistant_turn" });
    await session.record({ type: "assistant_turn" });
    expect(await reminded(session, body)).toBe(true);
  });

  it("is for sub-agents, too, by their own count", async () => {
    const session = openSession();
    for (let count = 0; count < 5; count++) await answered(session);
    const child = session.subagent({ agentType: "Explore" });
    await child.record(write(item("Find the callers")));
    expect(await turnsThatSay(child, "todo_reminder", 6)).toEqual([5]);
  });

  it("repeats although the same text is in view", async () => {
    const session = await withList({ config: { attachments: { todo_reminder: { min_turns_between: 1 } } } });
    expect(await turnsThatSay(session, "todo_reminder", 9)).toEqual([5, 6, 8]);
  });
});

async function reminded(session: Session, messages: object[]): Promise<boolean> {
  const body = { model: "m", max_tokens: 1, messages } as unknown as AnthropicBody;
  const turn = await session.turn({ dialect: anthropicMessages, body });
  await turn.abandon();
  return says(turn, "todo_reminder");
}

describe("todo_reminder, how often", () => {
  it.each([
    ["backs off", {}, [5, 8, 14]],
    ["keeps a fixed rhythm where that is asked for", { backs_off: false }, [5, 8, 11, 14, 17, 20]],
    [
      "keeps the rhythm that is asked for",
      { backs_off: false, min_turns_between: 2, min_turns_after_trigger: 3 },
      [3, 5, 7, 9, 11, 13, 15, 17, 19, 21],
    ],
  ])("%s", async (_, options, turns) => {
    const session = openSession({ config: { attachments: { todo_reminders: options } } });
    await session.record(write(item("Mend it")));
    expect(await turnsThatSay(session, "todo_reminder", 22)).toEqual(turns);
    await session.close();
  });
});
