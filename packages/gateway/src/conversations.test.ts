// Conversations without names are told apart by their histories, in any process on the same store.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore, gemini, openaiChat, openaiResponses } from "sotto";
import type { Dialect, Store } from "sotto/extend";
import { describe, expect, it } from "vitest";
import { type Conversation, createFindConversation, type Sought, saidWorkspace } from "./conversations.ts";
import { createMarks, readOnly } from "./marks.ts";

const dialect = anthropicMessages as Dialect;
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const read = { name: "look", input_schema: { type: "object" } };
const bodyOf = (messages: object[], more: object = {}) => ({
  model: "m",
  system: "You mend.",
  tools: [read],
  messages,
  ...more,
});

interface More {
  headers?: Record<string, string>;
  client?: string;
  body?: object;
  /** Its answer, if it came to its end; undefined while it is under way. */
  answered?: string | false | undefined;
  /** Whether the store takes the turn, and the answer's end. */
  hasTurn?: boolean;
  hasEnd?: boolean;
}

/** A gateway of its own, as far as finding goes: its turns are counted, its requests answered. */
function gateway(store: Store) {
  const find = createFindConversation(createMarks(store));
  let turn = 0;
  return async (messages: object[], more: More = {}) => {
    const { headers = {}, client, body = {}, hasTurn = true, hasEnd = true } = more;
    const found = await find({ headers, dialect, body: bodyOf(messages, body), client });
    if ("side" in found) return found;
    await found.remember(async () => ({ number: hasTurn ? ++turn : 0 }));
    const answered = "answered" in more ? more.answered : "";
    if (answered !== undefined && hasEnd) await found.over?.(answered === false ? undefined : answered);
    return found;
  };
}
const session = (found: Sought) => (found as Conversation).session;

