// Changed files where delivery is not straight: calls that fail, conversations that go back, links that turn, tasks.

import { rmSync, writeFileSync } from "node:fs";
import { type AnthropicBody, anthropicMessages, createMemoryStore, type Session, type Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changesIn, changeWorld, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

async function read(path = "a.ts", content = "0\n"): Promise<Session> {
  world.write(path, content);
  const session = openIn(world);
  await session.record({ type: "file_read", path });
  return session;
}

/** A request that has these texts, of the user and the model by turns. */
const saying = (...texts: string[]): { dialect: typeof anthropicMessages; body: AnthropicBody } => ({
  dialect: anthropicMessages,
  body: {
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  },
});

/** What changed, as `old > new` for files of one line. */
function changes({ reminders }: Turn): string[] {
  return reminders.map(({ text }) => {
    const [, before, after] = /1 - (.*)\n +1 \+ (.*)\n/u.exec(text) ?? [];
    return `${before} > ${after}`;
  });
}

const ask = async (session: Session, ...texts: string[]) => session.turn(saying(...texts));

describe("a notice on its way", () => {
  it("AC-49 stands where it stood when the same request comes again, and what came since builds on it", async () => {
    const session = await read();
    world.write("a.ts", "1\n");
    await (await ask(session, "Go.")).abandon();
    world.write("a.ts", "2\n");
    expect(changes(await ask(session, "Go."))).toEqual(["0 > 1", "1 > 2"]);
  });

  it("AC-49 is not told again when what built on it is undone", async () => {
    const store = createMemoryStore();
    world.write("a.ts", "0\n");
    const session = openIn(world, { id: "s", store });
    await session.record({ type: "file_read", path: "a.ts" });
    world.write("a.ts", "1\n");
    await ask(session, "Go.");
    world.write("a.ts", "2\n");
    await (await ask(session, "Go.", "Yes.", "On.")).abandon();
    world.write("a.ts", "1\n");
    expect(changes(await ask(session, "Go.", "Yes.", "Or not."))).toEqual([]);
    await session.close();
    const next = await ask(openIn(world, { id: "s", store }), "Go.", "Yes.", "Or not.", "Fine.", "On.");
    expect(changes(next)).toEqual([]);
  });
});

describe("a conversation that goes back", () => {
  it("AC-40 hears nothing of a file that went to and fro meanwhile", async () => {
    const session = await read();
    await (await session.turn()).commit();
    for (const content of ["1\n", "0\n"]) {
      world.write("a.ts", content);
      const turn = await session.turn();
      expect(turn.reminders).toHaveLength(1);
      await turn.commit();
    }
    await session.record({ type: "rewound", toTurn: 1 });
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("AC-40 and says so by its history alone, hears what the other branch heard, step by step", async () => {
    const session = await read();
    await (await ask(session, "Go.")).commit();
    world.write("a.ts", "1\n");
    await (await ask(session, "Go.", "Yes.", "A.")).commit();
    world.write("a.ts", "2\n");
    await (await ask(session, "Go.", "Yes.", "A.", "Yes.", "B.")).commit();
    expect(changes(await ask(session, "Go.", "Yes.", "C."))).toEqual(["0 > 1", "1 > 2"]);
    world.write("a.ts", "0\n");
    expect(changes(await ask(session, "Go.", "Yes.", "A.", "Yes.", "B.", "Yes.", "D."))).toEqual(["2 > 0"]);
    expect(changes(await ask(session, "Go.", "Yes.", "E."))).toEqual([]);
  });
});

describe("a link", () => {
  it("AC-12 that leads elsewhere and was read again is told of once", async () => {
    world.write("one.ts", "1\n");
    world.write("two.ts", "2\n");
    changeWorld(world, { op: "symlink", path: "link.ts", target: world.at("one.ts") });
    const session = openIn(world);
    await session.record({ type: "file_read", path: "link.ts" });
    changeWorld(world, { op: "symlink", path: "link.ts", target: world.at("two.ts") });
    const turn = await session.turn();
    expect(changes(turn)).toEqual(["1 > 2"]);
    await turn.commit();
    await session.record({ type: "file_read", path: "link.ts" });
    world.write("two.ts", "3\n");
    world.write("one.ts", "4\n");
    expect(changes(await session.turn())).toEqual(["2 > 3"]);
  });

  it("that has replaced a file and leads out of the project is not followed, and the trace says so", async () => {
    const outside = createFileWorld();
    outside.write("a.ts", "theirs\n");
    for (const name of ["a.ts", "b.ts"]) world.write(name, "1\n");
    const session = openIn(world);
    for (const path of ["a.ts", "b.ts"]) await session.record({ type: "file_read", path });
    changeWorld(world, { op: "symlink", path: "a.ts", target: outside.at("a.ts") });
    for (let count = 0; count < 2; count++) {
      const turn = await session.turn();
      expect(turn.reminders).toEqual([]);
      const why = `1 cannot be checked now: ${world.at("a.ts")}: it leads outside ${world.at("")}`;
      expect(outcomeOf(turn, "edited_text_file")).toContain(why.replace(/\/$/u, ""));
      expect(outcomeOf(turn, "edited_text_file")).toMatch(
        /; the content of none of the others \(1\) has changed$/u,
      );
      expect(outcomeOf(turn, "deleted_file")).toMatch(/^nothing: 1 cannot.*; none of the others is gone$/u);
      await turn.commit();
    }
    changeWorld(world, { op: "delete", path: "a.ts" });
    world.write("a.ts", "2\n");
    expect(changes(await session.turn())).toEqual(["1 > 2"]);
    outside.remove();
  });

  it("AC-12 in the path of a file that was gone when it was told of makes no second file of it", async () => {
    world.write("real/other.ts", "");
    changeWorld(world, { op: "symlink", path: "link", target: world.at("real") });
    const session = openIn(world);
    await session.record({ type: "file_read", path: "link/a.ts", content: "0\n" });
    const turn = await session.turn();
    expect(changesIn(turn, world)).toEqual({ deleted_file: ["link/a.ts"] });
    await turn.commit();
    world.write("real/a.ts", "1\n");
    await session.record({ type: "file_read", path: "link/a.ts" });
    world.write("real/a.ts", "2\n");
    expect(changes(await session.turn())).toEqual(["1 > 2"]);
  });
});

describe("who did it", () => {
  it("AC-12 is not said once somebody else was there as well", async () => {
    const session = await read();
    world.write("a.ts", "1\n");
    await session.record({ type: "file_written", path: "a.ts", cause: "task b1" });
    world.write("a.ts", "2\n");
    const turn = await session.turn();
    expect(textOf(turn, "edited_text_file")).toContain("was modified outside this conversation.");
    await turn.commit();
    world.write("a.ts", "1\n");
    expect(textOf(await session.turn(), "edited_text_file")).toContain("outside this conversation.");
  });

  it("AC-12 is said of what a task removed", async () => {
    const session = await read();
    rmSync(world.at("a.ts"));
    await session.record({ type: "file_removed", path: "a.ts", cause: "task b1" });
    expect(textOf(await session.turn(), "deleted_file")).toContain("deleted, moved or renamed by task b1.");
  });

  it("AC-14 is known where the agent removed a whole directory", async () => {
    const session = await read("old/deep/a.ts");
    await (await session.turn()).commit();
    rmSync(world.at("old"), { recursive: true });
    await session.record({ type: "file_removed", path: "old" });
    expect((await session.turn()).reminders).toEqual([]);
  });
});

describe("a file that is the same", () => {
  it("AC-12 is not told of where the host reads its encoding better", async () => {
    writeFileSync(world.at("a.txt"), Buffer.from("caf\xe9, and more of the kind\n", "latin1"));
    const session = openIn(world);
    const content = "café, and more of the kind\n";
    await session.record({ type: "file_read", path: "a.txt", content });
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("AC-12 is not told of where it is a large image that would be sent", async () => {
    writeFileSync(world.at("a.png"), Buffer.concat([PNG, Buffer.alloc(3_000_000, 7)]));
    const session = openIn(world, { config: { attachments: { edited_image_file: { send: true } } } });
    await session.record({ type: "file_read", path: "a.png" });
    expect((await session.turn()).attachments).toEqual([]);
    writeFileSync(world.at("a.png"), Buffer.concat([PNG, Buffer.alloc(3_000_000, 8)]));
    expect((await session.turn()).reminders[0]?.blocks.map(({ type }) => type)).toEqual(["text", "image"]);
  });
});

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
