// What a prompt mentions, as a session attaches it.

import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

describe("a mentioned file", () => {
  it("comes with the prompt, numbered, and is not shown again while it is in view", async () => {
    world.write("src/a.ts", "one\ntwo\n");
    const session = openIn(world);
    const turn = await ask(session, "explain @src/a.ts please");
    expect(textOf(turn, "file")).toBe(
      `<system-reminder>\nCalled the Read tool with the following input: {"file_path":"${world.at("src/a.ts")}"}\n\nResult of calling the Read tool:      1\tone\n     2\ttwo\n</system-reminder>`,
    );
    const again = await ask(session, "and @src/a.ts again");
    expect([again.reminders, changesIn(again, world)]).toEqual([[], { already_read_file: ["src/a.ts"] }]);
  });

  it("is not shown any more where the agent has removed it before it was", async () => {
    world.write("a.ts", "one\n");
    world.write("b.ts", "two\n");
    const session = openIn(world);
    const failed = await session.turn({ userPrompt: "@a.ts @b.ts" });
    expect(changesIn(failed, world)).toEqual({ file: ["a.ts", "b.ts"] });
    await failed.abandon();
    rmSync(world.at("a.ts"));
    await session.record({ type: "file_removed", path: "a.ts" });
    expect(changesIn(await ask(session, "Go on."), world)).toEqual({ file: ["b.ts"] });
  });

  it("counts as read: a change of it is told", async () => {
    world.write("src/a.ts", "one\n");
    const session = openIn(world);
    await ask(session, "@src/a.ts");
    world.write("src/a.ts", "two\n");
    expect(changesIn(await session.turn(), world)).toEqual({ edited_text_file: ["src/a.ts"] });
  });

  it("is shown in full when it changed since it was read", async () => {
    world.write("src/a.ts", "one\n");
    const session = openIn(world);
    await ask(session, "@src/a.ts");
    world.write("src/a.ts", "two\n");
    expect(changesIn(await ask(session, "@src/a.ts"), world)).toEqual({ file: ["src/a.ts"] });
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("in part is that part, and no notice of a change follows", async () => {
    world.write("a.ts", "one\ntwo\nthree\n");
    const session = openIn(world);
    const turn = await ask(session, "see @a.ts#L2-3");
    expect(textOf(turn, "file")).toContain(
      '"offset":2,"limit":2}\n\nResult of calling the Read tool:      2\ttwo\n     3\tthree\n',
    );
    world.write("a.ts", "other\n");
    expect((await session.turn()).reminders).toEqual([]);
  });

  it("past its end has a note in place of its content", async () => {
    world.write("a.ts", "one\n");
    expect(textOf(await ask(openIn(world), "see @a.ts#L90"), "file")).toMatch(/Read tool: .*1 line/u);
  });

  it("comes again after a failed call, once, also when the next turn has no prompt", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    await (await session.turn({ userPrompt: "@a.ts" })).abandon();
    const turn = await session.turn();
    expect(changesIn(turn, world)).toEqual({ file: ["a.ts"] });
    await turn.commit();
    expect((await session.turn()).attachments).toEqual([]);
  });

  it("is shown once where a retry has the same prompt", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world);
    const first = await session.turn({ userPrompt: "@a.ts" });
    await first.abandon();
    const second = await session.turn({ userPrompt: "@a.ts" });
    expect(second.reminders.map(({ id }) => id)).toEqual(first.reminders.map(({ id }) => id));
  });

  it("AC-48 that is denied or secret is not shown, and the trace says why", async () => {
    world.write(".env", "TOKEN=canary\n");
    world.write("private/x.txt", "canary\n");
    const session = openIn(world, { permissions: { denyRead: ["private/"] } });
    const turn = await ask(session, "look at @.env and @private/x.txt and @missing.ts");
    expect(turn.attachments).toEqual([]);
    expect(JSON.stringify(turn)).not.toContain("canary");
    expect(outcomeOf(turn, "file")).toContain("nothing: 3 mentioned, not shown: ");
  });

  it("AC-48 that is a directory lists what may be read, and says how much may not", async () => {
    for (const path of ["private/x.txt", "src/a.ts", "src/b.key", "src/c.key"]) world.write(path, "");
    const session = openIn(world, { permissions: { denyRead: ["private/**", "*.key"] } });
    const listed = async (path: string) =>
      String(textOf(await ask(session, `look at @${path}`), "directory"));
    expect(await listed("private")).toMatch(/: \(1 not shown: it may not be read here\)\n/u);
    expect(await listed("src")).toMatch(/: a\.ts\n\(2 not shown: they may not be read here\)\n/u);
  });

  it("that is an image comes as a picture", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    writeFileSync(world.at("dot.png"), png);
    const [reminder] = (await ask(openIn(world), "@dot.png")).reminders;
    expect(reminder?.blocks.at(-1)).toEqual({
      type: "image",
      mediaType: "image/png",
      data: png.toString("base64"),
    });
  });

  it("that does not fit beside others is named only", async () => {
    const long = Array.from({ length: 1500 }, (_, line) => `line ${line} of a long file`).join("\n");
    for (const name of ["a", "b", "c", "d"]) world.write(`${name}.txt`, long);
    const turn = await ask(openIn(world), "@a.txt @b.txt @c.txt @d.txt");
    const { file = [], compact_file_reference: named = [] } = changesIn(turn, world);
    expect([...file, ...named].sort()).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
    expect(named.length).toBeGreaterThan(0);
  });

  it("AC-16 is not looked at where the types are off", async () => {
    world.write("a.ts", "one\n");
    const session = openIn(world, { config: { attachments: { at_mentioned_files: false } } });
    expect((await ask(session, "@a.ts")).attachments).toEqual([]);
  });
});

