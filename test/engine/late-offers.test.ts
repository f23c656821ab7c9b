// A turn whose log answers too late, or not at all, sends nothing new. What it was about to send has no place in that
// request: the next one has it at its end, not before the answer that came meanwhile.

import { anthropicMessages, createMemoryStore, openaiResponses, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { expect, onTestFinished, test } from "vitest";
import { setDeadline, shortenDeadline } from "../support/deadlines.ts";
import { openAssistant } from "../support/open-engine.ts";

type Fault =
  | "late"
  | "written, answered late"
  | "late, and taking it back fails"
  | "failed"
  | "failed, but written"
  | "none";

function faulty(base: Store) {
  let fault: Fault = "none";
  const written = Promise.withResolvers<void>();
  const append: Store["append"] = async (session, batch) => {
    const isTurn = batch.entries.some(({ kind }) => kind === "turn");
    if (fault === "none") return base.append(session, batch);
    if (!isTurn) {
      if (fault === "late, and taking it back fails") throw new Error("the store is down");
      return base.append(session, batch);
    }
    if (fault === "failed") throw new Error("the store is down");
    if (fault.startsWith("late")) await written.promise;
    const appended = await base.append(session, batch);
    if (fault === "written, answered late") await written.promise;
    if (fault === "failed, but written") throw new Error("the store is down");
    return appended;
  };
  return { store: { ...base, append }, set: (next: Fault) => (fault = next), answerNow: written.resolve };
}

const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });

test.each<[Fault, "the same process" | "another"]>([
  ["late", "the same process"],
  ["late", "another"],
  ["late, and taking it back fails", "the same process"],
  ["failed", "the same process"],
  ["failed", "another"],
  ["failed, but written", "the same process"],
])("%s, and then %s: it is told once, behind the answer", async (fault, who) => {
  const base = createMemoryStore();
  const { store, set, answerNow } = faulty(base);
  const open = (own: Store) => {
    const session = openAssistant({ id: "s", store: own });
    onTestFinished(() => session.close());
    return session;
  };
  const first = open(store);
  const ask = async (session: typeof first, ...messages: object[]) => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { model: "m", messages } as never });
    return { problem: turn.problem, sent: JSON.stringify((turn.body as { messages: object[] }).messages) };
  };
  const history = [user("Begin."), assistant("Yes?"), user("Go on.")];
  await ask(first, history[0] as object);
  await first.record({
    ...{ type: "message_received", id: "1", from: "ada", text: "Tea is ready." },
    timestamp: "2026-11-16T10:00:00Z",
  });
  if (fault.startsWith("late")) await setDeadline(first, 100);
  set(fault);
  const { problem, sent } = await ask(first, ...history);
  expect(problem).toBeDefined();
  expect(sent).toBe(JSON.stringify(history));
  answerNow();
  // What the late turn still has to write comes before this.
  if (fault.startsWith("late"))
    await first.record({ type: "todos_written", items: [] }).catch(() => undefined);
  set("none");
  if (fault.startsWith("late")) await setDeadline(first);

  const next = who === "another" ? open(base) : first;
  const gone = [...history, assistant("So."), user("And now?")];
  const { sent: told } = await ask(next, ...gone);
  expect(told.startsWith(JSON.stringify(gone).slice(0, -1))).toBe(true);
  expect(told.split("Tea is ready.")).toHaveLength(2);
  const { sent: later } = await ask(next, ...gone, assistant("Good."), user("Well."));
  expect(later.startsWith(told.slice(0, -1))).toBe(true);
  expect(later.split("Tea is ready.")).toHaveLength(2);
});

test("written in time, answered late: another process that goes on meanwhile does not take it for sent", async () => {
  const base = createMemoryStore();
  const { store, set, answerNow } = faulty(base);
  const open = (own: Store) => {
    const session = openAssistant({ id: "s", store: own });
    onTestFinished(() => session.close());
    return session;
  };
  const [first, other] = [open(store), open(base)];
  const ask = async (session: typeof first, input: string, previous?: string) => {
    const before = previous === undefined ? {} : { previous_response_id: previous };
    const turn = await session.turn({ dialect: openaiResponses, body: { model: "m", input, ...before } });
    return JSON.stringify(turn.body);
  };
  // Long enough for it to be written.
  await shortenDeadline(first, () => ask(first, "Begin."), 2000);
  await first.record({
    ...{ type: "message_received", id: "1", from: "ada", text: "Tea is ready." },
    timestamp: "2026-11-16T10:00:00Z",
  });
  set("written, answered late");
  expect(await ask(first, "Go on.", "r1")).not.toContain("Tea is ready.");
  expect(await ask(other, "And on.", "r2")).not.toContain("Tea is ready.");
  answerNow();
  // What the late turn still has to write comes before this.
  await setDeadline(first);
  expect(await ask(other, "Well?", "r3")).toContain("Tea is ready.");
  expect(await ask(other, "Done.", "r4")).not.toContain("Tea is ready.");
});

