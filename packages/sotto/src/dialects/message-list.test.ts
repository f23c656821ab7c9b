import { expect, test } from "vitest";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { clampPosition, insertReminders, type WireBlock } from "./message-list.ts";

const text = (value: string) => ({ type: "text", text: value }) as WireBlock;
const note: ReminderBlock[] = [{ type: "text", text: "Note." }];
const other: ReminderBlock[] = [{ type: "text", text: "Other." }];
const writing = {
  message: (reminder: readonly ReminderBlock[]) => ({
    role: "user",
    content: reminder.map((block) => block as WireBlock),
  }),
  block: (block: ReminderBlock) => block as WireBlock,
};

test("settle gives every place one name", () => {
  const messages = [
    { role: "user", content: "a" },
    { role: "user", content: [text("b"), text("c")] },
    { role: "assistant" },
  ];
  const places = [
    [-1, 3],
    [0, 0],
    [0, 1],
    [1, -2],
    [1, 1],
    [1, 2],
    [2, 1],
    [9, 9],
  ].map(([message = 0, index = 0]) => clampPosition(messages, { message, index }));
  expect(places.map(({ message, index }) => `${message}.${index}`)).toEqual([
    "0.0",
    "0.0",
    "1.0",
    "1.0",
    "1.1",
    "2.0",
    "3.0",
    "3.0",
  ]);
});

test("reminders stand in the order of their places, and in the order given at one place", () => {
  const messages = frozen([{ role: "user", content: [text("a"), text("b"), text("c")] }]);
  const result = insertReminders(
    messages,
    [
      { at: { message: 1, index: 0 }, blocks: [note] },
      { at: { message: 0, index: 2 }, blocks: [note] },
      { at: { message: 0, index: 1 }, blocks: [other, note] },
      { at: { message: 0, index: 1 }, blocks: [other] },
      { at: { message: 0, index: 3 }, blocks: [other] },
    ],
    writing,
  );
  const said = ["a", "Other.", "Note.", "Other.", "b", "Note.", "c"];
  expect(result).toEqual([
    { role: "user", content: said.map(text) },
    { role: "user", content: [text("Note.")] },
    { role: "user", content: [text("Other.")] },
  ]);
});

test("inserting copies nothing but the list of messages", () => {
  const messages = Array.from({ length: 10_000 }, () => ({ role: "user", content: [text("a")] }));
  const result = insertReminders(messages, [{ at: { message: 10_000, index: 0 }, blocks: [note] }], writing);
  expect(result).toHaveLength(10_001);
  expect(messages.every((message, index) => message === result[index])).toBe(true);
});
