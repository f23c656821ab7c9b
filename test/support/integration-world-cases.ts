// What must hold for every integration where the world is not as it should be, or has more than one of a thing.

import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type Profile } from "sotto";
import { expect, it } from "vitest";
import { critical, expectPrefixes, letter, open, timesIn, withServer } from "./integration-stage.ts";
import type { TalkKind } from "./sdk-talks/talk.ts";

/** An agent of one's own, as plain data. */
const profile: Profile = {
  ...{ name: "mine", title: "My agent", alreadySends: {}, names: { Read: "Read", Write: "Write" } },
  tools: { Read: { does: "read", path: "file_path" }, Write: { does: "write", path: "file_path" } },
};

export function integrationWorldCases(kind: TalkKind): void {
  const { name, id, provider } = kind;

  it(`${id} ${name}: what tools did is seen in the requests: a change by others is told once, own writes are not`, async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-integration-")));
    const file = join(cwd, "a.txt");
    await writeFile(file, "one\n");
    const use = (index: number, name: string) => ({
      toolCalls: [{ id: `call_${index}`, name, input: { file_path: file, content: "three\n" } }],
    });
    const answers = [
      use(0, "Read"),
      { text: "Read it." },
      use(2, "Write"),
      { text: "Written." },
      { text: "Yes." },
    ];
    await withServer(provider, answers, async (server) => {
      const session = open({ cwd, profile, config: { critical_instruction: "" } });
      const talk = kind.open({ url: server.url, session });
      talk.say("Look at a.txt.");
      const read = await talk.ask();
      talk.answer(read.calls, [await readFile(file, "utf8")]);
      await talk.ask();
      await writeFile(file, "two\n");
      talk.say("Write it anew.");
      const write = await talk.ask();
      await writeFile(file, String(write.calls[0]?.input.content));
      talk.answer(write.calls, ["written"]);
      await talk.ask();
      talk.say("Done?");
      await talk.ask();
      expect(server.violations).toEqual([]);
      expectPrefixes(kind, server.requests);
      const told = server.requests.map(({ raw }) => timesIn(raw, "system-reminder>\\n"));
      expect({ told, last: remindersIn(server.requests.at(-1)?.raw) }).toEqual({
        told: [0, 0, 1, 1, 1],
        last: [expect.stringContaining("two")],
      });
      await session.close();
    });
    await rm(cwd, { recursive: true });
  });

  it(`${id} ${name}: where the store fails the call goes on as it was, and somebody hears of it`, async () => {
    await withServer(
      provider,
      () => ({ text: "Yes." }),
      async (server) => {
        const store = createMemoryStore();
        let broken = true;
        const append: typeof store.append = (...given) =>
          broken ? Promise.reject(new Error("the disk is gone")) : store.append(...given);
        const session = open({ store: { ...store, append } });
        const problems: string[] = [];
        const talk = kind.open({
          ...{ url: server.url, session },
          onProblem: (problem) => void problems.push(problem),
          onTurn: () => {
            throw new Error("a listener's own trouble");
          },
        });
        talk.say("Ready?");
        expect((await talk.ask()).text).toBe("Yes.");
        expect(server.requests[0]?.raw).not.toContain(critical);
        expect(problems).toEqual([expect.stringContaining("the disk is gone")]);
        broken = false;
        talk.say("And now?");
        await talk.ask();
        expect(server.requests[1]?.raw).toContain(critical);
        expect(problems).toHaveLength(1);
        expect(server.violations).toEqual([]);
        await session.close();
      },
    );
  });

  it(`${id} ${name}: two clients on one session side by side: each history goes on, none says a thing twice`, async () => {
    await withServer(
      provider,
      () => ({ text: "Yes." }),
      async (server) => {
        const session = open();
        const talks = ["left", "right"].map((side) => {
          const talk = kind.open({ url: server.url, session });
          talk.say(`The ${side} one begins.`);
          return talk;
        });
        for (let turn = 0; turn < 6; turn++) {
          await session.record(letter(`p${turn}`));
          await Promise.all(talks.map((talk) => talk.ask()));
          for (const [side, talk] of talks.entries()) talk.say(`Go on, ${side} ${turn}.`);
        }
        expect(server.violations).toEqual([]);
        const sides = ["left", "right"].map((side) =>
          server.requests.filter(({ raw }) => raw.includes(`The ${side} one`)),
        );
        for (const requests of sides) {
          expect(requests).toHaveLength(6);
          expectPrefixes(kind, requests);
          for (let turn = 0; turn < 6; turn++)
            expect(timesIn(requests.at(-1)?.raw as string, `Letter p${turn} for`)).toBeLessThanOrEqual(1);
        }
        const both = sides.map((requests) => requests.at(-1)?.raw).join();
        for (let turn = 0; turn < 6; turn++) expect(both).toContain(`Letter p${turn} for you.`);
        await session.close();
      },
    );
  });

  it(`${id} ${name}: several conversations through one client, and requests that belong to none`, async () => {
    await withServer(
      provider,
      () => ({ text: "Yes." }),
      async (server) => {
        const sessions = new Map(
          ["Anna", "Bela"].map((who) => [who, open({ config: { critical_instruction: `For ${who}.` } })]),
        );
        const whose = (body: unknown) => sessions.get(/Anna|Bela/u.exec(JSON.stringify(body))?.[0] ?? "");
        const isTitle = (body: unknown) => JSON.stringify(body).includes("Name this");
        const talkOf = (first: string) => {
          const talk = kind.open({ url: server.url, session: whose, when: (body) => !isTitle(body) });
          talk.say(first);
          return talk;
        };
        for (const first of ["I am Anna.", "I am Bela.", "Nobody.", "Name this: Anna."])
          await talkOf(first).ask();
        const said = server.requests.map(({ raw }) => /For (?:Anna|Bela)\./u.exec(raw)?.[0]);
        expect(said).toEqual(["For Anna.", "For Bela.", undefined, undefined]);
        expect(server.violations).toEqual([]);
        for (const session of sessions.values()) await session.close();
      },
    );
  });
}

function remindersIn(raw = ""): string[] {
  return raw.match(/<system-reminder>\\n.*?<\/system-reminder>/gu) ?? [];
}
