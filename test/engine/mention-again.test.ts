// Mentions of what the model may have in view already, by whatever name and through whatever happened since.

import { symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { PNG } from "../support/world.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

describe("the same file", () => {
  it("by several names in one prompt is shown once", async () => {
    world.write("src/a.ts", "a\n");
    symlinkSync(world.at("src"), world.at("link"));
    symlinkSync(world.at("src/a.ts"), world.at("b.ts"));
    const turn = await ask(
      openIn(world),
      `@src/a.ts @./src/../src/a.ts @link/a.ts @b.ts @${world.at("src/a.ts")}`,
    );
    expect(changesIn(turn, world)).toEqual({
      file: ["src/a.ts"],
      already_read_file: ["link/a.ts", "b.ts"],
    });
  });

  it("is shown when the model only heard that it changed", async () => {
    world.write("a.ts", "one\n");
    writeFileSync(world.at("dot.png"), Buffer.from(PNG, "base64"));
    const session = openIn(world);
    await ask(session, "@a.ts @dot.png");
    world.write("a.ts", "two\n");
    writeFileSync(world.at("dot.png"), Buffer.concat([Buffer.from(PNG, "base64"), Buffer.from("x")]));
    await (await session.turn()).commit();
    expect(changesIn(await ask(session, "@a.ts @dot.png"), world)).toEqual({ file: ["a.ts", "dot.png"] });
    expect(changesIn(await ask(session, "@a.ts @dot.png"), world)).toEqual({
      already_read_file: ["a.ts", "dot.png"],
    });
  });

  it("is not shown by a retry that has it in view", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    await ask(session, "@a.ts");
    await (await session.turn({ userPrompt: "again @a.ts" })).abandon();
    expect(changesIn(await ask(session, "again @a.ts"), world)).toEqual({ already_read_file: ["a.ts"] });
  });

  it("in a text that is no UTF-8 is known again", async () => {
    writeFileSync(world.at("old.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9, 10]));
    const session = openIn(world);
    await session.record({ type: "file_read", path: "old.txt" });
    expect(changesIn(await ask(session, "@old.txt"), world)).toEqual({ already_read_file: ["old.txt"] });
  });

  it("that a parent has read is shown to its sub-agent", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    await session.record({ type: "file_read", path: "a.ts" });
    const child = session.subagent({ agentType: "Explore" });
    expect(changesIn(await ask(child, "explain @a.ts"), world)).toEqual({ file: ["a.ts"] });
  });

  it("that was mentioned and then read by the agent itself is not shown any more", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    await (await session.turn({ userPrompt: "@a.ts" })).abandon();
    await session.record({ type: "file_read", path: "a.ts" });
    expect((await session.turn()).reminders).toEqual([]);
  });
});

describe("after compaction", () => {
  it("what is mentioned comes in full, though it would only be named by itself", async () => {
    const session = openIn(world);
    for (const name of ["a", "b", "c", "d", "e", "f"]) {
      world.write(`${name}.ts`, `content of ${name}\n`);
      await session.record({ type: "file_read", path: `${name}.ts` });
    }
    await (await session.turn()).commit();
    await session.record({ type: "compacted" });
    const { file = [], compact_file_reference: named } = changesIn(
      await ask(session, "back to @a.ts"),
      world,
    );
    expect([file.sort(), named]).toEqual([["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts"], undefined]);
  });

  it("what was only noted as in view before is shown", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    await ask(session, "@a.ts");
    await (await session.turn({ userPrompt: "@a.ts" })).abandon();
    await session.record({ type: "compacted" });
    expect(changesIn(await ask(session, "@a.ts"), world)).toEqual({ file: ["a.ts"] });
  });
});

it("more than fifty mentions: the first fifty come, the trace tells of the others", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
  for (const name of names) world.write(name, `${name}\n`);
  const session = openIn(world);
  const turn = await ask(session, names.map((name) => `@${name}`).join(" "));
  expect(changesIn(turn, world)).toEqual({ file: names.slice(0, 50) });
});