describe("a mentioned directory", () => {
  it("is listed without a command", async () => {
    world.write("src/a.ts", "");
    world.write("src/deep/b.ts", "");
    const turn = await ask(openIn(world), "what is in @src ?");
    expect(textOf(turn, "directory")).toBe(
      `<system-reminder>\nCalled the Bash tool with the following input: {"command":"ls ${world.at("src")}","description":"Lists files in ${world.at("src")}"}\n\nResult of calling the Bash tool: a.ts\ndeep/\n</system-reminder>`,
    );
  });
});

describe("after compaction", () => {
  it("AC-36 the latest files come back in full, the others by name, once", async () => {
    const session = openIn(world);
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
      world.write(`${name}.ts`, `content of ${name}\n`);
      await session.record({ type: "file_read", path: `${name}.ts` });
    }
    await (await session.turn()).commit();
    await session.record({ type: "compacted" });
    const turn = await session.turn();
    expect(changesIn(turn, world)).toEqual({
      file: ["g.ts", "f.ts", "e.ts", "d.ts", "c.ts"],
      compact_file_reference: ["b.ts"],
    });
    expect(textOf(turn, "compact_file_reference")).toBe(
      `<system-reminder>\nAlso read before the conversation was summarised, and not included here. Use Read for the part you need.\n${world.at("b.ts")}\n${world.at("a.ts")}\n</system-reminder>`,
    );
    await turn.commit();
    expect((await session.turn()).attachments).toEqual([]);
  });

  it("AC-36 as many of the five latest come back as fit into the first turn's tokens, and the trace says why others do not", async () => {
    const back = async (count: number, config: Record<string, number> = {}) => {
      const session = openIn(world, { config });
      for (let index = 0; index < count; index++) {
        world.write(`${index}.ts`, `const a = ${index};\n`.repeat(600));
        await session.record({ type: "file_read", path: `${index}.ts` });
      }
      await (await session.turn()).commit();
      await session.record({ type: "compacted" });
      const turn = await session.turn();
      await turn.commit();
      return { turn, all: turn.reminders.filter(({ type }) => type === "file") };
    };
    const { turn, all } = await back(6);
    expect(all).toHaveLength(5);
    expect(all.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(20_000);
    expect(outcomeOf(turn, "file")).toBe(
      `sent: 5 sent; 1 read before compaction, not shown again: ${world.at("0.ts")}: only the 5 latest that fit come back in full`,
    );
    const less = await back(3, { max_context_tokens: 10_000 });
    expect(less.all).toHaveLength(2);
    expect(outcomeOf(less.turn, "file")).toMatch(/0\.ts: \d+ tokens, \d+ left for this turn$/u);
  });

  it("AC-36 a prompt that comes with them has its room: mentions, and what the user queued", async () => {
    const session = openIn(world);
    for (let index = 0; index < 6; index++) {
      world.write(`${index}.ts`, `const a = ${index};\n`.repeat(600));
      if (index > 0) await session.record({ type: "file_read", path: `${index}.ts` });
    }
    await (await session.turn()).commit();
    await session.record({ type: "compacted" });
    await session.record({ type: "prompt_queued", id: "q", prompt: "Word by word. ".repeat(1000) });
    const turn = await session.turn({ userPrompt: "See @0.ts" });
    const names = turn.attachments.flatMap(({ type, data }) =>
      type === "file" ? [(data as { filename: string }).filename] : [],
    );
    expect(names).toEqual(["0.ts", "5.ts", "4.ts", "3.ts"].map((name) => world.at(name)));
    expect(outcomeOf(turn, "queued_command")).toBe("sent: 1 sent");
    expect(outcomeOf(turn, "file")).toMatch(/^sent: 4 sent; 2 read before compaction/u);
  });

  it("AC-36 only what is larger than all there is room for is called too large, in the one message", async () => {
    const session = openIn(world, { config: { max_context_tokens: 10_000 } });
    const sizes = [7, 300_000, 7, 7, 9_000, 7, 7, 7, 7, 7];
    for (const [index, size] of sizes.entries()) {
      world.write(`${index}.txt`, "a b c d\n".repeat(size / 8 + 1).slice(0, size));
      await session.record({ type: "file_read", path: `${index}.txt` });
    }
    await (await session.turn()).commit();
    await session.record({ type: "compacted" });
    const turn = await session.turn();
    const named = turn.reminders.filter(({ type }) => type === "compact_file_reference");
    expect(named.map(({ text }) => text.split("\n").slice(2, -1))).toEqual([
      [
        ["4.txt", ""],
        ["3.txt", ""],
        ["2.txt", ""],
        ["1.txt", " (too large to include)"],
        ["0.txt", ""],
      ].map(([name = "", note]) => `${world.at(name)}${note}`),
    ]);
    await turn.commit();
    expect((await session.turn()).attachments).toEqual([]);
  });

  it("AC-36 the todo list comes back", async () => {
    const session = openIn(world);
    await session.record({ type: "todos_written", items: [{ content: "Test it", status: "in_progress" }] });
    await session.record({ type: "compacted" });
    expect(textOf(await session.turn(), "todo")).toContain("[1. [in_progress] Test it]");
  });
});
