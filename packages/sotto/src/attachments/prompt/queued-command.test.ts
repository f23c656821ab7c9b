import type { ReminderBlock, Turn } from "sotto";
import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { queuedCommand } from "./queued-command.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const queue = (id: string, prompt: string) => ({ type: "prompt_queued", id, prompt }) as const;

function messages(turn: Turn): string[] {
  return turn.reminders
    .filter(({ type }) => type === "queued_command")
    .map(
      ({ text }) =>
        /message(?: \(part[^\n]*\))?:\n([\s\S]*?)\n\n(?:It came|\(It goes on)/u.exec(text)?.[1] ?? text,
    );
}

describe("queued_command, as the model reads it", () => {
  it("AC-2 quotes the message, and images follow as blocks", () => {
    expect(examplesAsRead(queuedCommand)).toMatchInlineSnapshot(`
      "# a text
      <system-reminder>
      The user sent the following message:
      Use the new logger, please.

      It came while you were working: take it into account and go on.
      </system-reminder>

      # again, after a summary
      <system-reminder>
      Before this conversation was summarised, the user sent the following message:
      Use the new logger, please.

      It is not new: you may have dealt with it already.
      </system-reminder>

      # a part of a long one
      <system-reminder>
      The user sent the following message (part, characters 1 to 25 of 60):
      First of all, the tests.


      (It goes on: the next part comes in a later request.)
      </system-reminder>

      # the last part
      <system-reminder>
      The user sent the following message (part, characters 26 to 60 of 60):
      And then the documentation, please.

      It came while you were working: take it into account and go on.
      </system-reminder>

      # the beginning of one that no request could hold
      <system-reminder>
      The user sent the following message:
      This is the whole log:


      (Cut, as it has 900000 characters: all of it is in the file /home/ada/.local/state/sotto/words/s1/0f3a.txt.)

      It came while you were working: take it into account and go on.
      </system-reminder>

      # an image alone
      <system-reminder>
      The user sent the following message:
      (no text, see below)

      It came while you were working: take it into account and go on.
      </system-reminder>
      [image/png]

      # with an image
      <system-reminder>
      The user sent the following message:
      The button looks like this:

      It came while you were working: take it into account and go on.
      </system-reminder>
      [image/png]"
    `);
  });

  it("AC-2 keeps line breaks, and joins several texts", () => {
    const prompt = [
      { type: "text", text: "One,\n\n  two." },
      { type: "image", mediaType: "image/png", blob: "b1" },
      { type: "text", text: "Three." },
      { type: "image", mediaType: "image/gif", blob: "b2" },
    ];
    expect(asRead(queuedCommand, { prompt, sourceUuid: "p1" })).toMatchInlineSnapshot(`
      "<system-reminder>
      The user sent the following message:
      One,

        two.
      Three.

      It came while you were working: take it into account and go on.
      </system-reminder>
      [image/png]
      [image/gif]"
    `);
  });

  it("AC-2 hands out image data, untouched and unwrapped", async () => {
    const session = openSession();
    const image = { type: "image", mediaType: "image/png", data: pixel } as const;
    await session.record({
      type: "prompt_queued",
      id: "p1",
      prompt: [{ type: "text", text: "Like this:" }, image],
      imagePasteIds: [1],
    });
    const { reminders, messages: kept } = await session.turn();
    const blocks: ReminderBlock[] = [
      {
        type: "text",
        text: "<system-reminder>\nThe user sent the following message:\nLike this:\n\nIt came while you were working: take it into account and go on.\n</system-reminder>",
      },
      image,
    ];
    expect(reminders.map((reminder) => reminder.blocks)).toEqual([blocks]);
    expect(kept.map(({ message, isMeta }) => ({ message, isMeta }))).toEqual([
      { message: { role: "user", content: blocks }, isMeta: true },
    ]);
  });
});

describe("queued_command, when", () => {
  it("says each prompt once, in order, also two with the same words", async () => {
    const session = openSession();
    await session.record(queue("p1", "Stop."));
    await session.record(queue("p2", "Stop."));
    await session.record(queue("p1", "Stop."));
    expect(messages(await answered(session))).toEqual(["Stop.", "Stop."]);
    await session.record(queue("p3", "Stop."));
    expect(messages(await answered(session))).toEqual(["Stop."]);
    expect(outcomeOf(await answered(session), "queued_command")).toBe("nothing: no prompt is queued");
  });

  it("stays due until it was heard", async () => {
    const session = openSession();
    await session.record(queue("p1", "Stop."));
    const lost = await session.turn();
    await lost.abandon();
    const turn = await answered(session);
    expect(turn.reminders.map(({ id }) => id)).toEqual(lost.reminders.map(({ id }) => id));
    expect(says(await answered(session), "queued_command")).toBe(false);
  });

  it.each([
    ["x\ud800", "x\ud801"],
    ["x\ud800", "x\ufffd"],
    ["x", "x\n"],
  ])("AC-2 AC-38 ids %j and %j are two", async (one, other) => {
    const session = openSession();
    await session.record(queue(one, "One."));
    await session.record(queue(other, "Other."));
    expect(messages(await session.turn())).toEqual(["One.", "Other."]);
  });

  it("AC-42 what does not fit waits, and nothing overtakes it", async () => {
    const session = openSession();
    await answered(session);
    const prompts = [7500, 10_000, 6000, 50, 9500].map(
      (words, index) => `${index} ${"word ".repeat(words).trim()}`,
    );
    for (const [index, prompt] of prompts.entries()) await session.record(queue(`p${index}`, prompt));
    const turns: string[][] = [];
    for (let count = 0; count < 4; count++) {
      const turn = await answered(session);
      expect(turn.reminders.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(20_000);
      turns.push(messages(turn).map((text) => text.slice(0, 1)));
    }
    expect(turns).toEqual([["0", "1"], ["2", "3", "4"], [], []]);
    await session.close();
  });

  it("AC-42 a flood of 500 arrives whole and in order", async () => {
    const session = openSession();
    const prompts = Array.from({ length: 500 }, (_, index) => `Prompt ${index}.`);
    for (const prompt of prompts) await session.record(queue(prompt, prompt));
    const said: string[] = [];
    for (let count = 0; count < 12; count++) said.push(...messages(await answered(session)));
    expect(said).toEqual(prompts);
  });

  it("AC-42 a prompt of 25,000 characters comes whole", async () => {
    const session = openSession();
    await answered(session);
    const prompt = "A long prompt. ".repeat(1667);
    await session.record(queue("p1", prompt));
    expect(messages(await answered(session))).toEqual([prompt]);
    expect(says(await answered(session), "queued_command")).toBe(false);
  });

  it("AC-42 a prompt larger than any turn comes in parts, and nothing overtakes it", async () => {
    const session = openSession();
    await answered(session);
    const prompt = "A long prompt. ".repeat(8000);
    await session.record(queue("p1", prompt));
    await session.record(queue("p2", "A short one."));
    const first = await answered(session);
    expect(first.reminders[0]?.tokens).toBeLessThanOrEqual(20_000);
    expect(outcomeOf(first, "queued_command")).toBe(
      "sent: 1 sent; 1 put off: too much for one turn; a part of it: the rest comes in later requests",
    );
    const second = await answered(session);
    const said = [...messages(first), ...messages(second)];
    expect(said.slice(0, -1).join("")).toBe(prompt);
    expect(said.at(-1)).toBe("A short one.");
    expect(says(await answered(session), "queued_command")).toBe(false);
  });

  it("AC-25 is not for sub-agents", async () => {
    const child = openSession().subagent({ agentType: "Explore" });
    await child.record(queue("p1", "Stop."));
    expect(says(await child.turn(), "queued_command")).toBe(false);
  });
});
