import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicBody } from "../../../../test/support/anthropic-history.ts";
import { insertionsInto, ownOf, reminders } from "../../../../test/support/dialect-samples.ts";
import type { Subject } from "../../../../test/support/dialect-subject.ts";
import { geminiBody } from "../../../../test/support/gemini-history.ts";
import { conversations } from "../../../../test/support/histories.ts";
import { oddJson, oddSpace, randomFrom } from "../../../../test/support/odd-json.ts";
import { openaiChatBody } from "../../../../test/support/openai-chat-history.ts";
import { openaiResponsesBody } from "../../../../test/support/openai-responses-history.ts";
import { runs, seeds } from "../../../../test/support/runs.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Insertion } from "../dialects/dialect.ts";
import { gemini } from "../dialects/gemini.ts";
import { openaiChat } from "../dialects/openai-chat.ts";
import { openaiResponses } from "../dialects/openai-responses.ts";
import { createReadBody } from "./body-text.ts";
import { Bytes, sharedLength } from "./bytes-text.ts";
import { createRecent } from "./recent.ts";

type Body = Record<string, unknown>;

/** The same text, given as it is, in UTF-8, or in parts of that: those that it has in common with the text before are shared. */
const readers = {
  text: (recent = createRecent(1_000_000)) => createReadBody(recent),
  bytes(recent = createRecent(1_000_000)) {
    const read = createReadBody(recent);
    return (field: string, text: string) => read(field, Buffer.from(text));
  },
  parts(recent = createRecent(1_000_000)) {
    const read = createReadBody(recent);
    let before = new Bytes([]);
    return (field: string, text: string) => {
      before = inParts(Buffer.from(text), before);
      return read(field, before);
    };
  },
};

