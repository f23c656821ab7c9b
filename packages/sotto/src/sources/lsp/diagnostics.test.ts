import type { SessionEvent } from "sotto";
import { expect, it } from "vitest";
import { createOutbox, type Word } from "./diagnostics.ts";
import { TIMING } from "./timing.ts";

const word = (messages: string[], rest: Partial<Word> = {}): Word => ({
  filePath: "/a.ts",
  baseline: false,
  findings: {
    diagnostics: messages.map((message) => ({ message, severity: "Error", line: 1 })),
    more: 0,
  },
  ...rest,
});

function open(isKnown = true) {
  const kept: string[] = [];
  const trouble = { now: false };
  const outbox = createOutbox({
    timing: TIMING,
    isKnown: () => isKnown,
    async record(events: readonly SessionEvent[]) {
      if (trouble.now) throw new Error("the disk is full");
      for (const event of events)
        if (event.type === "diagnostics_published")
          kept.push(
            `${event.baseline ? "was" : "is"} ${event.diagnostics.map(({ message }) => message).join()}`,
          );
    },
  });
  return { outbox, kept, trouble };
}

it("keeps the latest word about a file, and how it stood before", async () => {
  const { outbox, kept } = open();
  outbox.put(word(["old"], { baseline: true }));
  outbox.put(word(["old", "one"]));
  outbox.put(word(["old", "two"]));
  await outbox.flush();
  expect({ kept, isEmpty: outbox.isEmpty() }).toEqual({ kept: ["was old", "is old,two"], isEmpty: true });
});

it("keeps nothing twice, and not that there is nothing where nothing is known", async () => {
  const known = open();
  for (const messages of [["one"], ["one"], [], []]) {
    known.outbox.put(word(messages));
    await known.outbox.flush();
  }
  expect(known.kept).toEqual(["is one", "is "]);
  const unknown = open(false);
  for (const messages of [[], ["one"], []]) {
    unknown.outbox.put(word(messages));
    await unknown.outbox.flush();
  }
  expect(unknown.kept).toEqual(["is one", "is "]);
});

it("tries again with what could not be written", async () => {
  const { outbox, kept, trouble } = open();
  trouble.now = true;
  outbox.put(word(["old"], { baseline: true }));
  outbox.put(word(["old", "one"]));
  await outbox.flush();
  expect({ kept, isEmpty: outbox.isEmpty() }).toEqual({ kept: [], isEmpty: false });
  trouble.now = false;
  await outbox.flush();
  expect(kept).toEqual(["was old", "is old,one"]);
});
