import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import type { Sent, SentAbout } from "../attachment.ts";
import { userReminder } from "./user-reminder.ts";

const PATH = "/repo/.sotto/reminders/one.md";

function reminder(fields: object = {}) {
  return {
    name: "one",
    path: PATH,
    scope: "project",
    content: "Text.",
    lifetime: "turn",
    matched: [],
    ...fields,
  };
}

interface Situation {
  reminders?: object[];
  problems?: object[];
  activity?: object;
  assistant?: number;
  mode?: string;
  agent?: object;
  changedAt?: number;
  said?: Partial<SentAbout<unknown>> & { at?: { seq: number; turns: number } };
}

/** What the trigger makes of one reminder: what is due, as notes, or why nothing is. */
function ask(situation: Situation): string[] | string {
  const { reminders = [reminder()], problems = [], activity = {}, said = {} } = situation;
  const facts = {
    userReminders: { known: true, value: { reminders, problems } },
    activity: { touched: [], tools: [], ...activity },
    reminderFiles: {
      versions:
        situation.changedAt === undefined ? {} : { [PATH]: { hash: "h", changedAt: situation.changedAt } },
    },
    turns: { assistant: situation.assistant ?? 0, reported: true },
    mode: { name: situation.mode ?? "normal" },
    agent: situation.agent ?? { kind: "main" },
  };
  const { at, count = at === undefined ? 0 : 1, total = count } = said;
  const last = at && { last: { turn: 7, assistantTurns: at.turns, seq: at.seq, key: PATH } };
  const about = () => ({ count, total, ...last });
  const answer = userReminder.trigger(facts as never, { count, keys: [], about } as Sent<unknown>, {});
  return "skip" in answer ? answer.skip : answer.map(({ note }) => note as string);
}

it("AC-2 is the file's body", () => {
  expect(examplesAsRead(userReminder)).toMatchInlineSnapshot(`
    "# of the user, or of a project that is trusted
    <system-reminder>
    Every migration needs a rollback. Write it in the same change.
    </system-reminder>

    # of a project that is not trusted
    <system-reminder>
    /repo/.sotto/reminders/migrations.md, a file of this project, says:

    > Every migration needs a rollback. Write it in the same change.
    </system-reminder>"
  `);
});

describe("what starts a reminder", () => {
  const touched = (seq: number, turns = 0) => ({ touched: [{ path: "/repo/db/1.sql", seq, turns }] });
  const about = reminder({ paths: ["db/**"], matched: [{ path: "/repo/db/1.sql", by: "db/**" }] });

  it("a path that was touched, once for each time", () => {
    expect(ask({ reminders: [about], activity: touched(5) })).toEqual(["one: /repo/db/1.sql matches db/**"]);
    expect(ask({ reminders: [about], activity: touched(5), said: { at: { seq: 6, turns: 0 } } })).toBe(
      "1 reminder: one: sent in turn 7, nothing new since",
    );
    expect(
      ask({ reminders: [about], activity: touched(9), said: { at: { seq: 6, turns: 0 } } }),
    ).toHaveLength(1);
  });

  it("a path that was touched long ago does not count any more", () => {
    expect(ask({ reminders: [about], activity: touched(5, 2), assistant: 5 })).toHaveLength(1);
    expect(ask({ reminders: [about], activity: touched(5, 2), assistant: 6 })).toBe(
      "1 reminder: one: /repo/db/1.sql matches db/**, but 4 turns ago, at most 3",
    );
  });

  it("a tool that finished", () => {
    const tools = { tools: [{ toolName: "Bash", seq: 5, turns: 0 }] };
    expect(ask({ reminders: [reminder({ after_tools: ["Bash"] })], activity: tools })).toEqual([
      "one: Bash finished",
    ]);
    expect(ask({ reminders: [reminder({ after_tools: ["Edit"] })], activity: tools })).toBe(
      "1 reminder: one: no Edit has finished",
    );
  });

  it("a rhythm, counted from when it was last said, or from where the view began", () => {
    const rhythm = reminder({ every_turns: 10 });
    expect(ask({ reminders: [rhythm], assistant: 9 })).toBe("1 reminder: one: 9 of 10 turns");
    expect(ask({ reminders: [rhythm], assistant: 10 })).toEqual(["one: 10 of 10 turns"]);
    expect(ask({ reminders: [rhythm], assistant: 14, said: { at: { seq: 6, turns: 10 } } })).toBe(
      "1 reminder: one: 4 of 10 turns",
    );
    expect(ask({ reminders: [rhythm], assistant: 20, activity: { compacted: { seq: 5, turns: 18 } } })).toBe(
      "1 reminder: one: 2 of 10 turns",
    );
  });

  it("the start of the session and compaction, however long the history is", () => {
    const both = reminder({ on: ["session_start", "compacted"] });
    const started = { started: { seq: 1, turns: 0 } };
    expect(ask({ reminders: [both], activity: started, assistant: 50 })).toEqual([
      "one: the session has started",
    ]);
    expect(ask({ reminders: [both], activity: { compacted: { seq: 9, turns: 3 } }, assistant: 3 })).toEqual([
      "one: the conversation was compacted",
    ]);
    expect(ask({ reminders: [both], activity: started, said: { at: { seq: 2, turns: 0 } } })).toBe(
      "1 reminder: one: sent in turn 7, nothing new since",
    );
    expect(ask({ reminders: [reminder({ on: ["compacted"] })], activity: started })).toBe(
      "1 reminder: one: no compacted since",
    );
  });

  it("any of several: they are alternatives", () => {
    const several = { ...about, after_tools: ["Bash"], every_turns: 4 };
    expect(ask({ reminders: [several], assistant: 4 })).toEqual(["one: 4 of 4 turns"]);
    expect(ask({ reminders: [several] })).toBe(
      "1 reminder: one: no path was touched that matches db/**, no Bash has finished, 0 of 4 turns",
    );
  });
});

