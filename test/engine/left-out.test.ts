// What does not come beside what is said has its reason in the trace, too.

import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { anthropicMessages, type Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf, says } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

const huge = () => world.write("huge.pdf", `%PDF-1.4\n${"\0".repeat(33_000_000)}`);
const reasonOf = (turn: Turn, type: string) => outcomeOf(turn, type).replaceAll(`${world.root}/`, "");

describe("of what a prompt mentions", () => {
  it("each file that is not shown is named, whether another one is or not", async () => {
    world.write("a.ts", "a\n");
    world.write(".env", "A=1\n");
    const left = "2 mentioned, not shown: @no.ts: there is nothing at no.ts; .env may contain secrets";
    expect(reasonOf(await ask(openIn(world), "@a.ts @no.ts @.env"), "file")).toBe(`sent: 1 sent; ${left}`);
    expect(reasonOf(await ask(openIn(world), "@no.ts @.env"), "file")).toBe(`nothing: ${left}`);
  });

  it("however many they are, the line stays short and counts them all", async () => {
    world.write("a.ts", "a\n");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.boolean(), async (count, withOne) => {
        const names = Array.from({ length: count }, (_, index) => `@no${index}.ts`);
        const reason = reasonOf(
          await ask(openIn(world), `${withOne ? "@a.ts " : ""}${names.join(" ")}`),
          "file",
        );
        expect(reason).toContain(`${count} mentioned, not shown: `);
        const named = names.filter((name) => reason.includes(`${name}: `)).length;
        expect(named).toBe(Math.min(count, 5));
        expect(reason.endsWith(`; and ${count - named} more`)).toBe(count > named);
      }),
      { numRuns: 10 },
    );
  });

  it("a directory that is in view is told as one", async () => {
    mkdirSync(world.at("one"));
    mkdirSync(world.at("two"));
    const session = openIn(world);
    await ask(session, "@one");
    const left = "1 mentioned, not listed: one: the same listing is in view";
    expect(reasonOf(await ask(session, "@one @two"), "directory")).toBe(`sent: 1 sent; ${left}`);
    expect(reasonOf(await ask(session, "@one"), "directory")).toBe(`nothing: ${left}`);
  });

  it("agents and resources that are not there are named beside those that are", async () => {
    const session = openIn(world, {
      mentions: {
        agents: ["rev"],
        resources: {
          servers: () => ["docs"],
          read: async ({ uri }) => {
            if (uri !== "good") throw new Error(`no ${uri}`);
            return { contents: [{ text: "good" }] };
          },
        },
      },
    });
    const turn = await ask(session, "@agent-rev @agent-nobody @docs:good @docs:bad @docs:worse");
    expect(reasonOf(turn, "agent_mention")).toBe("sent: 1 sent; @agent-nobody: no known agent has that name");
    expect(reasonOf(turn, "mcp_resource")).toBe(
      "sent: 1 sent; 2 mentioned, not shown: @docs:bad: cannot be read: no bad; @docs:worse: cannot be read: no worse",
    );
  });
});

describe("of instruction files", () => {
  it("a failed import and a broken rule are named at the start, and while what was said stands", async () => {
    world.write("AGENTS.md", "Be brief. @nope.md");
    world.write(".claude/rules/b.md", "---\npaths: [a,\n---\nBroken.");
    const session = openIn(world);
    const left =
      /2 left out, or with a problem: .claude\/rules\/b.md: its frontmatter .*; nope.md: does not exist \(imported by AGENTS.md\)$/u;
    const first = await ask(session, "hello");
    expect(says(first, "project_context")).toBe(true);
    expect(reasonOf(first, "project_context")).toMatch(left);
    expect(reasonOf(await ask(session, "and on"), "project_context")).toMatch(left);
  });

  it("the same of what speaks about a path, and before the rules that merely do not match", async () => {
    for (const name of ["1", "2", "3", "4", "5", "6"])
      world.write(`.claude/rules/${name}.md`, `---\npaths: "**/*.${name}"\n---\n${name}`);
    world.write("src/AGENTS.md", "Be brief. @nope.md");
    world.write("src/a.ts", "a\n");
    const session = openIn(world);
    await session.record({ type: "file_read", path: "src/a.ts" });
    expect(reasonOf(await ask(session, "go"), "nested_memory")).toMatch(
      /^sent: 1 sent; 7 left out, or with a problem: src\/nope.md: does not exist .*; and 2 more$/u,
    );
  });
});