test("a request that never left: what it had comes behind an answer that follows all the same", async () => {
  const session = openAssistant();
  onTestFinished(() => session.close());
  await session.record({
    ...{ type: "message_received", id: "1", from: "ada", text: "Tea is ready." },
    timestamp: "2026-11-16T10:00:00Z",
  });
  const ask = (...messages: object[]) =>
    session.turn({ dialect: anthropicMessages, body: { model: "m", messages } as never });
  const first = await ask(user("Begin."));
  expect(first.reminders).toHaveLength(1);
  expect(await first.abandon({ unsent: true })).toBe(true);
  const history = [user("Begin."), assistant("Yes?"), user("Go on.")];
  const { body } = await ask(...history);
  const sent = JSON.stringify((body as { messages: object[] }).messages);
  expect(sent.startsWith(JSON.stringify(history).slice(0, -1))).toBe(true);
  expect(sent.split("Tea is ready.")).toHaveLength(2);
});

test("failed, but written: as soon as its process has said so, another one tells it", async () => {
  const base = createMemoryStore();
  const { store, set } = faulty(base);
  const [first, other] = [store, base].map((own) => {
    const session = openAssistant({ id: "s", store: own });
    onTestFinished(() => session.close());
    return session;
  }) as [Session, Session];
  const ask = async (session: Session, ...messages: object[]) => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { model: "m", messages } as never });
    return JSON.stringify((turn.body as { messages: object[] }).messages);
  };
  await ask(first, user("Begin."));
  const letter = { id: "1", from: "ada", text: "Tea is ready.", timestamp: "2026-11-16T10:00:00Z" };
  await first.record({ type: "message_received", ...letter });
  set("failed, but written");
  const history = [user("Begin."), assistant("Yes?"), user("Go on.")];
  expect(await ask(first, ...history)).not.toContain("Tea is ready.");
  set("none");
  await first.record({ type: "todos_written", items: [] });
  expect(await ask(other, ...history, assistant("So."), user("Well?"))).toContain("Tea is ready.");
});

/** How a client's requests go on, by who keeps the history. */
const KEEPERS = {
  client: (said: readonly string[]) =>
    [
      anthropicMessages,
      { model: "m", messages: said.map((words, at) => (at % 2 === 0 ? user(words) : assistant(words))) },
    ] as const,
  "provider, by answer": (said: readonly string[]) =>
    [
      openaiResponses,
      {
        ...{ model: "m", input: said.at(-1) },
        ...(said.length > 1 ? { previous_response_id: `r${said.length}` } : {}),
      },
    ] as const,
  "provider, by name": (said: readonly string[]) =>
    [openaiResponses, { model: "m", input: said.at(-1), conversation: "c" }] as const,
};

const ORDERS = [
  ["leaves", "answered"],
  ["answered", "leaves"],
  ["leaves", "leaves", "answered"],
];

test.each(
  Object.keys(KEEPERS).flatMap((keeper) =>
    ORDERS.map((order) => [keeper as keyof typeof KEEPERS, order.join(", ")] as const),
  ),
)("kept by the %s, sent again while the first try is given up (%s): told once", async (keeper, order) => {
  const session = openAssistant();
  onTestFinished(() => session.close());
  const said = ["Begin."];
  const ask = () => {
    const [dialect, body] = KEEPERS[keeper](said);
    return session.turn({ dialect: dialect as never, body: body as never });
  };
  const goOn = () => said.push(`Answer ${said.length}.`, `Next ${said.length}.`);
  await (await ask()).commit();
  goOn();
  await session.record({
    ...{ type: "message_received", id: "1", from: "ada", text: "Tea is ready." },
    timestamp: "2026-11-16T10:00:00Z",
  });
  const fates = order.split(", ");
  const tries = [];
  for (const _ of fates) tries.push(await ask());
  const leaving = tries.slice(0, -1);
  for (const fate of fates)
    await (fate === "leaves" ? leaving.shift()?.abandon({ unsent: true }) : tries.at(-1)?.commit());
  const told = [JSON.stringify(tries.at(-1)?.body)];
  for (let more = 0; more < 2; more++) {
    goOn();
    const turn = await ask();
    told.push(JSON.stringify(turn.body));
    await turn.commit();
  }
  const times = told.map((text) => text.split("Tea is ready.").length - 1);
  expect(times).toEqual(keeper === "client" ? [1, 1, 1] : [1, 0, 0]);
});

test.each(["provider, by answer", "provider, by name"] as const)(
  "kept by the %s: what a failed try had stays out while the log takes nothing, and comes once",
  async (keeper) => {
    const { store, set } = faulty(createMemoryStore());
    const session = openAssistant({ id: "s", store });
    onTestFinished(() => session.close());
    const said = ["Begin."];
    const ask = async (fate: "commit" | "abandon") => {
      const [dialect, body] = KEEPERS[keeper](said);
      const turn = await session.turn({ dialect: dialect as never, body: body as never });
      await turn[fate]();
      if (fate === "commit") said.push(`Answer ${said.length}.`, `Next ${said.length}.`);
      return JSON.stringify(turn.body).split("Tea is ready.").length - 1;
    };
    await ask("commit");
    await session.record({
      ...{ type: "message_received", id: "1", from: "ada", text: "Tea is ready." },
      timestamp: "2026-11-16T10:00:00Z",
    });
    const told = [await ask("abandon")];
    set("failed");
    told.push(await ask("commit"));
    set("none");
    told.push(await ask("commit"), await ask("commit"));
    expect(told).toEqual([1, 0, 1, 0]);
  },
);