describe("what restricts a reminder", () => {
  const started = { started: { seq: 1, turns: 0 } };
  const on = (fields: object) => [reminder({ on: ["session_start"], ...fields })];

  it("the mode", () => {
    expect(ask({ reminders: on({ modes: ["plan"] }), activity: started })).toBe(
      "1 reminder: one: only in mode plan, the mode is normal",
    );
    expect(ask({ reminders: on({ modes: ["plan"] }), activity: started, mode: "plan" })).toHaveLength(1);
  });

  it("the agent, by kind or by type", () => {
    const agent = { kind: "sub", type: "Explore" };
    expect(ask({ reminders: on({ agents: ["main"] }), activity: started, agent })).toBe(
      "1 reminder: one: only for agent main, this is Explore",
    );
    for (const name of ["sub", "Explore"])
      expect(ask({ reminders: on({ agents: [name] }), activity: started, agent })).toHaveLength(1);
  });

  it("how often it was said in the whole session", () => {
    expect(ask({ reminders: on({ max_per_session: 3 }), activity: started, said: { total: 3 } })).toBe(
      "1 reminder: one: sent 3 of at most 3 times in this session",
    );
    expect(
      ask({ reminders: on({ max_per_session: 3 }), activity: started, said: { total: 2 } }),
    ).toHaveLength(1);
  });
});

describe("how long a reminder is in force", () => {
  const lasting = (lifetime: string) => [reminder({ on: ["session_start"], lifetime })];
  const said = { at: { seq: 6, turns: 1 } };

  it("turn: what is out of view is not said again by itself", () => {
    expect(ask({ reminders: lasting("turn"), said: { total: 1 } })).toBe(
      "1 reminder: one: no session_start since",
    );
  });

  it.each(["session", "until_changed"])("%s: said again when it is no longer in view", (lifetime) => {
    expect(ask({ reminders: lasting(lifetime), said: { total: 1 } })).toEqual([
      `one: in force for lifetime ${lifetime}, and no longer in view`,
    ]);
    expect(ask({ reminders: lasting(lifetime), said })).toBe(
      `1 reminder: one: sent in turn 7, in view for lifetime ${lifetime}`,
    );
  });

  it("until_changed: said again when its file has changed since", () => {
    expect(ask({ reminders: lasting("until_changed"), said, changedAt: 9 })).toEqual([
      "one: its file has changed since it was sent",
    ]);
    expect(ask({ reminders: lasting("until_changed"), said, changedAt: 4 })).toContain("in view");
    expect(ask({ reminders: lasting("session"), said, changedAt: 9 })).toContain("in view");
  });
});

it("AC-43 each has a reason of its own, and problems are told", () => {
  const other = reminder({ name: "two", path: "/repo/.sotto/reminders/two.md", every_turns: 5 });
  const problems = [{ path: "/repo/.sotto/reminders/x.md", line: 3, problem: '"evry" is not known' }];
  expect(ask({ reminders: [reminder({ after_tools: ["Bash"] }), other], problems, assistant: 4 })).toBe(
    '2 reminders: one: no Bash has finished; two: 4 of 5 turns; 1 problem: /repo/.sotto/reminders/x.md:3: "evry" is not known',
  );
  expect(ask({ reminders: [] })).toBe("there are no user-defined reminders");
  const many = Array.from({ length: 7 }, (_, index) => reminder({ name: `r${index}`, every_turns: 5 }));
  expect(ask({ reminders: many })).toMatch(/^7 reminders: r0: .*; r4: 0 of 5 turns; and 2 more$/u);
});