/** Cut at any characters. */
function inParts(bytes: Buffer, before: Bytes): Bytes {
  const whole = new Bytes([bytes]);
  const shared = whole.boundaryAt(sharedLength({ text: before, at: 0 }, { text: whole, at: 0 }));
  const random = randomFrom(bytes.length + 1);
  const parts = before.cut(0, shared);
  for (let from = shared; from < bytes.length; ) {
    let to = Math.min(bytes.length, from + 1 + Math.floor(random() * 40));
    while (whole.boundaryAt(to) !== to) to += 1;
    parts.push(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  return new Bytes(parts);
}
const forms = Object.entries(readers);
const subjects = [
  { dialect: anthropicMessages, write: anthropicBody },
  { dialect: openaiChat, write: openaiChatBody },
  { dialect: openaiResponses, write: openaiResponsesBody },
  { dialect: gemini, write: geminiBody },
] as unknown as Pick<Subject<Body>, "dialect" | "write">[];

interface Odd {
  text: string;
  /** Everything up to the end of the last message. */
  opening: string;
}

/** The same seed gives the same text to the same message in the same place. */
function odd(body: Body, field: string, seed: number): Odd {
  const { [field]: list, ...rest } = body;
  const random = randomFrom(seed);
  const fields = Object.entries({ ...rest, temperature: 1, "\u00e9": '"]}\\' });
  const cut = Math.floor(random() * (fields.length + 1));
  const written = (some: typeof fields) =>
    some.map(([key, value]) => oddJson({ [key]: value }, random).slice(1, -1));
  const before = written(fields.slice(0, cut));
  const behind = written(fields.slice(cut));
  const name = oddJson(field, random);
  const messages = (list as unknown[]).map((message, index) => {
    const own = randomFrom(seed + index + 1);
    return { text: oddSpace(own) + oddJson(message, own), space: oddSpace(own) };
  });
  const head = `${oddSpace(random)}{${[...before, name].join(",")}:${oddSpace(random)}[`;
  const tail = `]${["", ...behind].join(",")}}${oddSpace(random)}`;
  const opening = `${head}${messages.map(({ text, space }) => text + space).join(",")}`.trimEnd();
  return { text: opening + (messages.at(-1)?.space ?? "") + tail, opening };
}

const canonical = (text: string) => JSON.stringify(JSON.parse(text));

/** Whether `long` is `short` with something put in. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (let index = 0; index < long.length && at < short.length; index++) if (long[index] === short[at]) at++;
  return at === short.length;
}

const said = (text: string) => `{"role":"user","content":[{"type":"text","text":"${text}"}]}`;
const note = { role: "user", content: [{ type: "text", text: "Note." }] };
const NOTE = JSON.stringify(note);

describe("what stays", () => {
  const written = (text: string, change: (messages: object[]) => unknown, field = "messages") => {
    const { body, write } = createReadBody()(field, text);
    return write({ ...(body as object), [field]: change((body as Record<string, object[]>)[field] ?? []) });
  };
  const behind = (messages: object[]) => [...messages, note];

  test.each<[string, string, string]>([
    [
      "number forms, escapes, white space, fields that are there twice",
      `{"n":1.0,"e":1e3,"n":1e400, "messages" : [ ${said("\\u0041\\/")} ] ,"\\u006d":-0 } \n`,
      `{"n":1.0,"e":1e3,"n":1e400, "messages" : [ ${said("\\u0041\\/")},${NOTE} ] ,"\\u006d":-0 } \n`,
    ],
    [
      "a field whose name has escapes, and one that is called like a prototype",
      `{"__proto__":{"a":1},"mess\\u0061ges":[${said("a")}]}`,
      `{"__proto__":{"a":1},"mess\\u0061ges":[${said("a")},${NOTE}]}`,
    ],
    ["an empty list", '{"a":1.0,"messages":[ ]}', `{"a":1.0,"messages":[${NOTE}]}`],
    ["no list, such as a text", '{"a":1.0,"messages":"Hé"}', `{"a":1.0,"messages":[${NOTE}]}`],
    ["a list of other things", '{"a":1.0,"messages":[1.0]}', `{"a":1.0,"messages":[1.0,${NOTE}]}`],
    [
      "a list that is there twice: the last one counts",
      `{"a":1.0,"messages":[${said("a")}],"a":2.0,"messages":[${said("b")}]}`,
      `{"a":1.0,"messages":[${said("a")}],"a":2.0,"messages":[${said("b")},${NOTE}]}`,
    ],
    ["all is written again if there is no list", '{"a":1.0}', `{"a":1,"messages":[${NOTE}]}`],
  ])("%s", (_, text, sent) => {
    expect(written(text, (messages) => behind(Array.isArray(messages) ? messages : []))).toBe(sent);
  });

  test.each([
    ["a text", String.raw`"caf\u00e9\/"`, (value: unknown) => ({ role: "user", content: value })],
    ["an object", String.raw`{ "n":1.0 ,"text":"\u00e9"}`, (value: unknown) => value],
  ])("%s that became the first message of a list", (_, text, message) => {
    const { body, write } = createReadBody()("input", `{"a":1.0,"input": ${text} }`);
    const sent = write({ a: 1, input: [message((body as { input: unknown }).input), note] });
    expect(sent).toContain('{"a":1.0,"input": [');
    expect(sent).toContain(text);
    expect(JSON.parse(sent)).toEqual({ a: 1, input: [message(JSON.parse(text)), note] });
  });

  test("of a message that changed, the blocks and fields that did not", () => {
    const other = '{"type":"text" ,"text":"\\u0062"}';
    const text = `{"messages":[{"content":[ {"type":"text","text":"a","n":1.0} , ${other}],"n":1.0}]}`;
    const sent = written(text, ([message]) => {
      const { content } = message as { content: { n: number }[] };
      return [{ ...message, content: content.with(0, { ...content[0], text: "c" } as never) }];
    });
    expect(sent).toBe(text.replace('"a"', '"c"'));
  });

  test("fields that the host changed are sent as they are now", () => {
    const { body, write } = createReadBody()("messages", `{"model":"m","messages":[${said("a")}]}`);
    (body as Body).model = "n";
    expect(write({ ...(body as Body) })).toBe(`{"model":"n","messages":[${said("a")}]}`);
  });

  test("the text is written even if the host emptied the list that it was shown", () => {
    const { body, write } = createReadBody()("messages", `{"messages":[${said("a")}]}`);
    const list = (body as Record<string, object[]>).messages as object[];
    const [message] = list.splice(0);
    expect(write({ messages: [message, note] })).toBe(`{"messages":[${said("a")},${NOTE}]}`);
  });
});

describe.each(forms)("what is recalled of %s", (_, createReader) => {
  const talk = (name: string, length: number) =>
    `{"messages":[${Array.from({ length }, (_, at) => said(`${name} ${at}`)).join(",")}]}`;
  const messages = (read: ReturnType<typeof createReader>, text: string) =>
    (read("messages", text).body as { messages: object[] }).messages;

  test.each([
    ["that begin in words of their own", (name: string, length: number) => talk(name, length)],
    [
      "that all begin with the same messages",
      (name: string, length: number) =>
        talk(name, length).replace("[", `[${said("You are in /repo.")},${said("Go.")},`),
    ],
  ])("each of many conversations %s, in any order", (_, write) => {
    const property = fc.property(
      fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 5 })), { minLength: 50, maxLength: 200 }),
      (steps) => {
        const read = createReader();
        const before = new Map<number, { length: number; messages: object[] }>();
        for (const [name, more] of steps) {
          const { length, messages: seen } = before.get(name) ?? { length: 6, messages: [] };
          const text = write(`conversation ${name}`, length + more);
          const now = messages(read, text);
          expect(now).toEqual(JSON.parse(text).messages);
          expect(seen.every((one, at) => one === now[at])).toBe(true);
          before.set(name, { length: length + more, messages: now });
        }
      },
    );
    fc.assert(property, runs(50));
  });

  test("one body of each conversation is kept, up to a limit", () => {
    const recent = createRecent(15_000);
    const read = createReader(recent);
    const first = messages(read, talk("a", 100));
    const again = messages(read, talk("a", 101));
    expect(again[0]).toBe(first[0]);
    messages(read, talk("b", 200));
    expect(messages(read, talk("a", 102))[0]).not.toBe(first[0]);
  });

  test("behind a system prompt that changed the messages are still known", () => {
    const read = createReader();
    const first = messages(read, talk("a", 3).replace("{", '{"system":"It is 1:59.",'));
    const next = messages(read, talk("a", 4).replace("{", '{"system":"It is noon.","n":1,'));
    expect(next.slice(0, 3).every((one, at) => one === first[at])).toBe(true);
  });
});

const cases = subjects.flatMap((subject) =>
  forms.map(([form, createReader]) => [subject.dialect.name, form, subject, createReader] as const),
);

describe.each(cases)("%s as %s", (_, _form, subject, createReader) => {
  const { dialect, write } = subject;
  const { field } = dialect;
  const grown = (conversation: Parameters<typeof write>[0]) =>
    conversation.steps.map((_step, index) =>
      write({ ...conversation, prefill: undefined }, { steps: index + 1 }),
    );

  test("reads and writes what parsing and serialising give, whatever a client does to its history", () => {
    const deeds = fc.array(
      fc.tuple(fc.constantFrom("grow", "edit", "cut", "compact", "again", "other"), fc.nat()),
      {
        minLength: 1,
        maxLength: 10,
      },
    );
    const picks = fc.array(fc.nat(), { maxLength: 5 });
    const property = fc.property(
      fc.tuple(conversations(), conversations()),
      fc.record({ deeds, picks, blocks: reminders, seed: seeds, neutral: fc.boolean() }),
      (told, { deeds: done, picks: at, blocks, seed, neutral }) => {
        const read = createReader();
        const [own, others] = told.map(grown) as [Body[], Body[]];
        let body = own[0] as Body;
        for (const [deed, number] of done) {
          body = changed(body, { deed, number, own, others, field });
          const { text } = odd(body, field, seed);
          const found = read(field, text);
          expect(JSON.stringify(found.body)).toBe(canonical(text));
          const work = (given: Body): Body => {
            const insertions = insertionsInto({ dialect, body: given }, at, blocks);
            const inserted = dialect.insert(given, insertions, ownOf(dialect, given));
            return neutral ? dialect.mapResults(inserted, (one) => one.replaceAll("a", "b")) : inserted;
          };
          const [ours, theirs] = [work(found.body as Body), work(JSON.parse(text) as Body)];
          const sent = found.write(ours);
          expect(canonical(sent)).toBe(JSON.stringify(theirs));
          if (neutral) continue;
          expect(isWithin(text, sent)).toBe(true);
          expect(sent.length - text.length).toBe(JSON.stringify(theirs).length - canonical(text).length);
        }
      },
    );
    fc.assert(property, runs(250));
  });

  test("a history that grows keeps its objects, and each request begins with the one before", () => {
    const property = fc.property(conversations({ maxSteps: 12 }), reminders, seeds, (told, blocks, seed) => {
      const read = createReader();
      const insertions: Insertion[] = [];
      let before: { messages: readonly unknown[]; opening: string } = { messages: [], opening: "" };
      for (const body of grown({ ...told, breakpoints: [] })) {
        const { text, opening } = odd(body, field, seed);
        const found = read(field, text);
        const given = found.body as Body;
        const messages = dialect.messages(given);
        expect(
          messages.slice(0, before.messages.length).every((one, at) => one === before.messages[at]),
        ).toBe(true);
        insertions.push({ at: dialect.end(given), blocks });
        const legal = insertions.map((one) => ({ ...one, at: dialect.legal(given, one.at) }));
        const sent = found.write(dialect.insert(given, legal, []));
        expect(sent.startsWith(before.opening)).toBe(true);
        before = { messages, opening: sent.slice(0, sent.length - (text.length - opening.length)) };
      }
    });
    fc.assert(property, runs(125));
  });

  test("a text that somebody damaged is read as JSON.parse reads it, or refused with the same words", () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom("", "", ...'{}[]",:\\0 \ufeff'));
    const property = fc.property(
      conversations({ maxSteps: 4 }),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      seeds,
      (told, damages, seed) => {
        const read = createReader();
        const bodies = grown(told).map((body) => odd(body, field, seed).text);
        for (const text of bodies) {
          read(field, text);
          const worse = damages.reduce((one, [at, put]) => {
            const place = at % (one.length + 1);
            return (one.slice(0, place) + put + one.slice(put === "" ? place + 1 : place)).toWellFormed();
          }, text);
          expect(outcome(() => read(field, worse).body)).toStrictEqual(outcome(() => JSON.parse(worse)));
        }
      },
    );
    fc.assert(property, runs(250));
  });
});

function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    return { error: String(error) };
  }
}

interface Doing {
  deed: string;
  number: number;
  own: readonly Body[];
  others: readonly Body[];
  field: string;
}

function changed(body: Body, { deed, number, own, others, field }: Doing): Body {
  const list = body[field] as Body[];
  const at = number % list.length;
  const summary = (list[0] as Body).role === "model" ? list[0] : { ...list[0], extra: number };
  if (deed === "grow") return own[Math.min(own.length - 1, own.indexOf(body) + 1)] as Body;
  if (deed === "other") return others[number % others.length] as Body;
  if (deed === "edit") return { ...body, [field]: list.with(at, { ...list[at], extra: number }) };
  if (deed === "cut") return { ...body, [field]: list.slice(0, at + 1) };
  if (deed === "compact") return { ...body, changed: number, [field]: [summary, ...list.slice(at + 1)] };
  return body;
}
