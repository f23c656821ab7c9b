// Reminders are told from everything else, block by block, with the log and without it, and each one is meta.

import fc from "fast-check";
import { createMemoryStore, isReminder, withoutReminders } from "sotto";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { listOf, type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { critical, openEngine } from "../support/open-engine.ts";
import { blocksOf } from "../support/prefix.ts";
import { textIn } from "../support/requests.ts";
import { merged } from "../support/rewriting.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const WORDS = /<teammate-message |The user sent the following message:\n/u;
const tags = [
  "system-reminder",
  "system-notification",
  "teammate-message",
  "session-memory",
  "new-diagnostics",
  "mcp-resource",
  "background-remote-session-status",
];
const words = fc.array(fc.constantFrom("the", "<b>", "why?", "`x`", "reminder", "</p>", "1 < 2"), {
  maxLength: 4,
});
const tagged = fc
  .tuple(fc.constantFrom(...tags), words, fc.constantFrom("", ' teammate_id="ada"'))
  .map(([tag, inside, attributes]) => `<${tag}${attributes}>${inside.join(" ")}</${tag}>`);

describe.each(wires)("$name", (wire) => {
  /** A session of some turns, with what went out last and what the client had asked for. */
  async function talk(seed: number, images: boolean) {
    const random = seeded(seed);
    const store = createMemoryStore();
    const options = {
      id: "one",
      store,
      config: critical,
    };
    const session = openEngine(options);
    const client = createClient(wire, random, { clones: false });
    const world = createWorld(random);
    let asked = client.request();
    let sent = asked;
    for (let turn = 1; turn <= 8; turn++) {
      const event = world.event();
      if (images || !JSON.stringify(event).includes("image")) await recordAny(session, event);
      asked = client.request();
      const next = await session.turn({ dialect: wire.dialect, body: asked });
      sent = next.body;
      for (const reminder of next.reminders) expect(reminder).toMatchObject({ isMeta: true, role: "user" });
      expect(
        next.messages.map(({ type, isMeta, message }) => ({ type, isMeta, role: message.role })),
      ).toEqual(next.reminders.map(() => ({ type: "user", isMeta: true, role: "user" })));
      if (random.chance(0.6)) await next.commit();
      client.goOn();
    }
    return { session, options, asked, sent, random };
  }

  test("AC-34 AC-6 every reminder is known and meta, by delivery and by its tags, nothing else is", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const { session, options, asked, sent } = await talk(seed, true);
      const own = new Set<unknown>(listOf(wire, asked));
      const resumed = openEngine(options);
      for (const message of listOf(wire, sent)) {
        const expected = !own.has(message);
        expect(isReminder(wire.dialect, message)).toBe(expected);
        expect(await session.isReminder(wire.dialect, message)).toBe(expected);
        expect(await resumed.isReminder(wire.dialect, message)).toBe(expected);
      }
      // What people said is no reminder to a summariser: it stands there as it was sent.
      const spoken = (messages: readonly WireMessage[]) =>
        messages.filter((message) => own.has(message) || WORDS.test(textIn(message)));
      expect(listOf(wire, withoutReminders(wire.dialect, sent))).toEqual(spoken(listOf(wire, sent)));
      await session.record({ type: "compacted" });
      const bare = (words: boolean) => session.withoutReminders(wire.dialect, sent, { words });
      expect(listOf(wire, await bare(true))).toEqual(spoken(listOf(wire, sent)));
      expect(await bare(false)).toEqual(asked);
    });
    await fc.assert(property, runs(10));
  });

  test("AC-34 AC-35 block by block: reminders leave a merged message, the client's own blocks stay", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const { session, asked, sent, random } = await talk(seed, false);
      const together = merged(wire, sent, random);
      const left = (body: WireBody) => blocksOf(wire.name, body);
      expect(left(withoutReminders(wire.dialect, together, { words: false }))).toEqual(left(asked));
      expect(left(await session.withoutReminders(wire.dialect, together, { words: false }))).toEqual(
        left(asked),
      );
    });
    await fc.assert(property, runs(10));
  });

  test("AC-34 a block that is wholly our tags is one without the log, also several in a row", () => {
    const property = fc.property(fc.array(tagged, { minLength: 1, maxLength: 3 }), (texts) => {
      expect(isReminder(wire.dialect, wire.prompt(texts.join("\n")))).toBe(true);
      expect(isReminder(wire.dialect, wire.prompt(...texts, "  "))).toBe(true);
    });
    fc.assert(property, runs(100));
  });

  test("AC-34 a message that talks about reminders or quotes one is none", async () => {
    const session = openEngine();
    const plain = words.map((list) => list.join(" ")).filter((text) => text.trim() !== "");
    const around = fc.constantFrom("before", "behind", "both", "beside");
    const property = fc.asyncProperty(plain, tagged, around, async (text, quote, where) => {
      const message =
        where === "beside"
          ? wire.prompt(quote, text)
          : wire.prompt(`${where === "behind" ? "" : text} ${quote} ${where === "before" ? "" : text}`);
      expect(isReminder(wire.dialect, message)).toBe(false);
      expect(await session.isReminder(wire.dialect, message)).toBe(false);
      const body = wire.body([message]);
      expect(await session.withoutReminders(wire.dialect, body)).toBe(body);
    });
    await fc.assert(property, runs(100));
  });

  test("AC-34 what the model or a tool says is never one, nor what the log knows nothing of", async () => {
    const session = openEngine();
    const property = fc.asyncProperty(tagged, async (text) => {
      const messages = [...wire.reply(text, ["call_1"]), ...wire.results([{ id: "call_1", text }], true)];
      for (const message of messages) {
        expect(isReminder(wire.dialect, message)).toBe(false);
        expect(await session.isReminder(wire.dialect, message)).toBe(false);
      }
      const body = wire.body([wire.prompt("Hello."), ...messages]);
      expect(withoutReminders(wire.dialect, body)).toBe(body);
      expect(await session.isReminder(wire.dialect, wire.prompt(text))).toBe(false);
    });
    await fc.assert(property, runs(50));
  });

  test.each([null, undefined, 7, "text", {}, { role: "user" }, { role: "user", content: [] }])(
    "AC-34 %j is no message of ours, and no reason to throw",
    (message) => {
      expect(isReminder(wire.dialect, message)).toBe(false);
    },
  );
});