it.each<[string, Dialect, object]>([
  ["no messages", anthropicMessages as Dialect, { messages: [] }],
  ["an empty text", anthropicMessages as Dialect, { messages: [user("")] }],
  [
    "an empty block",
    anthropicMessages as Dialect,
    { messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
  ],
  ["no content", openaiChat as Dialect, { messages: [{ role: "user", content: null }] }],
  ["an empty input", openaiResponses as Dialect, { input: "" }],
  ["an empty list", openaiResponses as Dialect, { input: [] }],
  ["no parts", gemini as Dialect, { contents: [{ role: "user", parts: [] }] }],
])("a request that says nothing belongs to no conversation that others are in: %s", async (_, api, body) => {
  const find = createFindConversation(createMarks(createMemoryStore()));
  for (const key of ["key-1", "key-2"])
    expect(
      await find({ headers: { "x-api-key": key }, dialect: api, body: { model: "m", ...body } }),
    ).toEqual({
      side: "it says nothing that its conversation could be known by",
    });
});

it("nobody without a token is in a conversation of a client with one", async () => {
  const ask = gateway(createMemoryStore());
  const named = (name: string, client?: string) =>
    ask([user("Hello.")], {
      headers: { "x-sotto-session": name },
      ...(client === undefined ? {} : { client }),
    });
  const hers = session(await named("x", "ann"));
  expect(hers).toBe("gateway/@ann/x");
  expect(session(await named("@ann/x"))).not.toBe(hers);
  expect(session(await named("@ann/x"))).toBe(session(await named("@ann/x")));
});

describe("by content", () => {
  it("a request finds the session whose history it continues, in any process", async () => {
    const store = createMemoryStore();
    const [one, two] = [gateway(store), gateway(store)];
    const first = await one([user("Hello.")]);
    expect(first).toMatchObject({ by: "a new history" });
    const history = [user("Hello."), assistant("Yes?"), user("Mend it.")];
    const second = await two(history);
    expect(second).toMatchObject({ by: "the history it continues", session: session(first) });
    const third = await one([
      ...history,
      assistant("Done."),
      user("And this?"),
      assistant("Hm."),
      user("Well?"),
    ]);
    expect(session(third)).toBe(session(first));
  });

  it("a request that was not answered to its end is the same one when it comes again", async () => {
    const store = createMemoryStore();
    const [one, two] = [gateway(store), gateway(store)];
    const first = await one([user("Hello.")], { answered: false });
    expect(await two([user("Hello.")])).toMatchObject({ by: "the same history", session: session(first) });
    const history = [user("Hello."), assistant("Yes?"), user("Mend it.")];
    await one(history, { answered: undefined });
    expect(await two(history)).toMatchObject({ by: "the same history", session: session(first) });
  });

  it("one whose client writes its history anew when it takes it up again is known by a later answer", async () => {
    const exchange = (id: string) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
    ];
    const steps = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(4), fc.boolean(), async (count, back, isOther) => {
        const store = createMemoryStore();
        const [one, two] = [gateway(store), gateway(store)];
        const first = await one([user("Begin.")], { answered: "c0" });
        const sent = [user("Begin."), ...exchange("c0")];
        const answers: object[] = [];
        for (let step = 0; step < count; step++) {
          const found = await one([...sent, ...answers], { answered: `Answer ${step}.` });
          expect(session(found)).toBe(session(first));
          answers.push(assistant(`Answer ${step}.`), user(`Word ${step}.`));
        }
        // As far back as it likes, but with an answer that it was given.
        const kept = answers.slice(0, 2 * Math.max(1, count - back));
        const again = [user("Begin."), ...exchange("other"), ...kept.slice(0, -1)];
        const words = isOther ? "Something else." : "Go on.";
        const later = await two([...again, user(words)], { answered: "Yes." });
        expect(later).toMatchObject({ session: session(first), by: "the history it continues" });
        // Without any of them it is another conversation.
        const parted = await two([user("Begin."), ...exchange("third")]);
        expect(session(parted)).not.toBe(session(first));
      }),
      { numRuns: 40 },
    );
  });

  it("one that was answered is a new conversation when it comes again, which begins like the other", async () => {
    const store = createMemoryStore();
    const [one, two] = [gateway(store), gateway(store)];
    const first = await one([user("Hello.")]);
    const left = await one([user("Hello."), assistant("Yes?"), user("Left.")]);
    expect(session(left)).toBe(session(first));
    const others: Sought[] = [];
    for (let count = 0; count < 7; count++) others.push(await two([user("Hello.")]));
    for (const other of others) expect(other).toMatchObject({ fork: { session: session(first), turn: 1 } });
    expect(new Set([first, ...others].map(session)).size).toBe(8);
    // Each goes on in one of these, whatever it was answered.
    const on = await two([user("Hello."), assistant("Yes?"), user("Right.")]);
    const more = await one([user("Hello."), assistant("What?"), user("Up.")]);
    expect(others.map(session)).toEqual(expect.arrayContaining([session(on), session(more)]));
    expect(session(on)).not.toBe(session(more));
    const next = [user("Hello."), assistant("Yes?"), user("Right."), assistant("So."), user("On.")];
    expect(session(await one(next))).toBe(session(on));
  });

  it.each(["Yes?", "What?"])(
    "two that begin alike part where they part, also with the answer %s",
    async (other) => {
      const store = createMemoryStore();
      const [one, two] = [gateway(store), gateway(store)];
      const [first, twin] = await Promise.all([
        one([user("Hello.")], { answered: undefined }),
        two([user("Hello.")], { answered: undefined }),
      ]);
      // Two processes cannot know that these are two.
      expect(session(twin)).toBe(session(first));
      const left = await one([user("Hello."), assistant("Yes?"), user("Left.")]);
      expect(session(left)).toBe(session(first));
      const right = await two([user("Hello."), assistant(other), user("Right.")]);
      expect(right).toMatchObject({ by: "the history it parts from", fork: { session: session(first) } });
      expect(session(right)).not.toBe(session(first));
      const on = [user("Hello."), assistant(other), user("Right."), assistant("So."), user("On.")];
      expect(session(await one(on))).toBe(session(right));
    },
  );

  it("conversations that begin alike are told apart by what they were answered", async () => {
    const store = createMemoryStore();
    const [one, two] = [gateway(store), gateway(store)];
    const answers = ["Yes?", "What is it?", "Hi!", ...Array.from({ length: 37 }, (_, at) => `Answer ${at}.`)];
    const begun: string[] = [];
    for (const answered of answers) begun.push(session(await one([user("Hello.")], { answered })));
    const on: string[] = [];
    for (const answer of answers.toReversed())
      on.unshift(session(await two([user("Hello."), assistant(` ${answer}\n`), user("Go on.")])));
    expect(on).toEqual(begun);
  });

  it("who goes back does not take the place of another one that begins alike", async () => {
    const find = gateway(createMemoryStore());
    const first = await find([user("Hello.")], { answered: "Yes?" });
    await find([user("Hello."), assistant("Yes?"), user("Left.")]);
    const other = await find([user("Hello.")], { answered: "What?" });
    const back = await find([user("Hello."), assistant("Yes?"), user("Right.")]);
    expect(back).toMatchObject({
      by: "the history it parts from",
      fork: { session: session(first), turn: 1 },
    });
    expect(session(await find([user("Hello."), assistant("What?"), user("Left.")]))).toBe(session(other));
  });

  it("conversations that say and hear the same stay in their sessions", async () => {
    const store = createMemoryStore();
    const processes = [gateway(store), gateway(store)];
    const messages = [user("Hello.")];
    let sessions: string[] = [];
    for (let step = 0; step < 4; step++) {
      const found: string[] = [];
      for (let twin = 0; twin < 4; twin++)
        found.push(session((await processes[twin % 2]?.(messages, { answered: "Yes." })) as Sought));
      expect(new Set(found).size).toBe(4);
      if (step > 0) expect(found.toSorted()).toEqual(sessions);
      sessions = found.toSorted();
      messages.push(assistant("Yes."), user(`Step ${step}.`));
    }
  });

  it("one that failed leaves its place to the next try, even if the user has other words then", async () => {
    const find = gateway(createMemoryStore());
    const first = await find([user("Hello.")]);
    const begun = [user("Hello."), assistant("Yes?")];
    const failed = await find([...begun, user("Mend it.")], { answered: false });
    const other = await find([...begun, user("Mend them.")]);
    expect([failed, other].map(session)).toEqual([session(first), session(first)]);
  });

  it.each([
    ["goes on", 0],
    ["tries again", 0],
    ["goes on", 8],
    ["tries again", 8],
  ])(
    "one that failed, while another took its place, leaves the session when it %s (%i begin alike)",
    async (way, alike) => {
      const ask = gateway(createMemoryStore());
      const failed = [user("Hello."), assistant("Hi, Ada."), user("Ada's two.")];
      const own = await ask([user("Hello.")], { answered: "Hi, Ada." });
      expect(session(await ask(failed, { answered: false }))).toBe(session(own));
      const other = [user("Hello."), assistant("Hi, Bea."), user("Bea's two.")];
      const taken = await ask(other, { answered: "Yes, Bea." });
      expect(session(taken)).toBe(session(own));
      for (let more = 0; more < alike; more++) await ask([user("Hello.")], { answered: `Hi, ${more}.` });
      const again = way === "tries again" ? await ask(failed, { answered: "Yes, Ada." }) : undefined;
      const next = await ask([...failed, assistant("Yes, Ada."), user("Three.")], { answered: "Well." });
      expect(session(next)).not.toBe(session(taken));
      if (again !== undefined) expect(session(next)).toBe(session(again));
      expect(session(await ask([...other, assistant("Yes, Bea."), user("Three.")]))).toBe(session(taken));
      const later = [...failed, assistant("Yes, Ada."), user("Three."), assistant("Well."), user("Four.")];
      expect(session(await ask(later))).toBe(session(next));
    },
  );

  it("a conversation stays one, whatever marks of its requests the store did not take", async () => {
    const step = fc.record({ process: fc.nat(1), hasTurn: fc.boolean(), hasEnd: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const store = createMemoryStore();
        const processes = [gateway(store), gateway(store)];
        const messages = [user("Hello.")];
        const first = await processes[0]?.(messages);
        for (const [at, { process, ...taken }] of steps.entries()) {
          messages.push(assistant(`Yes ${at}?`), user(`Step ${at}.`));
          const found = await processes[process]?.(messages, taken);
          expect(session(found as Sought)).toBe(session(first as Sought));
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("conversations that begin alike stay apart, however often their requests fail and come again", async () => {
    const step = fc.record({ whose: fc.nat(2), process: fc.nat(1), isAnswered: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 24 }), async (steps) => {
        const store = createMemoryStore();
        const processes = [gateway(store), gateway(store)];
        const talks = Array.from({ length: 3 }, () => ({ messages: [user("Hello.")], session: "" }));
        for (const { whose, process, isAnswered } of steps) {
          const talk = talks[whose] as (typeof talks)[number];
          const { messages } = talk;
          const answered = isAnswered ? "Same." : false;
          const found = session((await processes[process]?.([...messages], { answered })) as Sought);
          if (!isAnswered) continue;
          if (messages.length > 1) {
            if (talk.session !== "") expect(found).toBe(talk.session);
            talk.session = found;
            const others = talks.filter((one) => one !== talk).map((one) => one.session);
            expect(others).not.toContain(found);
          }
          messages.push(assistant("Same."), user(`${whose}, step ${messages.length}.`));
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("conversations that begin alike part for good, also if they go on at the same time in several processes", async () => {
    const step = fc.record({ whose: fc.nat(2), process: fc.nat(2), isAnswered: fc.boolean() });
    const steps = fc.array(step, { minLength: 2, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (all, isSame) => {
        const store = createMemoryStore();
        const processes = [gateway(store), gateway(store), gateway(store)];
        const talks = Array.from({ length: 3 }, () => ({
          messages: [user("Hello.")],
          underWay: undefined as Conversation | undefined,
        }));
        /** Begins a request, or ends the one that is under way. */
        const act = async ({ whose, process, isAnswered }: (typeof all)[number]) => {
          const talk = talks[whose] as (typeof talks)[number];
          const { messages, underWay } = talk;
          if (underWay === undefined) {
            talk.underWay = (await processes[process]?.([...messages], {
              answered: undefined,
            })) as Conversation;
            return talk.underWay.session;
          }
          const words = isSame ? "Same." : `Yes, ${whose}.`;
          await underWay.over?.(isAnswered ? words : undefined);
          talk.underWay = undefined;
          if (isAnswered) messages.push(assistant(words), user(`${whose}, step ${messages.length}.`));
          return underWay.session;
        };
        for (const one of all) await act(one);
        const rounds: string[][] = [];
        for (const process of [0, 1, 2]) {
          for (const [whose, { underWay }] of talks.entries())
            if (underWay !== undefined) await act({ whose, process, isAnswered: true });
          const round: string[] = [];
          for (const whose of talks.keys()) round.push(await act({ whose, process, isAnswered: true }));
          rounds.push(round);
        }
        expect(new Set(rounds.at(-1)).size).toBe(3);
        expect(rounds.at(-1)).toEqual(rounds.at(-2));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it("people with different keys have nothing in common; renewed tokens are no keys", async () => {
    const find = gateway(createMemoryStore());
    const withKey = (headers: Record<string, string>) =>
      find([user("Hello.")], { headers, answered: false }).then(session);
    const all = [
      await withKey({ "x-api-key": "a" }),
      await withKey({ "x-api-key": "b" }),
      await withKey({ authorization: "Bearer sk-1" }),
      await withKey({ authorization: "Bearer sk-2" }),
      await withKey({ authorization: "Bearer eyJhbGciOiJub25lIn0.e30." }),
    ];
    expect(new Set(all).size).toBe(5);
    expect(await withKey({ authorization: "Bearer eyJhbGciOiJub25lIn0.e31." })).toBe(all[4]);
  });

  it("goes on though others with the same words were removed", async () => {
    const words = (at: number) => [user("Hello."), assistant(`Answer ${at}.`), user("On.")];
    for (const removed of [[1], [2], [1, 2, 4], [2, 3, 5], [1, 2, 3, 4, 5]]) {
      const store = createMemoryStore();
      const find = gateway(store);
      const all: string[] = [];
      for (let at = 1; at <= 6; at++)
        all.push(session(await find([user("Hello.")], { answered: `Answer ${at}.` })));
      for (const at of removed) await store.remove?.(all[at - 1] as string, { now: Date.now(), force: true });
      for (const [at, one] of all.entries())
        if (!removed.includes(at + 1)) expect(session(await gateway(store)(words(at + 1)))).toBe(one);
      const more = await gateway(store)([user("Hello.")]);
      expect(all.filter((_, at) => !removed.includes(at + 1))).not.toContain(session(more));
    }
  });

  it("of a token that is renewed, only whose it is counts", async () => {
    const find = gateway(createMemoryStore());
    const ask = (token: string, more: object = {}) =>
      find([user("Hello.")], {
        headers: { authorization: `Bearer ${token}` },
        answered: false,
        body: more,
      }).then(session);
    const jwt = (claims: object) =>
      `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
    const ada = await ask(jwt({ iss: "https://id", sub: "ada", exp: 1 }));
    expect(await ask(jwt({ iss: "https://id", sub: "ada", exp: 2 }))).toBe(ada);
    const account = (name: string) => ({ metadata: { user_id: JSON.stringify({ account_uuid: name }) } });
    const others = [
      await ask(jwt({ iss: "https://id", sub: "bob", exp: 1 })),
      await ask(jwt({ iss: "https://other", sub: "ada", exp: 1 })),
      await ask("sk-ant-oat01-a", account("a")),
      await ask("sk-ant-oat01-b", account("b")),
      await ask("sk-ant-oat01-c"),
    ];
    expect(new Set([ada, ...others]).size).toBe(6);
    expect(await ask("sk-ant-oat01-d", account("b"))).toBe(others[3]);
    expect(await ask("sk-ant-oat01-e")).toBe(others[4]);
  });

  it("requests with another system prompt, other tools or of another client are others", async () => {
    const store = createMemoryStore();
    const find = gateway(store);
    const all = [
      await find([user("Hello.")]),
      await find([user("Hello.")], { body: { system: "You write titles." } }),
      await find([user("Hello.")], { body: { tools: [] } }),
      await find([user("Hello.")], { client: "ci" }),
      await find([user("Hello there.")]),
    ];
    expect(new Set(all.map(session)).size).toBe(5);
  });

  it("what changes far into the system prompt, or with cache breakpoints, changes nothing", async () => {
    const find = gateway(createMemoryStore());
    const long = `You mend code. ${"Rules follow. ".repeat(40)}`;
    const marked = (text: string) => ({
      role: "user",
      content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
    });
    const first = await find([marked("Hello.")], { body: { system: `${long} It is 10:01.` } });
    const next = await find([user("Hello."), assistant("Yes?"), marked("Mend it.")], {
      body: { system: `${long} It is 10:02.` },
    });
    expect(session(next)).toBe(session(first));
  });

  it("what a client says in reminders of its own may come and go", async () => {
    const find = gateway(createMemoryStore());
    const day = (text: string) => ({ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` });
    const said = (...blocks: object[]) => ({ role: "user", content: blocks });
    const hello = { type: "text", text: "Hello." };
    const first = await find([said(day("Monday")), said(day("Skills"), hello)]);
    const next = await find([
      said(hello),
      assistant("Yes?"),
      said(day("Tuesday"), { type: "text", text: "On." }),
    ]);
    expect(next).toMatchObject({ by: "the history it continues", session: session(first) });
  });

  it.each<[string, object]>([
    ["an empty prompt", user("")],
    ["a prompt without blocks", { role: "user", content: [] }],
    ["reminders of the client's own", user("<system-reminder>\nBe kind.\n</system-reminder>")],
    ["an empty answer", assistant("")],
    ["thinking", { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "s" }] }],
    ["a part of the answer", assistant("So far")],
  ])("a request that ends with %s is found again, and takes nobody's place", async (_, last) => {
    const ask = gateway(createMemoryStore());
    await ask([user("Hello.")]);
    await ask([user("Hello."), assistant("Hi."), user("Go.")]);
    const history = [user("Hello."), assistant("Good day."), last];
    const own = await ask(history, { answered: "And on." });
    const other = await ask([user("Hello.")]);
    const next = await ask([...history, assistant("And on."), user("Well?")]);
    expect(session(next)).toBe(session(own));
    expect(session(next)).not.toBe(session(other));
  });

  it("what a user says between two such reminders counts", async () => {
    const note = "<system-reminder>\nBe kind.\n</system-reminder>";
    const ask = gateway(createMemoryStore());
    const first = await ask([user(`${note}\nMend the parser.\n${note}`)]);
    const other = await ask([user(`${note}\nWrite the docs.\n${note}`)]);
    expect(session(other)).not.toBe(session(first));
  });

  it("a developer message at the start counts as the system prompt", async () => {
    const find = createFindConversation(createMarks(createMemoryStore()));
    const ask = (messages: object[]) =>
      find({ headers: {}, dialect: openaiChat as Dialect, body: { messages } });
    const first = (await ask([{ role: "developer", content: "You mend." }, user("Hello.")])) as Conversation;
    const other = (await ask([
      { role: "developer", content: "You write titles." },
      user("Hello."),
    ])) as Conversation;
    expect(other.session).not.toBe(first.session);
  });

  it("looking only leaves no trace", async () => {
    const store = createMemoryStore();
    const look = createFindConversation(readOnly(createMarks(store)));
    const asked = { headers: {}, dialect, body: bodyOf([user("Hello.")]) };
    expect(await look(asked)).toMatchObject({ by: "a new history" });
    expect(await look({ ...asked, headers: { "x-sotto-session": "s" } })).toMatchObject({
      session: "gateway/s",
    });
    expect(
      await gateway(store)([user("Hello.")], {
        headers: { "x-sotto-session": "s" },
        body: { system: "Other." },
      }),
    ).toMatchObject({ session: "gateway/s" });
  });
});

describe("by name", () => {
  const claude = { "x-claude-code-session-id": "u1", "user-agent": "claude-cli/2.1.90" };

  it("compaction and a changed system prompt stay in the session, a sub-agent with both changed does not", async () => {
    const find = gateway(createMemoryStore());
    const main = await find([user("Hello.")], { headers: claude });
    expect(session(main)).toBe("gateway/claude-code/u1");
    expect(session(await find([user("Summary.")], { headers: claude }))).toBe("gateway/claude-code/u1");
    expect(
      session(await find([user("Hello.")], { headers: claude, body: { system: "In plan mode." } })),
    ).toBe("gateway/claude-code/u1");
    const sub = (await find([user("Find it.")], {
      headers: claude,
      body: { system: "You search." },
    })) as Conversation;
    expect(sub.session).toMatch(/^gateway\/claude-code\/u1\/agent-[0-9a-f]{12}$/u);
    expect(sub.subagent).toBe("agent");
  });

  it("a request without tools, with another system prompt, is no part of a conversation that has them", async () => {
    const find = gateway(createMemoryStore());
    const headers = { "x-sotto-session": "s" };
    await find([user("Hello.")], { headers });
    expect(
      await find([user("A title, please.")], { headers, body: { system: "You write titles.", tools: [] } }),
    ).toHaveProperty("side");
  });

  it("a client that begins with a title has its conversation in the session all the same", async () => {
    const find = gateway(createMemoryStore());
    const headers = { "x-sotto-session": "s" };
    const title = { headers, body: { system: "You write titles.", tools: [] } };
    expect(session(await find([user("A title, please.")], title))).toBe("gateway/s");
    expect(session(await find([user("Hello.")], { headers }))).toBe("gateway/s");
    for (const words of ["A title, please.", "Another title."])
      expect(await find([user(words)], title)).toHaveProperty("side");
    const history = [user("Hello."), assistant("Yes?"), user("Mend it.")];
    expect(session(await find(history, { headers }))).toBe("gateway/s");
  });

  it("a conversation without tools stays one, also when something else with tools has its name", async () => {
    const find = gateway(createMemoryStore());
    const headers = { "x-sotto-session": "s" };
    const plain = { headers, body: { tools: [] } };
    await find([user("Hello.")], plain);
    await find([user("Search.")], { headers, body: { system: "You search." } });
    const history = [user("Hello."), assistant("Yes?"), user("Mend it.")];
    expect(session(await find(history, plain))).toBe("gateway/s");
  });

  it("names of one client are not those of another, and long or odd ones are shortened", async () => {
    const find = gateway(createMemoryStore());
    const named = (name: string, client?: string) =>
      find([user("Hello.")], { headers: { "x-sotto-session": name }, ...(client && { client }) }).then(
        session,
      );
    expect(await named("a")).toBe("gateway/a");
    expect(await named("a", "ci")).toBe("gateway/@ci/a");
    expect(await named("ä b")).toMatch(/^gateway\/[0-9a-f]{40}$/u);
    expect(await named("x".repeat(1000))).toMatch(/^gateway\/[0-9a-f]{40}$/u);
  });
});

describe("the workspace a client names", () => {
  it.each([
    ["in a header", { headers: { "x-sotto-workspace": "/w" }, body: bodyOf([]) }, "/w"],
    [
      "as Codex does",
      { headers: {}, body: bodyOf([user("<environment_context>\n  <cwd>/home/me/a b</cwd>\n")]) },
      "/home/me/a b",
    ],
    [
      "as Claude Code does",
      {
        headers: {},
        body: bodyOf([], {
          system: [{ type: "text", text: "<env>\nWorking directory: /repo\nIs directory" }],
        }),
      },
      "/repo",
    ],
    [
      "as Claude Code does now",
      {
        headers: {},
        body: bodyOf([], { system: " - Primary working directory: /repo\n - Platform: linux" }),
      },
      "/repo",
    ],
    ["not at all", { headers: {}, body: bodyOf([user("Hello.")]) }, undefined],
  ])("%s", (_, { headers, body }, expected) => {
    expect(saidWorkspace({ headers, dialect, body })).toBe(expected);
  });
});
