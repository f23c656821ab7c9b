// What was read is known by what was shown: a tool cuts a long file by itself.

import fc from "fast-check";
import { createSession, profiles } from "sotto";
import { toolEvents } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

const SHOWN = 20;
const TOTAL = 60;

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

const linesOf = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const write = (lines: readonly string[]) => world.write("src/long.txt", `${lines.join("\n")}\n`);

async function readCut() {
  write(linesOf(TOTAL));
  const session = openIn(world);
  await session.record({ type: "file_read", path: world.at("src/long.txt"), shownLines: SHOWN });
  await ask(session, "Go on.");
  return session;
}

const snippetOf = (turn: Awaited<ReturnType<typeof ask>>) =>
  turn.attachments.flatMap(({ type, data }) =>
    type === "edited_text_file" ? [(data as { snippet: string }).snippet] : [],
  );

describe("a read that the tool cut", () => {
  test("a change of what was shown is told, one behind it is not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: TOTAL }), async (changed) => {
        const session = await readCut();
        write(linesOf(TOTAL).map((line, index) => (index + 1 === changed ? "other" : line)));
        const turn = await ask(session, "And now?");
        expect(changesIn(turn, world)).toEqual(
          changed <= SHOWN ? { edited_text_file: ["src/long.txt"] } : {},
        );
        await session.close();
      }),
      { numRuns: 12, examples: [[1], [SHOWN], [SHOWN + 1], [TOTAL]] },
    );
  });

  test("of two changes at once only the one that was shown is told", async () => {
    const session = await readCut();
    write(linesOf(TOTAL).map((line, index) => ([4, 54].includes(index) ? `${line} now` : line)));
    const [snippet] = snippetOf(await ask(session, "And now?"));
    expect(snippet).toContain("line 5 now");
    expect(snippet).not.toContain("line 55");
    await session.close();
  });

  test("what moves down with a change is still known", async () => {
    const session = await readCut();
    const longer = ["new 1", "new 2", ...linesOf(TOTAL)];
    write(longer);
    await ask(session, "And now?");
    // Line 20 of before stands at 22 now.
    write(longer.map((line) => (line === "line 20" ? "line 20 now" : line)));
    expect(snippetOf(await ask(session, "Again?"))).toHaveLength(1);
    write(longer.map((line) => (/^line (?:20|23)$/u.test(line) ? `${line} now` : line)));
    expect(snippetOf(await ask(session, "Once more?"))).toEqual([]);
    await session.close();
  });

  test("back as it was before that was told, nothing is", async () => {
    const session = await readCut();
    write(["other", ...linesOf(TOTAL).slice(1)]);
    await (await session.turn({ userPrompt: "And now?" })).abandon();
    write([...linesOf(TOTAL).slice(0, -1), "another end"]);
    expect(changesIn(await ask(session, "Again?"), world)).toEqual({});
    await session.close();
  });

  test("is a full read where the tool showed the whole file", async () => {
    write(linesOf(SHOWN));
    const session = openIn(world);
    await session.record({ type: "file_read", path: world.at("src/long.txt"), shownLines: SHOWN });
    expect((await session.state()).hasSeen(world.at("src/long.txt"))).toBe(true);
    await session.close();
  });

  test("is not all of the file, leaves an earlier full read in force, and a mention shows the file", async () => {
    const session = await readCut();
    expect((await session.state()).hasSeen(world.at("src/long.txt"))).toBe(false);
    const turn = await ask(session, "See @src/long.txt");
    expect(turn.attachments.map(({ type }) => type)).toContain("file");
    await session.record({ type: "file_read", path: world.at("src/long.txt"), shownLines: SHOWN });
    expect((await session.state()).hasSeen(world.at("src/long.txt"))).toBe(true);
    write([...linesOf(TOTAL).slice(0, -1), "another end"]);
    expect(changesIn(await ask(session, "And now?"), world)).toEqual({ edited_text_file: ["src/long.txt"] });
    await session.close();
  });

  test("sub-agents know it the same way", async () => {
    const session = await readCut();
    const child = session.subagent({ agentType: "Explore" });
    await ask(child, "Look around.");
    write([...linesOf(TOTAL).slice(0, -1), "another end"]);
    expect(changesIn(await ask(child, "And now?"), world)).toEqual({});
    write(["other", ...linesOf(TOTAL).slice(1)]);
    expect(changesIn(await ask(child, "Again?"), world)).toEqual({ edited_text_file: ["src/long.txt"] });
    await session.close();
  });
});

