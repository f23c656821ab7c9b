import { describe, expect, it } from "vitest";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Anchor, NewEntry, OfferEntry } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { applyEntry, deliveryKey, initialState, type State } from "../log/state.ts";
import { type BranchChoice, changesOn, chooseBranch } from "./branch.ts";
import { anchorAt, assistantsBehind, readHistory } from "./history.ts";
import type { ReminderTexts } from "./said-texts.ts";
import { wordSums } from "./sums.ts";
import {
  createView,
  type Holder,
  placesIn,
  type ReadRequest,
  sentByType,
  shownIn,
  type View,
} from "./view.ts";

const at = "2026-01-01T00:00:00.000Z";
const reminderTag = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;

/** `u Hi` is a user's message, `a Hello` an answer. */
function read(state: State, ...messages: string[]): { read: ReadRequest; choice: BranchChoice } {
  const body = {
    messages: messages.map(
      (one): AnthropicMessage => ({
        role: one.startsWith("a ") ? "assistant" : "user",
        content: one.slice(2),
      }),
    ),
  };
  const dialect = anthropicMessages as Dialect;
  const deliveries = Object.values(state.deliveries);
  const reminders: ReminderTexts = {
    texts: new Map(
      deliveries.flatMap((one) =>
        one.blocks.flatMap((block) =>
          block.type === "text" ? [[block.text, { deliveries: [deliveryKey(one)], images: 0 }]] : [],
        ),
      ),
    ),
    tags: ["system-reminder"],
  };
  const history = readHistory({
    dialect,
    body,
    ids: [...body.messages.keys()],
    sums: wordSums,
    reminders,
  });
  const choice = chooseBranch(state, history);
  const hunks = changesOn(state, choice, history);
  const found = {
    dialect,
    body,
    history,
    hunks,
    reminders,
    places: placesIn({ history, hunks }, { state, choice }),
  };
  return {
    read: { ...found, shown: shownIn(found, { branches: {}, deliveries: state.deliveries }).shown },
    choice,
  };
}

/** Takes a turn with this history and offers these reminders at its end. */
function turn(state: State, messages: string[], ...texts: string[]): void {
  const { read: request, choice } = read(state, ...messages);
  const { history, hunks } = request;
  const anchor = anchorAt(history, history.end);
  const number = choice.retryOf ?? state.turn + 1;
  const shared = { turn: number, branch: choice.id, assistantTurns: choice.assistantTurns };
  const head = { anchor, assistants: assistantsBehind(history, 0), hunks: [...hunks] };
  append(state, stamp(at, { kind: "turn" as const, ...shared, head, outcomes: {} }));
  for (const text of texts) append(state, offer(text, { ...shared, anchor }));
}

function offer(
  text: string,
  place: { turn: number; branch: string; assistantTurns: number; anchor?: Anchor },
): OfferEntry {
  return stamp(at, {
    ...{ kind: "delivery" as const, state: "offered" as const, id: text, type: text.split(" ")[0] as string },
    ...{ hash: text, covers: [`edge/${text}`], textHashes: [], tokens: 1, assistantsBehind: 0 },
    blocks: [{ type: "text" as const, text: reminderTag(text) }],
    ...{ owner: "me", expiresAt: 1, ...place },
  });
}

function append(state: State, entry: NewEntry): void {
  applyEntry(state, { ...entry, seq: state.seq + 1 });
}

const settle = (state: State, id: string, how: "confirmed" | "abandoned") =>
  append(state, stamp(at, { kind: "delivery" as const, state: how, id, branch: "main" }));

function viewOf(state: State, messages: string[], holder: Holder = "ours"): View {
  const { read: request, choice } = read(state, ...messages);
  const number = choice.retryOf ?? state.turn + 1;
  return createView({
    state,
    choice,
    turn: number,
    holderOf: () => holder,
    isHeldElsewhere: () => false,
    isLeftBehind: () => false,
    read: request,
  });
}