it("diagnostics below the limit, and those of a file that may not be shown, are told beside the others", async () => {
  const session = openIn(world, { config: { attachments: { diagnostics: { min_severity: "Error" } } } });
  const publish = (filePath: string, severity: "Error" | "Hint") =>
    session.record({
      type: "diagnostics_published",
      origin: "host",
      filePath,
      diagnostics: [{ message: severity, severity, line: 1 }],
    });
  world.write(".env", "A=1\n");
  await publish("a.ts", "Error");
  await publish("b.ts", "Hint");
  await publish(".env", "Error");
  expect(reasonOf(await ask(session, "go"), "diagnostics")).toBe(
    "sent: 1 sent; 1 below Error (min_severity); those of .env are not shown: it may contain secrets",
  );
});

describe("a mentioned file that is only named", () => {
  it("is named once while that is in view, and again when it is not", async () => {
    huge();
    const session = openIn(world);
    expect(says(await ask(session, "@huge.pdf"), "compact_file_reference")).toBe(true);
    for (const prompt of ["look @huge.pdf", "@huge.pdf#L3 again"]) {
      const again = await ask(session, prompt);
      expect(again.reminders).toEqual([]);
      expect(reasonOf(again, "compact_file_reference")).toBe(
        "nothing: 1 mentioned, not named again: huge.pdf: sent in turn 1, still in view",
      );
    }
    await session.record({ type: "compacted" });
    expect(says(await ask(session, "@huge.pdf"), "compact_file_reference")).toBe(true);
  });

  it("is named once where a prompt names several parts of it, and beside others that are new", async () => {
    huge();
    const session = openIn(world);
    expect((await ask(session, "@huge.pdf @huge.pdf#L3")).reminders).toHaveLength(1);
    world.write("other.pdf", `%PDF-1.4\n${"\0".repeat(33_000_000)}`);
    const turn = await ask(session, "@huge.pdf @other.pdf");
    expect(turn.reminders.map(({ text }) => /mentioned \S+\/(\w+\.pdf)/u.exec(text)?.[1])).toEqual([
      "other.pdf",
    ]);
    expect(reasonOf(turn, "compact_file_reference")).toContain(
      "1 sent; 1 mentioned, not named again: huge.pdf",
    );
  });

  it("is named again in a history in which it was not", async () => {
    huge();
    const session = openIn(world);
    const turnWith = async (...contents: string[]) => {
      const messages = contents.map((content, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content,
      }));
      const turn = await session.turn({ dialect: anthropicMessages, body: { model: "m", messages } });
      await turn.commit();
      return turn;
    };
    const named = "compact_file_reference";
    expect(says(await turnWith("see @huge.pdf"), named)).toBe(true);
    expect(says(await turnWith("see @huge.pdf", "ok", "again @huge.pdf"), named)).toBe(false);
    expect(says(await turnWith("quite another start, @huge.pdf"), named)).toBe(true);
    expect(says(await turnWith("quite another start, @huge.pdf", "ok", "more @huge.pdf"), named)).toBe(false);
  });

  it("is not held back by a turn that nobody heard", async () => {
    huge();
    const session = openIn(world);
    await (await session.turn({ userPrompt: "@huge.pdf" })).abandon();
    expect(says(await ask(session, "@huge.pdf"), "compact_file_reference")).toBe(true);
  });
});
