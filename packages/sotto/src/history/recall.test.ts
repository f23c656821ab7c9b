import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecall } from "./recall.ts";

const numbering = () => {
  const recall = createRecall();
  return (messages: readonly unknown[]) => recall(messages).number().slice(0, messages.length);
};
const history = (...texts: string[]) =>
  texts.map((text) => ({ role: "user", content: [{ type: "text", text }] }));
const shared = (one: readonly number[], other: readonly number[]) => {
  const at = one.findIndex((id, index) => id !== other[index]);
  return at < 0 ? one.length : at;
};

describe("a message has the number it had before", () => {
  it("if the request was parsed anew", () => {
    const recall = numbering();
    const first = recall(history("a", "b"));
    const second = recall(history("a", "b", "c"));
    expect(second.slice(0, 2)).toEqual(first);
    expect(new Set(second).size).toBe(3);
  });

  it("if the host passes the same objects again", () => {
    const recall = numbering();
    const messages = history("a", "b");
    const first = recall(messages);
    expect(recall([...messages, ...history("c")]).slice(0, 2)).toEqual(first);
  });

  it("on each of several conversations that take turns", () => {
    const recall = numbering();
    const names = ["a", "b", "c", "d"];
    const firsts = names.map((text) => recall(history(text)));
    const seconds = names.map((text) => recall(history(text, "more")));
    expect(firsts.map((first, index) => shared(first, seconds[index] ?? []))).toEqual([1, 1, 1, 1]);
  });

  it("if the host has changed the objects it passed, and passes the earlier values", () => {
    const recall = numbering();
    const passed = history("a", "b");
    const first = recall(passed);
    (passed[0] as { role: string }).role = "assistant";
    expect(recall(history("a", "b"))).toEqual(first);
  });
});

describe("a message has a new number", () => {
  it("behind the first difference, even if it is equal again", () => {
    const recall = numbering();
    const first = recall(history("a", "b", "c"));
    expect(shared(first, recall(history("a", "x", "c")))).toBe(1);
  });

  it("if its keys are in another order: what is sent has to be what was given", () => {
    const recall = numbering();
    const first = recall([{ role: "user", content: "a" }]);
    expect(recall([{ content: "a", role: "user" }])).not.toEqual(first);
  });

  it("if the host has changed the object it passed, and passes the new values", () => {
    const recall = numbering();
    const passed = history("a", "b");
    const first = recall(passed);
    (passed[0]?.content[0] as { text: string }).text = "changed";
    expect(shared(first, recall(history("changed", "b")))).toBe(0);
  });

  it("if the same object has another list of blocks, or a longer one", () => {
    const recall = numbering();
    const [message] = history("a") as [{ role: string; content: object[] }];
    const numbers = [recall([message])];
    message.content.push({ type: "text", text: "b" });
    numbers.push(recall([message]));
    message.content = [{ type: "text", text: "c" }];
    numbers.push(recall([message]));
    expect(new Set(numbers.flat()).size).toBe(3);
  });

  it("if a block deep in the same object changed", () => {
    const recall = numbering();
    const messages = history("a", "b", "c");
    const first = recall(messages);
    (messages[1]?.content[0] as { text: string }).text = "changed";
    expect(shared(first, recall(messages))).toBe(1);
  });

  it("if an old one of a long conversation changed in place: within a few requests", () => {
    const recall = numbering();
    const messages = history(...Array.from({ length: 1000 }, (_, index) => `${index}`));
    for (const at of [3, 500, 900]) {
      const first = recall(messages);
      (messages[at]?.content[0] as { text: string }).text = `changed ${at}`;
      const requests = Array.from({ length: 8 }, () => shared(first, recall(messages)));
      expect(requests.at(-1)).toBe(at);
      expect(requests.every((count) => count === 1000 || count === at)).toBe(true);
    }
  });

  it("if it is an object of a class whose content changed", () => {
    class Message {
      content: object[] = [];
    }
    const recall = numbering();
    const message = new Message();
    const first = recall([message]);
    expect(recall([message])).toEqual(first);
    message.content.push({});
    expect(recall([message])).not.toEqual(first);
  });

  it("if it is too deep or refers to itself: it is read each time", () => {
    const deep = { content: "x" as unknown };
    for (let level = 0; level < 200; level++) deep.content = { content: deep.content };
    const circular: Record<string, unknown> = { role: "user" };
    circular.one = circular;
    circular.other = circular;
    for (const message of [deep, circular]) {
      const recall = numbering();
      const first = recall([...history("a"), message, ...history("b")]);
      expect(shared(first, recall([...history("a"), message, ...history("b")]))).toBe(1);
    }
  });
});

it("what was only compared is not remembered", () => {
  const recall = createRecall();
  expect(recall(history("a")).shared).toBe(0);
  expect(recall(history("a")).shared).toBe(0);
  recall(history("a")).number();
  expect(recall(history("a", "b")).shared).toBe(1);
});

it("numbers are equal exactly where the beginnings of two requests are", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("a", "b", "", 0, 1, null, true, "content"),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "content"), tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 5 }), (requests) => {
      const recall = numbering();
      const seen: { texts: string[]; ids: readonly number[] }[] = [];
      for (const request of requests) {
        const ids = recall(structuredClone(request));
        const texts = request.map((message) => JSON.stringify(message));
        const previous = seen.at(-1);
        if (previous !== undefined) {
          const at = previous.texts.findIndex((text, index) => text !== texts[index]);
          const equal = at < 0 ? previous.texts.length : at;
          expect(shared(previous.ids, ids)).toBe(equal);
        }
        seen.push({ texts, ids });
      }
    }),
    { numRuns: 500 },
  );
});

it("numbers are so whether a host passes its objects again, makes them anew or changes them", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("add"), text: fc.constantFrom("a", "b") }),
    fc.record({ do: fc.constantFrom("remake", "change", "drop"), at: fc.nat(11) }),
    fc.record({ do: fc.constant("remakeAll") }),
  );
  fc.assert(
    // No longer than what is compared in every request.
    fc.property(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }), (requests) => {
      const recall = numbering();
      let messages = history("a", "b", "a", "b");
      let previous: { texts: string[]; ids: readonly number[] } | undefined;
      for (const steps of requests) {
        for (const one of steps) {
          if ("text" in one) messages.push(...history(one.text).slice(0, 12 - messages.length));
          else if (!("at" in one)) messages = structuredClone(messages);
          else if (one.do === "drop") messages.splice(one.at, 1);
          else if (one.do === "remake")
            messages = messages.map((message, at) => (at === one.at ? structuredClone(message) : message));
          else for (const block of messages[one.at]?.content ?? []) block.text += "!";
        }
        if (messages.length === 0) messages = history("a");
        const ids = recall([...messages]);
        const texts = messages.map((message) => JSON.stringify(message));
        if (previous !== undefined) {
          const before = previous.texts;
          const at = before.findIndex((text, index) => text !== texts[index]);
          expect(shared(previous.ids, ids)).toBe(at < 0 ? before.length : at);
        }
        previous = { texts, ids };
      }
    }),
    { numRuns: 500 },
  );
});