/** A view without a request: the host places reminders itself. */
function viewWithout(state: State, holder: Holder): View {
  const choice = { id: "main", fresh: false, assistantTurns: 0 };
  return createView({
    state,
    choice,
    turn: state.turn + 1,
    holderOf: () => holder,
    isHeldElsewhere: () => false,
    isLeftBehind: () => false,
  });
}

const places = ({ inView }: View) => Object.fromEntries([...inView].map(([{ id }, place]) => [id, place]));
const ids = (deliveries: readonly { id: string }[]) => deliveries.map(({ id }) => id);

describe("the view of a request", () => {
  it("has an earlier reminder at its place", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    expect(places(viewOf(state, ["u Hi", "a Hello", "u Bye"]))).toEqual({ "todo one": { at: 1 } });
  });

  it("knows a reminder that the request contains already", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    const view = viewOf(state, ["u Hi", `u ${reminderTag("todo one")}`, "a Hello", "u Bye"]);
    expect(places(view)).toEqual({ "todo one": { shownAt: 1 } });
  });

  it("confirms what an answer follows", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    const view = viewOf(state, ["u Hi", "a Hello", "u Bye"]);
    expect(ids(view.passed)).toEqual(["todo one"]);
    expect(ids(view.again)).toEqual([]);
  });

  it("sends again what was not answered", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one", "todo two");
    const view = viewOf(state, ["u Hi"]);
    expect(ids(view.passed)).toEqual([]);
    expect(ids(view.again)).toEqual(["todo one", "todo two"]);
  });

  it("puts an abandoned reminder back if its history comes back", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    settle(state, "todo one", "abandoned");
    expect(places(viewOf(state, ["u Hi"]))).toEqual({ "todo one": { at: 1 } });
  });

  it("does not have what only another branch has", () => {
    const state = initialState();
    turn(state, ["u Hi"]);
    turn(state, ["u Hi", "a Hello", "u Bye"], "todo one");
    settle(state, "todo one", "confirmed");
    expect(places(viewOf(state, ["u Hi", "a Hello", "u Wait"]))).toEqual({});
  });

  it("covers the edges of what is in view", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    expect([...viewOf(state, ["u Hi"]).covered]).toEqual(["edge/todo one"]);
  });

  it("groups what was sent by type, oldest first", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one", "mail one", "todo two");
    const sent = sentByType(viewOf(state, ["u Hi"]));
    expect([...sent].map(([type, all]) => [type, ids(all)])).toEqual([
      ["todo", ["todo one", "todo two"]],
      ["mail", ["mail one"]],
    ]);
  });

  it("has one of two rivals that cover the same edge, the earlier", () => {
    const state = initialState();
    turn(state, ["u Hi"], "todo one");
    const { anchor } = state.deliveries["todo one@main"] as { anchor: Anchor };
    const rival = offer("todo rival", { turn: 1, branch: "main", assistantTurns: 0, anchor });
    append(state, { ...rival, covers: ["edge/todo one"] });
    expect(places(viewOf(state, ["u Hi"]))).toEqual({ "todo one": { at: 1 } });
  });
});

describe("the view without a request", () => {
  const offered = (): State => {
    const state = initialState();
    append(
      state,
      stamp(at, { kind: "turn" as const, turn: 1, branch: "main", assistantTurns: 0, outcomes: {} }),
    );
    append(state, offer("mail one", { turn: 1, branch: "main", assistantTurns: 0 }));
    return state;
  };

  it("has what the host holds, and sends it again", () => {
    const view = viewWithout(offered(), "ours");
    expect(places(view)).toEqual({ "mail one": {} });
    expect(ids(view.again)).toEqual(["mail one"]);
  });

  it("leaves to another process what that one is sending", () => {
    const view = viewWithout(offered(), "others");
    expect(places(view)).toEqual({ "mail one": { elsewhere: true } });
    expect(ids(view.again)).toEqual([]);
  });

  it("has nothing that was abandoned", () => {
    const state = offered();
    settle(state, "mail one", "abandoned");
    expect(places(viewWithout(state, "ours"))).toEqual({});
  });
});
