// What must hold for every integration of a provider's own client: in each request, at the same place, the same bytes.

import { type Turn, withoutReminders } from "sotto";
import { expect, it } from "vitest";
import {
  converse,
  critical,
  expectPrefixes,
  letter,
  open,
  script,
  TURNS,
  timesIn,
  withServer,
} from "./integration-stage.ts";
import type { TalkKind } from "./sdk-talks/talk.ts";
import type { ReceivedRequest, Script } from "./servers/model-server.ts";

/** For clients of applications that send their whole history. */
export function integrationCases(kind: TalkKind): void {
  const { name, id, provider, dialect } = kind;

  it.each([
    ["", {}],
    [", streamed", { stream: true }],
  ])(
    `AC-1 ${id} AC-37 AC-34 ${name}: in every request, valid, each a prefix of the next%s`,
    async (_, how) => {
      await withServer(provider, script, async (server) => {
        const session = open();
        const given: unknown[] = [];
        const when = (body: unknown) => given.push(body) > 0;
        const talk = kind.open({ url: server.url, session, movesBreakpoint: true, when });
        const said = await converse(talk, session, how);
        expect(server.violations).toEqual([]);
        expect(server.requests).toHaveLength(TURNS);
        expectPrefixes(kind, server.requests);
        const last = server.requests.at(-1) as ReceivedRequest;
        for (const text of said) expect(timesIn(last.raw, text), text).toBe(1);
        expect(timesIn(last.raw, critical)).toBe(TURNS);
        expect(JSON.stringify(talk.history)).not.toContain(critical);

        // AC-34: what is left is what the application gave, by the log and without it.
        expect(given).toHaveLength(TURNS);
        expect(await session.withoutReminders(dialect, last.body, { words: false })).toEqual(given.at(-1));
        expect(withoutReminders(dialect, last.body, { words: false })).toEqual(given.at(-1));
        await session.close();
      });
    },
  );

  it(`${id} AC-37 AC-49 ${name}: a call that is tried again carries the same bytes, and what came meanwhile comes next`, async () => {
    const session = open();
    const weather: Script = (body, index) => {
      if (index % 6 === 2) return { status: 429, headers: { "retry-after-ms": "1" } };
      if (index % 6 === 4) return { status: 500, headers: { "retry-after-ms": "1" } };
      return index === 12 ? { cut: "before-headers" } : script(body, index);
    };
    const meanwhile: string[] = [];
    const late = ({ index, status }: ReceivedRequest) => {
      if (status === 200 || status === null) return;
      meanwhile.push(`Letter late${index} for you.`);
      void session.record(letter(`late${index}`));
    };
    await withServer(
      provider,
      weather,
      async (server) => {
        const talk = kind.open({ url: server.url, session });
        const said = [...(await converse(talk, session)), ...meanwhile];
        expect(server.violations).toEqual([]);
        const failed = server.requests.filter(({ status }) => status !== 200);
        expect(failed.length).toBeGreaterThan(6);
        for (const { index, raw } of failed) expect(server.requests[index + 1]?.raw).toBe(raw);
        expectPrefixes(kind, server.requests);
        const last = server.requests.at(-1)?.raw as string;
        for (const text of said) expect(timesIn(last, text), text).toBe(1);
        await session.close();
      },
      late,
    );
  });

  it.each<[string, (history: object[]) => void]>([
    ["messages are removed from the middle", (history) => void history.splice(4, 2)],
    ["a user's message is edited", (history) => void edited(history, 4)],
    ["the history is cut", (history) => void history.splice(3)],
  ])(`${id} ${name}: %s: the request is valid, nothing is lost, the trace tells`, async (_, edit) => {
    const answers = (_body: unknown, index: number) => ({ text: `Answer ${index}.` });
    await withServer(provider, answers, async (server) => {
      const turns: Turn[] = [];
      const session = open();
      const talk = kind.open({ url: server.url, session, onTurn: (turn) => void turns.push(turn) });
      const names = ["l0", "l1", "l2", "l3", "l4", "l5"];
      for (const [turn, letterName] of names.entries()) {
        talk.say(`Prompt ${turn}.`);
        await session.record(letter(letterName));
        if (turn === 2) await session.record({ type: "mode_changed", mode: "plan" });
        await talk.ask();
      }
      edit(talk.history);
      talk.say("And now?");
      await session.record(letter("l6"));
      await talk.ask();
      expect(server.violations).toEqual([]);
      const last = server.requests.at(-1)?.raw as string;
      const counts = [...names, "l6"].map((one) => timesIn(last, `Letter ${one} for you.`));
      expect(counts).toEqual([...names, "l6"].map(() => 1));
      expect(timesIn(last, "Plan mode is on.")).toBe(1);
      const told = turns.at(-1)?.trace.filter(({ type }) => type === "teammate_mailbox");
      expect(told?.map(({ outcome }) => outcome)).toEqual(["sent"]);
      await session.close();
    });
  });
}

/** The same message in other words. */
function edited(history: object[], index: number): void {
  history[index] = JSON.parse(JSON.stringify(history[index]).replace("Prompt", "Instead"));
}