describe("a mention that was cut", () => {
  const mentioned = async (text: string, config: Record<string, number> = {}) => {
    world.write("src/long.txt", text);
    const session = openIn(world, { config });
    await ask(session, "See @src/long.txt");
    return session;
  };
  const told = { edited_text_file: ["src/long.txt"] };

  test.each([
    ["to so many lines", `${linesOf(5000).join("\n")}\n`, { max_prompt_tokens: 100_000 }, 3000],
    ["to so many characters", `${linesOf(5000).join("\n")}\n`, { max_file_characters: 400 }, 40],
    ["to the room in a prompt", `${linesOf(5000).join("\n")}\n`, { max_prompt_tokens: 1000 }, 20],
    ["within a line", `${"x".repeat(500)}\n${linesOf(60).join("\n")}\n`, { max_file_characters: 400 }, 1],
  ])("%s: a change of what was shown is told, one behind it is not", async (_how, text, config, shown) => {
    const session = await mentioned(text, config);
    world.write("src/long.txt", `${text}another end\n`);
    expect(changesIn(await ask(session, "And now?"), world)).toEqual({});
    const lines = text.split("\n");
    world.write("src/long.txt", lines.with(shown - 1, "other").join("\n"));
    const turn = await ask(session, "Again?");
    expect(changesIn(turn, world)).toEqual(told);
    expect(snippetOf(turn)[0]).toContain("+ other");
    expect(changesIn(await ask(session, "Once more?"), world)).toEqual({});
    await session.close();
  });

  test("is not all of the file, leaves an earlier full read in force, and lines behind it can be mentioned", async () => {
    const session = await mentioned(`${linesOf(5000).join("\n")}\n`);
    expect((await session.state()).hasSeen(world.at("src/long.txt"))).toBe(false);
    expect(changesIn(await ask(session, "See @src/long.txt#L4000"), world)).toEqual({
      file: ["src/long.txt"],
    });
    await session.record({ type: "file_read", path: world.at("src/long.txt") });
    await ask(session, "See @src/long.txt");
    world.write("src/long.txt", `${linesOf(4999).join("\n")}\nanother end\n`);
    expect(changesIn(await ask(session, "And now?"), world)).toEqual(told);
    await session.close();
  });

  test("a read that shows less of it leaves in force what it has shown", async () => {
    const session = await mentioned(`${linesOf(5000).join("\n")}\n`);
    await session.record({ type: "file_read", path: world.at("src/long.txt"), shownLines: SHOWN });
    world.write("src/long.txt", `${linesOf(5000).with(SHOWN, "other").join("\n")}\n`);
    expect(changesIn(await ask(session, "And now?"), world)).toEqual(told);
    await session.close();
  });

  test("of what was only told as changed, the rest can be mentioned", async () => {
    write(linesOf(5000));
    const session = openIn(world);
    await session.record({ type: "file_read", path: world.at("src/long.txt") });
    await ask(session, "Go on.");
    write(["other", ...linesOf(5000)]);
    await ask(session, "And now?");
    await ask(session, "See @src/long.txt");
    const turn = await ask(session, "See @src/long.txt#L4000");
    expect(changesIn(turn, world)).toEqual({ file: ["src/long.txt"] });
    await session.close();
  });
});

describe("through profiles", () => {
  const reading = {
    "claude-code": ["Read", "file_path"],
    codex: ["read_file", "file_path"],
    "gemini-cli": ["read_file", "file_path"],
    "qwen-code": ["read_file", "file_path"],
    opencode: ["read", "filePath"],
    pi: ["read", "path"],
  } as const;

  test.each(Object.entries(reading))("%s: a read without a range shows 2000 lines", (name, [tool, field]) => {
    const profile = profiles[name as keyof typeof reading];
    const use = { name: tool, input: { [field]: "/a" }, callId: "1", success: true };
    expect(toolEvents(profile, use)[0]).toEqual({ type: "file_read", path: "/a", shownLines: 2000 });
  });
});

describe("instructions come with every kind of read", () => {
  const reads = {
    whole: {},
    "a part": { offset: 3, limit: 2 },
    "the first lines": { limit: 1 },
    "what the tool showed": { shownLines: 2 },
  };
  test.each(Object.entries(reads))("%s", async (_name, range) => {
    world.write("src/AGENTS.md", "Use tabs in here.");
    write(linesOf(TOTAL));
    const session = createSession({ cwd: world.root, home: world.at(".home"), agent: { kind: "main" } });
    await session.record({ type: "file_read", path: "src/long.txt", ...range });
    const turn = await ask(session, "Go on.");
    expect(turn.reminders.map(({ text }) => text).join()).toContain("Use tabs in here.");
    await session.close();
  });

  test.each(["@src/long.txt", "@src/long.txt#L2-3", "@src/long.txt#L900"])(
    "mentioned as %s",
    async (mention) => {
      world.write("src/AGENTS.md", "Use tabs in here.");
      write(linesOf(TOTAL));
      const session = openIn(world);
      const turn = await ask(session, `See ${mention}`);
      expect(turn.reminders.map(({ text }) => text).join()).toContain("Use tabs in here.");
      await session.close();
    },
  );
});
