// Mentions of files that take longer to read than a turn may take.

import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import { createMemoryStore, type Session, type Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { setDeadline, shortenDeadline } from "../support/deadlines.ts";
import { changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { busyMentions, slowMentions } from "../support/mention-sources.ts";
import { outcomeOf } from "../support/telling.ts";

const SHORT_MS = 5000;

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  for (const name of ["slow", "fast", "other", "warm"]) world.write(`${name}.txt`, `${name}\n`);
  world.write("src/AGENTS.md", "Slowly.\n");
  world.write("src/slow.txt", "deep\n");
});
afterEach(() => world.remove());

async function ask(session: Session, userPrompt?: string): Promise<Turn> {
  const turn = await session.turn(userPrompt === undefined ? {} : { userPrompt });
  await turn.commit();
  return turn;
}

const shorten = (session: Session, leastMs = SHORT_MS) =>
  shortenDeadline(session, () => ask(session, "see @warm.txt"), leastMs);

it("the others come at once, the slow one with the turn after it was read, its rules as well", async () => {
  const { source, letGo } = slowMentions(world);
  const session = openIn(world, { sources: [source] });
  await shorten(session);
  expect(changesIn(await ask(session, "see @src/slow.txt and @fast.txt"), world)).toEqual({
    file: ["fast.txt"],
  });
  expect(changesIn(await ask(session, "and @other.txt"), world)).toEqual({ file: ["other.txt"] });
  letGo();
  await source.close?.();
  await setDeadline(session);
  const turn = await ask(session);
  expect(turn.attachments.map(({ type }) => type)).toEqual(["file", "nested_memory"]);
  expect(changesIn(turn, world)).toEqual({ file: ["src/slow.txt"] });
  expect((await ask(session)).attachments).toEqual([]);
});

it("the trace says that it is on its way", async () => {
  const { source, letGo } = slowMentions(world);
  const session = openIn(world, { sources: [source] });
  await shorten(session);
  const turn = await ask(session, "see @slow.txt");
  expect(outcomeOf(turn, "file")).toBe(
    `nothing: 1 mentioned, not shown: ${world.at("slow.txt")}: could not be read in time: it comes with a later turn`,
  );
  letGo();
  await session.close();
});

it("mentioned again meanwhile, it comes once", async () => {
  const { source, letGo } = slowMentions(world);
  const session = openIn(world, { sources: [source] });
  await shorten(session);
  await ask(session, "see @slow.txt");
  await ask(session, "I said @slow.txt !");
  letGo();
  await source.close?.();
  await setDeadline(session);
  expect(changesIn(await ask(session), world)).toEqual({ file: ["slow.txt"] });
  expect((await ask(session)).attachments).toEqual([]);
});

it("it is not lost when the session is closed and opened again", async () => {
  const { source, letGo } = slowMentions(world);
  const store = createMemoryStore();
  const first = openIn(world, { id: "one", store, sources: [source] });
  await shorten(first);
  await ask(first, "see @slow.txt");
  letGo();
  await setDeadline(first);
  await first.close();
  const second = openIn(world, { id: "one", store });
  expect(changesIn(await ask(second), world)).toEqual({ file: ["slow.txt"] });
});

describe("on a busy machine, slow is not wrong", () => {
  const kinds = {
    "plan.png": async () => widePng(),
    "plan.ipynb": async () => JSON.stringify({ nbformat: 4, cells: [{ cell_type: "code", source: "1" }] }),
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const place = async (name: keyof typeof kinds) => writeFileSync(world.at(name), await kinds[name]());
  const shown = ({ attachments }: Turn) =>
    attachments.map(({ type, data }) => [type, (data as { content?: { type: string } }).content?.type]);

  it.each(names)("%s comes with a later turn, however often it took too long before", async (name) => {
    await place(name);
    const { source, limits, letGo } = busyMentions(world, { tries: 2 });
    onTestFinished(() => letGo());
    const session = openIn(world, { sources: [source] });
    await shorten(session, 2000);
    const turn = await ask(session, `see @${name}`);
    expect(shown(turn)).toEqual([]);
    expect(outcomeOf(turn, "file")).toContain("could not be read in time: it comes with a later turn");
    expect(shown(await ask(session))).toEqual([]);
    letGo();
    await source.close?.();
    expect(shown(await ask(session))).toEqual([["file", name.endsWith("png") ? "image" : "notebook"]]);
    expect(limits).toHaveLength(3);
    expect([...limits].sort((a, b) => a - b)).toEqual(limits);
    expect(shown(await ask(session))).toEqual([]);
  });

  it.each(names)(
    "%s is not ready when the session ends: it is named in the next, and not called large",
    async (name) => {
      await place(name);
      const { source, letGo } = busyMentions(world, { closeMs: 0 });
      onTestFinished(() => letGo());
      const store = createMemoryStore();
      const first = openIn(world, { id: "one", store, sources: [source] });
      await shorten(first, 2000);
      await ask(first, `see @${name}`);
      await setDeadline(first);
      await first.close();
      const turn = await ask(openIn(world, { id: "one", store }));
      if (name.endsWith("png")) expect(turn.reminders[0]?.text).toContain("could not be made ready in time");
      else expect(shown(turn)).toEqual([["file", "text"]]);
    },
  );
});

/** Wider than a provider takes, so that it has to be scaled. */
function widePng(): Buffer {
  const [width, height] = [3000, 20];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const pixels = deflateSync(Buffer.alloc((width + 1) * height));
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
