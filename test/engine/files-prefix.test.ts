// Files, mentions and instructions in a project that lives: requests grow at their end, nothing is lost or said twice.

import fc from "fast-check";
import { isReminder } from "sotto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { handWires, listOf, type Wire, type WireBody } from "../support/agent-wire.ts";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { createLife } from "../support/project-life.ts";
import { partingOf } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

const TURNS = 30;
const PATIENT_MS = 60_000;

let worlds: FileWorld[] = [];
beforeEach(() => {
  worlds = [];
});
afterEach(() => {
  for (const world of worlds) world.remove();
});

/** What stands twice in a request: of a reminder's words and pictures no two are the same. */
function repeated(wire: Wire, body: WireBody): string[] {
  const texts = listOf(wire, body)
    .filter((message) => isReminder(wire.dialect, message))
    .map(({ content }) => JSON.stringify(content));
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}

/** Whole files of which a version stands there more than once, by whatever name. */
function shownTwice(wire: Wire, body: WireBody): string[] {
  const shown = listOf(wire, body)
    .filter((message) => isReminder(wire.dialect, message))
    .map(({ content }) => JSON.stringify(content))
    .filter((text) => text.includes("Called the Read tool") || text.includes("Contents of "));
  const marks = shown.flatMap((text) => text.match(/(?:FILE|RULE)\d+X|[A-Za-z0-9+/]{80,}=*/gu) ?? []);
  return marks.filter((mark, index) => marks.indexOf(mark) !== index);
}

describe.each(handWires)("$name", (wire) => {
  test.each([
    ["commits", 1, 0],
    ["never commits", 0, 0],
    ["does so now and then, and gives up now and then", 0.4, 0.3],
  ])("AC-37 AC-49 a client that drops injected messages and %s", async (_, commits, gives) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const world = createFileWorld();
      worlds.push(world);
      const config = { timeout_ms: PATIENT_MS, attachments: { todo_reminder: false } };
      const session = openIn(world, { config });
      const client = createClient(wire, random);
      const life = createLife({ world, random, session, client });
      let before: WireBody | undefined;
      const ask = async (userPrompt: string | undefined) => {
        const body = client.request();
        const given = JSON.stringify(body);
        const turn = await session.turn({
          dialect: wire.dialect,
          body,
          ...(userPrompt === undefined ? {} : { userPrompt }),
        });
        expect(turn.problem).toBeUndefined();
        expect(JSON.stringify(body)).toBe(given);
        expect(partingOf(wire, before, turn.body)).toBeUndefined();
        before = turn.body;
        return turn;
      };
      for (let number = 1; number <= TURNS; number++) {
        for (let steps = random.below(4); steps > 0; steps--) await life.step();
        if (random.chance(0.07)) {
          await life.compact();
          before = undefined;
        }
        const userPrompt = random.chance(0.4) ? life.mention() : undefined;
        let turn = await ask(userPrompt);
        while (random.chance(0.2)) {
          if (random.chance(0.5)) await turn.abandon();
          const again = await ask(userPrompt);
          expect(again.body).toEqual(turn.body);
          turn = again;
        }
        const said = JSON.stringify(turn.body);
        expect(life.expected().filter((mark) => !said.includes(mark))).toEqual([]);
        expect([...repeated(wire, turn.body), ...shownTwice(wire, turn.body)]).toEqual([]);
        if (number % 10 === 0) expect(wire.check(turn.body)).toEqual([]);
        if (random.chance(commits)) await turn.commit();
        else if (random.chance(gives)) await turn.abandon();
        client.goOn();
      }
      await session.close();
    });
    await fc.assert(property, runs(3));
  });
});
