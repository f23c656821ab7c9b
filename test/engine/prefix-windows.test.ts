// Clients that forget: an old tool result is pruned, the window slides. What is left stays where it was.

import fc from "fast-check";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../support/agent-client.ts";
import { type Wire, type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { critical, openEngine } from "../support/open-engine.ts";
import { blocksOf } from "../support/prefix.ts";
import { partingOf, saidTwice } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

// Sessions in which the end of the latest history was among what the client pruned.
const known: [number][] = [[2147483619], [1571999200], [770066328]];
const TURNS = 60;
const FORGET_EVERY = 12;
const CLEARED = "[Old tool result content cleared]";

/** Forgets something old; gives the texts it dropped, or that it put another in place of. */
type Forget = (client: Client, random: Random) => void;

async function live(wire: Wire, seed: number, forget: Forget): Promise<void> {
  const random = seeded(seed);
  const session = openEngine({
    config: critical,
  });
  const client = createClient(wire, random, { dull: false });
  const world = createWorld(random);
  let before: WireBody | undefined;
  for (let turn = 1; turn <= TURNS; turn++) {
    for (let count = random.below(2); count > 0; count--) await recordAny(session, world.event());
    const forgets = turn % FORGET_EVERY === 0;
    if (forgets) forget(client, random);
    const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
    expect(wire.check(body)).toEqual([]);
    expect(saidTwice(body, world.marks)).toEqual([]);
    if (forgets && before !== undefined) expect(lostBetween(wire, before, body)).toEqual([]);
    else expect(partingOf(wire, before, body)).toBeUndefined();
    before = body;
    if (random.chance(0.5)) await commit();
    client.goOn();
  }
  await session.close();
}

/**
 * What stood in the request before and is missing or elsewhere now, reminders right behind a change excepted: their
 * anchor is gone. Blocks that the client itself dropped or changed do not count.
 */
function lostBetween(wire: Wire, before: WireBody, now: WireBody): string[] {
  const later = blocksOf(wire.name, now);
  const kept = new Set(later);
  const lost: string[] = [];
  let at = 0;
  // How many blocks of the client's own stand between here and the latest change.
  let since = Number.POSITIVE_INFINITY;
  for (const block of blocksOf(wire.name, before)) {
    const isOwn = block.includes("<system-reminder>") || block.includes("<teammate-message");
    const isImage = block.includes("image");
    if (later[at] === block) {
      at++;
      if (!isOwn && !isImage) since++;
    } else if (isOwn || isImage) {
      if (since >= 2) lost.push(block);
    } else {
      if (kept.has(block)) lost.push(block);
      since = 0;
      if (later[at]?.includes(CLEARED)) at++;
    }
  }
  return lost;
}

const resultText = (message: WireMessage): string => JSON.stringify(message);
const isResult = (message: WireMessage): boolean =>
  /"tool_result"|"role":"tool"|"function_call_output"|"functionResponse"/u.test(resultText(message));
const cleared = (message: WireMessage): WireMessage =>
  JSON.parse(resultText(message).replaceAll(/"(content|output)":"[^"]*"/gu, `"$1":"${CLEARED}"`));

/** All results but the last three. */
const pruneResults: Forget = (client) => {
  const results = client.messages.filter(isResult);
  const old = new Set(results.slice(0, -3));
  client.messages = client.messages.map((message) => (old.has(message) ? cleared(message) : message));
};

/** One of the old results. */
const pruneOne: Forget = (client, random) => {
  const results = client.messages.filter(isResult).slice(0, -3);
  if (results.length === 0) return;
  const one = random.pick(results);
  client.messages = client.messages.map((message) => (message === one ? cleared(message) : message));
};

/** The oldest third goes, up to a prompt that follows an answer; the very first prompt may stay. */
const slide: Forget = (client, random) => {
  const from = client.messages.findIndex(
    (message, index) => index >= client.messages.length / 3 && message.role === "user" && !isResult(message),
  );
  const first = random.chance(0.3) && /^(?:assistant|model)$/u.test(client.messages[from - 1]?.role ?? "");
  if (from > 0 && from < client.messages.length - 8) {
    const kept = first ? client.messages.slice(0, 1) : [];
    client.messages = [...kept, ...client.messages.slice(first ? from - 1 : from)];
  }
};

describe.each(wires)("$name", (wire) => {
  test.each([
    ["prunes one old tool result", pruneOne],
    ["prunes all but the latest tool results", pruneResults],
    ["slides its window", slide],
  ])(
    "AC-37 nothing that is still there is said again, the rest stays, when the client %s",
    async (_, forget) => {
      const property = fc.asyncProperty(seeds, (seed) => live(wire, seed, forget));
      await fc.assert(property, { ...runs(4), examples: known });
    },
  );
});
