import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import {
  anchorAt,
  assistantsBehind,
  bodyPosition,
  chainPosition,
  type History,
  positionOf,
  printsOf,
  readHistory,
} from "./history.ts";
import { createRecall } from "./recall.ts";
import { cutOut, isWhollyReminder, type ReminderTexts } from "./said-texts.ts";
import { shaSums } from "./sha-sums.ts";
import { wordSums } from "./sums.ts";

const TODO = "<system-reminder>\nOne todo is open.\n</system-reminder>";
const reminders: ReminderTexts = {
  texts: new Map([[TODO, { deliveries: ["todo@main"], images: 0 }]]),
  tags: ["system-reminder"],
};

const user = (content: AnthropicMessage["content"]): AnthropicMessage => ({ role: "user", content });
const assistant = (content: AnthropicMessage["content"]): AnthropicMessage => ({
  role: "assistant",
  content,
});
const text = (words: string) => ({ type: "text", text: words });

const recall = createRecall();
function read(messages: readonly AnthropicMessage[], previous?: History, sums = wordSums): History {
  const body = { messages };
  return readHistory({
    dialect: anthropicMessages,
    body,
    ids: recall(messages).number(),
    sums,
    reminders,
    previous,
  });
}

/** Over the first 0, 1, 2, … blocks. */
function hashesOf(history: History): string[] {
  return Array.from({ length: history.chain.length + 1 }, (_, count) => anchorAt(history, count).hash);
}

