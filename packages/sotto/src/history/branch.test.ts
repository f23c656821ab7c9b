import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import { stamp } from "../log/journal.ts";
import { applyEntry, initialState, type State } from "../log/state.ts";
import { type BranchChoice, changesOn, chooseBranch, lineageOf, toUnwritten } from "./branch.ts";
import { anchorAt, assistantsBehind, type History, printsOf, readHistory } from "./history.ts";
import { wordSums } from "./sums.ts";

const ROLES: Record<string, "assistant" | "system"> = { a: "assistant", s: "system" };

/** `u Hi` is a user's message, `a Hello` an answer, `s Be brief` what a dialect may have in front of them. */
function historyOf(...messages: string[]): History {
  const body = {
    messages: messages.map(
      (one) => ({ role: ROLES[one.slice(0, 1)] ?? "user", content: one.slice(2) }) as AnthropicMessage,
    ),
  };
  const reminders = { texts: new Map(), tags: [] };
  const name = messages[0]?.startsWith("s ") ? "with system" : "without";
  return readHistory({
    dialect: { ...anthropicMessages, name },
    body,
    ids: [...body.messages.keys()],
    sums: wordSums,
    reminders,
  });
}

/** Takes a turn with this history, as the engine writes it. */
function turn(state: State, ...messages: string[]): BranchChoice {
  const history = historyOf(...messages);
  const choice = chooseBranch(state, history);
  const { id, parent, fresh, assistantTurns } = choice;
  const anchor = anchorAt(history, history.end);
  const hunks = changesOn(state, choice, history);
  const entry = stamp("2026-01-01T00:00:00.000Z", {
    ...{
      kind: "turn" as const,
      turn: choice.retryOf ?? state.turn + 1,
      branch: id,
      assistantTurns,
      outcomes: {},
    },
    ...(parent === undefined ? {} : { parent }),
    ...(fresh ? { fresh } : {}),
    head: {
      ...{ anchor, assistants: assistantsBehind(history, 0), hunks },
      ...(history.dialect === undefined ? {} : { dialect: history.dialect }),
    },
  });
  applyEntry(state, { ...entry, seq: state.seq + 1 });
  return choice;
}

const talk = ["u Add a test", "a Done", "u Now run it", "a It passes", "u Thanks"];

describe("a history belongs to", () => {
  it("the main branch, if it is the first one", () => {
    expect(turn(initialState(), "u Hi")).toEqual({ id: "main", fresh: false, assistantTurns: 0 });
  });

  it("the branch whose latest history it extends", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 1));
    expect(turn(state, ...talk.slice(0, 3))).toEqual({ id: "main", fresh: false, assistantTurns: 1 });
    expect(turn(state, ...talk)).toEqual({ id: "main", fresh: false, assistantTurns: 2 });
  });

  it("the same turn again, if nothing was added", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 3));
    expect(turn(state, ...talk.slice(0, 3))).toMatchObject({ id: "main", retryOf: 1 });
  });

  it("the same turn again, if it is in a dialect with the system's words among the messages", () => {
    const state = initialState();
    turn(state, "u Hi");
    expect(turn(state, "s Be brief", "u Hi")).toMatchObject({ id: "main", retryOf: 1 });
    expect(turn(state, "u Hi")).toMatchObject({ id: "main", retryOf: 1 });
    turn(state, "s Be brief", "u Hi");
    expect(turn(state, "s Write a title", "u Hi").fresh).toBe(true);
  });

  it("a new branch off the last turn it shares, if it goes back and on differently", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 1));
    turn(state, ...talk.slice(0, 3));
    turn(state, ...talk);
    expect(turn(state, ...talk.slice(0, 3), "a It fails", "u Fix it")).toEqual({
      id: "branch-3",
      parent: { branch: "main", turn: 2 },
      fresh: false,
      assistantTurns: 2,
    });
  });

  it("the old branch again, if it goes on there", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 3));
    turn(state, ...talk);
    turn(state, ...talk.slice(0, 3), "a It fails", "u Fix it");
    expect(turn(state, ...talk, "a Welcome", "u Bye").id).toBe("main");
  });

  it("a fresh view, if it shares nothing", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 3));
    turn(state, ...talk);
    expect(turn(state, "u Here is a summary of what we did")).toEqual({
      id: "fresh-2",
      parent: { branch: "main", turn: 2 },
      fresh: true,
      assistantTurns: 2,
    });
  });

  it("its branch also when the client has edited an earlier message", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 3));
    turn(state, ...talk);
    const edited = ["u Add a test, please", ...talk.slice(1), "a Welcome", "u Bye"];
    expect(turn(state, ...edited).id).toBe("main");
  });
});

