// Instructions that change while a session runs: what is new is told, and what no longer applies.

import { rmSync } from "node:fs";
import type { Session, Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
let session: Session;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(async () => {
  await session.close();
  world.remove();
});

const START = "The instruction files in force here. Follow them where they apply.";
const CHANGED = "The instruction files in force here have changed since you were given them.";

/** What is said of instructions, paths relative to the world. */
const contextIn = (turn: Turn) =>
  turn.reminders
    .filter(({ type }) => type === "project_context")
    .map(({ text }) => text.replaceAll(`${world.root}/`, ""));

async function begin(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) world.write(path, content);
  session = openIn(world);
  expect(contextIn(await ask(session, "Hello."))[0] ?? "").toContain(START);
  expect(contextIn(await ask(session, "Still the same?"))).toEqual([]);
}

describe("instructions that hold from the start", () => {
  const members = {
    "AGENTS.md": { "AGENTS.md": "one" },
    "CLAUDE.md": { "CLAUDE.md": "one" },
    "CLAUDE.local.md": { "CLAUDE.local.md": "one" },
    "docs/style.md": { "AGENTS.md": "See @docs/style.md", "docs/style.md": "one" },
    ".claude/rules/all.md": { ".claude/rules/all.md": "one" },
    ".home/.claude/CLAUDE.md": { ".home/.claude/CLAUDE.md": "one" },
  };

  test.each(Object.entries(members))(
    "%s: a new version is told once, its end is told once",
    async (path, files) => {
      await begin(files);
      world.write(path, "two");
      const [told] = contextIn(await ask(session, "And now?"));
      expect(told).toContain(CHANGED);
      expect(told).toMatch(
        new RegExp(`Contents of ${path} \\(.*\\), in place of what it said before:\\n\\ntwo\\n`, "u"),
      );
      expect(told).not.toContain("See @");
      expect(contextIn(await ask(session, "And now?"))).toEqual([]);
      rmSync(world.at(path));
      const [over] = contextIn(await ask(session, "Gone?"));
      expect(over).toContain(`${path} no longer applies here`);
      expect(contextIn(await ask(session, "Gone?"))).toEqual([]);
      world.write(path, "three");
      expect(contextIn(await ask(session, "Back?"))[0]).toMatch(/\), new:\n\nthree\n/u);
    },
  );

  test("back and forth, each version is told", async () => {
    await begin({ "AGENTS.md": "one" });
    for (const words of ["two", "one", "two", "one"]) {
      world.write("AGENTS.md", words);
      expect(contextIn(await ask(session, "And now?"))[0]).toContain(`\n\n${words}\n`);
    }
  });

  test("long ones, too", async () => {
    const long = "Use tabs.\n".repeat(1000);
    await begin({ "AGENTS.md": long, "CLAUDE.md": "short" });
    world.write("AGENTS.md", `${long}Never spaces.`);
    const [told] = contextIn(await ask(session, "And now?"));
    expect(told).toContain("Never spaces.");
    expect(told).not.toContain("CLAUDE.md");
  });

  test("one that was emptied no longer applies; one whose text is a copy of another still does", async () => {
    await begin({ "AGENTS.md": "one", "CLAUDE.md": "two" });
    world.write("CLAUDE.md", "one");
    expect(contextIn(await ask(session, "And now?"))).toEqual([]);
    world.write("CLAUDE.md", "\n");
    expect(contextIn(await ask(session, "And now?"))[0]).toContain("CLAUDE.md no longer applies here");
  });

  test("a rule that now waits for a path no longer holds everywhere", async () => {
    await begin({ ".claude/rules/all.md": "one" });
    world.write(".claude/rules/all.md", '---\npaths: "db/**"\n---\none');
    expect(contextIn(await ask(session, "And now?"))[0]).toContain(
      ".claude/rules/all.md no longer applies here",
    );
  });

  test("what the agent itself wrote there it knows", async () => {
    await begin({ "AGENTS.md": "one" });
    world.write("AGENTS.md", "mine");
    await session.record({ type: "file_written", path: "AGENTS.md", content: "mine" });
    expect(contextIn(await ask(session, "And now?"))).toEqual([]);
    world.write("AGENTS.md", "theirs");
    const turn = await ask(session, "Somebody else?");
    // By the notice about the file, which has the lines that differ; not a second time.
    expect(turn.reminders.map(({ type }) => type)).toEqual(["edited_text_file"]);
    expect(contextIn(await ask(session, "And now?"))).toEqual([]);
  });

  test("told again where the call failed; after compaction all of it as it is now, once", async () => {
    await begin({ "AGENTS.md": "one" });
    world.write("AGENTS.md", "two");
    const lost = await session.turn({ userPrompt: "And now?" });
    expect(contextIn(lost)[0]).toContain("two");
    await lost.abandon();
    expect(contextIn(await ask(session, "And now?"))[0]).toContain("two");
    await session.record({ type: "compacted" });
    const [whole, ...more] = contextIn(await ask(session, "Go on."));
    expect(whole).toContain(START);
    expect(whole).toContain("two");
    expect(more).toEqual([]);
    expect(contextIn(await ask(session, "Go on."))).toEqual([]);
  });

  test("a session that is resumed is told what changed meanwhile", async () => {
    const { createMemoryStore } = await import("sotto");
    const kept = { id: "one", store: createMemoryStore() };
    world.write("AGENTS.md", "one");
    session = openIn(world, kept);
    await ask(session, "Hello.");
    await session.close();
    world.write("AGENTS.md", "two");
    session = openIn(world, kept);
    expect(contextIn(await ask(session, "Back."))[0]).toContain(CHANGED);
  });
});