describe("a history", () => {
  it("is a chain of blocks, each anchor a hash over all blocks before it", () => {
    const history = read([user("Hi"), assistant("Hello"), user("Bye")]);
    expect(history.chain.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(new Set(hashesOf(history)).size).toBe(4);
    expect(hashesOf(history).slice(0, 3)).toEqual(hashesOf(read([user("Hi"), assistant("Hello")])));
    expect(hashesOf(history)[3]).not.toBe(hashesOf(read([user("Ha"), assistant("Hello"), user("Bye")]))[3]);
    expect(history.end).toBe(3);
  });

  it("has the prints and anchors of the sessions that are stored", () => {
    const call = { type: "tool_use", id: "call_1", name: "Read", input: { file_path: "/repo/a.ts" } };
    const result = {
      type: "tool_result",
      tool_use_id: "call_1",
      content: "export const ä = 1;\n".repeat(300),
    };
    const messages = [
      user(" Mend the parser. "),
      assistant([text("Reading."), call]),
      user([result, { type: "image", source: { type: "url", url: "x" } } as never]),
    ];
    const history = read(messages);
    expect(printsOf(history)).toEqual([
      "ut.zklspB5mEXB#sEqeN=56pw9",
      "at.yHN4hUMbR-A#_28Ze=_28Ze",
      "ac.lNnrEstgXjC#imKwQ=e6852",
      "ur.tEDAXa_qPqA#imKwQ=FN5ng",
      "ui.bxZ_4uJ9dlB",
    ]);
    expect(hashesOf(history)).toEqual([
      "",
      "WiUPDAm-lrAD",
      "d5SF5BsBKSgA",
      "3b2WAAhgaMtD",
      "0NDIkDEJe0vD",
      "ZPEUYAszjVjA",
    ]);
    const earlier = read(messages, undefined, shaSums(nodePlatform.hash));
    expect(printsOf(earlier)).toEqual([
      "ut0QiZDvDTDpU7#1woazeuqkyga2=r005jy1xg0awm",
      "atiRnOHu0StFFq#8dwtnvcufgg5=8dwtnvcufgg5",
      "acmYVmmaP8PhRV#2o9z5h1mg1oiu=lwv6ct1v3jjdl",
      "ur3Xy7XF9jnD7p#2o9z5h1mg1oiu=13838951rp58ky",
      "uiD457JVxa7Gm7",
    ]);
    expect(hashesOf(earlier)).toEqual([
      "",
      "yu0CjvhuySgxnAbRMQ2I7Uw_nU6xK3iu",
      "cU-Nwo1aVweB_BZql0fWNHdDs7IrRXoL",
      "iOh1POenkBrAKz3wlR6M4lnFbDGZOlx4",
      "oGZc8mOjJCMH9NPh1J2-aQICzkulIDdy",
      "kdRaljC1_iUjZPIjnl-H2dKqFGjTwrYv",
    ]);
  });

  it("is the same if it is read in parts", () => {
    const said = fc.string({ maxLength: 3000 });
    const message = fc.oneof(
      said.map(user),
      said.map(assistant),
      fc.array(fc.oneof(said, fc.constant(TODO)).map(text), { maxLength: 3 }).map(user),
    );
    const property = fc.property(fc.array(message, { maxLength: 12 }), fc.nat(8000), (messages, most) => {
      const ids = messages.map((_, index) => index);
      const options = { dialect: anthropicMessages, body: { messages }, ids, sums: wordSums, reminders };
      let history = readHistory({ ...options, most: most + 1 });
      for (let parts = 1; history.ids.length < messages.length; parts++) {
        expect(parts).toBeLessThan(messages.length);
        history = readHistory({ ...options, most: most + 1, previous: history });
      }
      const whole = readHistory(options);
      expect(history).toEqual(whole);
      expect(hashesOf(history)).toEqual(hashesOf(whole));
    });
    fc.assert(property, runs(200));
  });

  it("is the same for a string and a lone text block", () => {
    expect(hashesOf(read([user([text("Hi")])]))).toEqual(hashesOf(read([user("Hi")])));
  });

  it("does not contain our own reminders", () => {
    const history = read([user("Hi"), user(TODO), assistant("Hello")]);
    expect(hashesOf(history)).toEqual(hashesOf(read([user("Hi"), assistant("Hello")])));
    expect(history.own).toMatchObject([{ at: 1, said: [TODO], whole: true, position: { message: 1 } }]);
    expect([...history.hollow]).toEqual([1]);
  });

  it("keeps the rest of a block that a client has joined with a reminder", () => {
    const history = read([user(`Hi\n${TODO}`)]);
    expect(hashesOf(history)).toEqual(hashesOf(read([user("Hi")])));
    expect(history.own).toMatchObject([{ said: [TODO], whole: false }]);
  });

  it("skips thinking, which clients drop", () => {
    const thinking = { type: "thinking", thinking: "Hmm", signature: "x" };
    const replied = read([user("Hi"), assistant([thinking, text("Hello")])]);
    expect(hashesOf(replied)).toEqual(hashesOf(read([user("Hi"), assistant("Hello")])));
  });

  it("counts assistant messages, not their blocks", () => {
    const history = read([
      user("Hi"),
      assistant([text("One"), text("Two")]),
      user("Go on"),
      assistant("Three"),
      user("Bye"),
    ]);
    expect(history.assistants).toEqual([0, 0, 1, 1, 1, 2, 2]);
    expect([0, 1, 2, 6].map((at) => assistantsBehind(history, at))).toEqual([2, 2, 1, 0]);
  });

  it("ends before a trailing assistant prefill", () => {
    const history = read([user("Hi"), assistant("{")]);
    expect(history.chain).toHaveLength(2);
    expect(history.end).toBe(1);
    expect(assistantsBehind(history, 0)).toBe(0);
  });

  it("is extended, not read again, when the next request has the same messages", () => {
    const messages = [user("Hi"), assistant("Hello")];
    const first = read(messages);
    const next = read([...messages, user("Bye")], first);
    expect(next).toBe(first);
    expect(next.chain).toHaveLength(3);
  });

  it("is cut back to what both share when the next request goes back", () => {
    const messages = [user("Hi"), assistant("Hello"), user("Bye")];
    const first = read(messages);
    const next = read([...messages.slice(0, 2), user("Wait")], first);
    expect(next).not.toBe(first);
    expect(hashesOf(next).slice(0, 3)).toEqual(hashesOf(first).slice(0, 3));
    expect(hashesOf(next)[3]).not.toBe(hashesOf(first)[3]);
  });
});

describe("an anchor", () => {
  const history = read([user([text("One"), text("Two")]), user(TODO), assistant("Three")]);

  it("is the place after so many blocks, known by the hash over them", () => {
    expect(anchorAt(history, 2)).toEqual({ hash: hashesOf(history)[2], blocks: 2 });
    expect(positionOf(history, anchorAt(history, 2))).toBe(2);
  });

  it("is not found where other blocks stand before it, or not so many", () => {
    const { hash: second } = anchorAt(history, 2);
    expect(positionOf(history, { hash: second, blocks: 7 })).toBeUndefined();
    expect(positionOf(history, { hash: "of another history", blocks: 2 })).toBeUndefined();
  });

  it("is the same however long the blocks are, and however the history was read", () => {
    const texts = fc.array(fc.string({ maxLength: 3000, size: "max" }), { minLength: 1, maxLength: 12 });
    const forms = fc.constantFrom(wordSums, shaSums(nodePlatform.hash));
    fc.assert(
      fc.property(texts, fc.nat(12), fc.nat(12), forms, (words, first, shared, sums) => {
        const messages = words.map((one, index) =>
          index % 2 === 0 ? user(`u${one}`) : assistant(`a${one}`),
        );
        const whole = hashesOf(read(messages, undefined, sums));
        const other = [...messages.slice(0, shared), user("another")];
        const part = read(messages.slice(0, first), undefined, sums);
        expect(hashesOf(read(messages, part, sums))).toEqual(whole);
        const back = read(other, read(messages, undefined, sums), sums);
        expect(hashesOf(read(messages, back, sums))).toEqual(whole);
        expect(new Set(whole).size).toBe(whole.length);
      }),
      runs(100),
    );
  });

  it("inside a message is a position between two of its blocks", () => {
    expect(bodyPosition(history, 1)).toEqual({ message: 0, index: 1 });
  });

  it("at the end of a message is behind the reminders that follow it", () => {
    expect(bodyPosition(history, 2)).toEqual({ message: 2, index: 0 });
  });

  it("is found again from a position in the body", () => {
    expect([0, 1, 2, 3].map((count) => chainPosition(history, bodyPosition(history, count)))).toEqual([
      0, 1, 2, 3,
    ]);
  });
});

describe("a reminder in a text", () => {
  it.each([
    ["in front", `${TODO}\nHi`, "\nHi"],
    ["behind", `Hi\n${TODO}`, "Hi"],
    ["on lines of its own", `Hi\n${TODO}\nBye`, "Hi\nBye"],
  ])("%s is cut out", (_where, given, rest) => {
    expect(cutOut(given, reminders)).toEqual({ rest, said: [TODO] });
  });

  it("in the middle of a line is a quote, and stays", () => {
    const quote = `He wrote ${TODO} to me`;
    expect(cutOut(quote, reminders)).toEqual({ rest: quote, said: [] });
  });

  it("is cut out as often as it stands there, as if each were alone", () => {
    const long = `<system-reminder>\n${"Long. ".repeat(20)}\n</system-reminder>`;
    const said = new Map([TODO, long].map((one) => [one, { deliveries: [one], images: 0 }]));
    const parts = fc.constantFrom(TODO, long, TODO, "\n", "\n\n", " ", "x", "<system-reminder>");
    fc.assert(
      fc.property(fc.array(parts, { minLength: 2, maxLength: 9 }), (given) => {
        const text = given.join("");
        fc.pre(!said.has(text));
        expect(cutOut(text, { ...reminders, texts: said })).toEqual(cutOneByOne(text, [TODO, long]));
      }),
      runs(3000),
    );
  });

  it("is recognised by its tags alone if no log is at hand", () => {
    expect(isWhollyReminder(` ${TODO}\n${TODO} `, ["system-reminder"])).toBe(true);
    expect(isWhollyReminder(`${TODO} and more`, ["system-reminder"])).toBe(false);
    expect(isWhollyReminder("", ["system-reminder"])).toBe(false);
  });
});

/** Looks at the whole text again after each one. */
function cutOneByOne(text: string, all: readonly string[]): { rest: string; said: string[] } {
  let rest = text;
  const said: string[] = [];
  const placeIn = (one: string) => {
    const places = [...rest.matchAll(new RegExp(one, "gu"))].map(({ index }) => index);
    return places.find((at) => {
      const [before, behind] = [rest.slice(0, at), rest.slice(at + one.length)];
      const isAlone = before.endsWith("\n") && behind.startsWith("\n");
      return isAlone || before.trim() === "" || behind.trim() === "";
    });
  };
  for (const one of all)
    for (let at = placeIn(one); at !== undefined; at = placeIn(one)) {
      rest = `${rest.slice(0, at).trimEnd()}${rest.slice(at + one.length)}`;
      said.push(one);
    }
  return { rest, said };
}