describe("a history that several branches have begun", () => {
  const start = ["u Add a test", "a Done", "u Now run it"];
  const hurry = (word: string) => `u And please hurry, ${word}.`;

  it("belongs to the one that has had most of it, though the last words of another stand further back", () => {
    const state = initialState();
    turn(state, ...start);
    turn(state, ...start, hurry("now"));
    const { id } = turn(state, ...start);
    const grown = [...start, "a Let me see", "u Well?", hurry("then"), "a It runs", "u And?", "a Fine"];
    expect(turn(state, ...grown, "u Thanks").id).toBe(id);
    expect(turn(state, ...grown, "u In other words: thanks")).toMatchObject({
      parent: { branch: id, turn: 3 },
      assistantTurns: 4,
    });
  });

  it("belongs to the request that was sent last, if it shares the same with all", () => {
    const state = initialState();
    turn(state, ...start);
    turn(state, ...start, hurry("now"));
    const { id } = turn(state, ...start);
    turn(state, ...start, "a It passes", "u Thanks");
    turn(state, "u Another conversation");
    expect(turn(state, ...start, "a It fails", "u Fix it").parent).toEqual({ branch: id, turn: 3 });
  });

  it("is told nothing of a branch that it leaves before its first turn", () => {
    const state = initialState();
    turn(state, ...talk.slice(0, 3));
    expect(turn(state, ...talk.slice(0, 2), "u Something else")).toMatchObject({
      parent: { branch: "main", turn: 0 },
      fresh: false,
      assistantTurns: 1,
    });
  });

  it("continues from where a request did that is not in the log", () => {
    const state = initialState();
    turn(state, ...start);
    turn(state, ...start, "a It passes", "u Thanks for that");
    const sent = historyOf(...start, "a It passes", "u Thanks for that one");
    const choice = chooseBranch(state, sent);
    expect(choice.parent).toEqual({ branch: "main", turn: 1 });
    const unwritten = [toUnwritten(state, choice, sent)].filter((one) => one !== undefined);
    const next = historyOf(...start, "a It passes", "u Thanks for that one", "a Welcome", "u Bye");
    expect(chooseBranch(state, next).id).toBe("main");
    expect(chooseBranch(state, next, { unwritten })).toMatchObject({
      parent: choice.parent,
      assistantTurns: 3,
    });
  });

  it("belongs to the branch with the longest shared beginning, whatever the tree, and whatever the log has missed", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.nat(9)), { maxLength: 24 }), (steps) => {
        const state = initialState();
        const known: string[][] = [["u 0"]];
        turn(state, "u 0");
        for (const [index, [from, answers, fate]] of steps.entries()) {
          const begun = known[from % known.length] as string[];
          const name = (place: number) => `${index}.${place} ${index * 7}.${place}`;
          const added = Array.from({ length: answers }, (_, at) => [`a ${name(at)}`, `u ${name(at + 0.5)}`]);
          const messages = [...begun, ...added.flat()];
          known.push(messages);
          // Some are not written.
          if (fate < 4) continue;
          const prints = printsOf(historyOf(...messages));
          const shared = new Map(
            Object.values(state.branches).map((branch) => {
              const parting = prints.findIndex((print, at) => print !== branch.prints[at]);
              return [branch.id, parting < 0 ? prints.length : parting];
            }),
          );
          const { id, parent } = turn(state, ...messages);
          expect(shared.get(id) ?? shared.get(parent?.branch ?? "")).toBe(Math.max(...shared.values()));
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe("the change since the branch's latest history", () => {
  it("is what was added behind it", () => {
    const state = initialState();
    const choice = turn(state, ...talk.slice(0, 3));
    const [hunk, ...more] = changesOn(state, choice, historyOf(...talk));
    expect(more).toEqual([]);
    expect(hunk).toMatchObject({ at: 3, drop: 0 });
    expect(hunk?.add).toHaveLength(2);
  });

  it("is nothing for the same history", () => {
    const state = initialState();
    const choice = turn(state, ...talk);
    expect(changesOn(state, choice, historyOf(...talk))).toEqual([]);
  });

  it("has one hunk for an edited block", () => {
    const state = initialState();
    const choice = turn(state, ...talk);
    const hunks = changesOn(state, choice, historyOf("u Add a good test", ...talk.slice(1)));
    expect(hunks).toMatchObject([{ at: 0, drop: 1 }]);
  });
});

describe("a branch", () => {
  it("has heard and sees what its parent said up to where it left", () => {
    const state = initialState();
    for (const end of [1, 3, 5]) turn(state, ...talk.slice(0, end));
    const choice = turn(state, ...talk.slice(0, 3), "a It fails", "u Fix it");
    const { heard, sees, compacted } = lineageOf(state, choice);
    expect([1, 2, 3].map((number) => heard({ branch: "main", turn: number }))).toEqual([true, true, false]);
    expect([1, 2, 3].map((number) => sees({ branch: "main", turn: number }))).toEqual([true, true, false]);
    expect(compacted).toBe(false);
  });

  it("with a fresh view has heard what came before, and sees none of it", () => {
    const state = initialState();
    for (const end of [3, 5]) turn(state, ...talk.slice(0, end));
    const choice = turn(state, "u Here is a summary of what we did");
    const { heard, sees, compacted } = lineageOf(state, choice);
    expect(heard({ branch: "main", turn: 2 })).toBe(true);
    expect(sees({ branch: "main", turn: 2 })).toBe(false);
    expect(sees({ branch: choice.id, turn: 3 })).toBe(true);
    expect(compacted).toBe(true);
  });
});
