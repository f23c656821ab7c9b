import { describe, expect, it } from "vitest";
import { nodePlatform } from "../../platform/node-platform.ts";
import { parseReminder } from "./parse-reminder.ts";

async function parse(text: string) {
  const { reminder, problems } = await parseReminder(text, {
    path: "/r/one.md",
    scope: "project",
    work: nodePlatform.work,
  });
  const { name: _name, path: _path, scope: _scope, ...rest } = reminder ?? {};
  return { ...(reminder && { reminder: rest }), problems: problems.map(({ path: _, ...one }) => one) };
}

const file = (frontmatter: string, body = "Text.") => `---\n${frontmatter}\n---\n${body}\n`;

describe("a reminder's file", () => {
  it("with everything, as the documentation has it", async () => {
    const text = file(
      [
        "description: Migrations need a rollback",
        'paths: ["db/migrations/**"]      # read or about to be written',
        "after_tools: [Bash]",
        "every_turns: 10",
        "on: [session_start, compacted]",
        "modes: [plan]",
        "agents: [main]",
        "max_per_session: 3",
        "lifetime: session",
      ].join("\n"),
      "\nWrite the rollback.\n\nIn the same change.\n",
    );
    expect(await parse(text)).toEqual({
      reminder: {
        description: "Migrations need a rollback",
        paths: ["db/migrations/**"],
        after_tools: ["Bash"],
        every_turns: 10,
        on: ["session_start", "compacted"],
        modes: ["plan"],
        agents: ["main"],
        max_per_session: 3,
        lifetime: "session",
        content: "Write the rollback.\n\nIn the same change.",
      },
      problems: [],
    });
  });

  it.each([
    ["a text", "paths: src/*.ts", ["src/*.ts"]],
    ["a comma list", "paths: a/**, b/{x,y}.ts", ["a/**", "b/{x,y}.ts"]],
    ["a list", "paths:\n  - a/**\n  - b/**", ["a/**", "b/**"]],
    ["a flow list", 'paths: ["a/**", b]', ["a/**", "b"]],
    ["what YAML would take for an alias", "paths: *.ts", ["*.ts"]],
    ["such in a list", "paths:\n- *.ts\n- **/x", ["*.ts", "**/x"]],
    ["a number", "paths: 12", ["12"]],
  ])("takes paths as %s", async (_, written, paths) => {
    expect(await parse(file(written))).toEqual({
      reminder: { paths, content: "Text.", lifetime: "turn" },
      problems: [],
    });
  });

  it("takes numbers and occasions as texts, too, with Windows line ends", async () => {
    expect(
      await parse(file('every_turns: "5"\r\non: compacted, session_start').replaceAll("\n", "\r\n")),
    ).toEqual({
      reminder: { every_turns: 5, on: ["compacted", "session_start"], content: "Text.", lifetime: "turn" },
      problems: [],
    });
  });

  it.each([
    ["evry_turns: 3\non: compacted", 2, '"evry_turns" is not known; did you mean "every_turns"?'],
    [
      "on: compacted\n\nlifetime: forever",
      4,
      'lifetime: expected turn, session, until_changed, got "forever": left out',
    ],
    ["on: compacted\nevery_turns: 0", 3, "every_turns: expected a whole number, 1 or more, got 0: left out"],
    [
      "on: compacted\nevery_turns: soon",
      3,
      'every_turns: expected a whole number, 1 or more, got "soon": left out',
    ],
    [
      "on: compacted\nmodes: {a: 1}",
      3,
      'modes: expected a string or a list of strings, got {"a":1}: left out',
    ],
    ["on: compacted\nmodes: []", 3, "modes: expected a string or a list of strings, got []: left out"],
    ["on: [compacted, compact]", 2, 'on: "compact" is not known; did you mean "compacted"?'],
    ["on: compacted\npaths: 'a/[b'", 3, 'pattern "a/[b" can match nothing: its bracket is never closed'],
    ["on: compacted\npaths: ../x", 3, 'pattern "../x" leaves its directory: it can match nothing'],
  ])("%j is used, with a problem", async (written, line, problem) => {
    const { reminder, problems } = await parse(file(written));
    expect(problems).toEqual([{ line, problem }]);
    expect(reminder).toMatchObject({ content: "Text.", on: ["compacted"] });
  });

  const unstarted = "nothing starts it: give it paths, after_tools, every_turns or on: never sent";
  it.each([
    ["nothing that starts it", file("modes: plan"), [{ line: 1, problem: unstarted }]],
    ["no frontmatter", "Just text.", [{ line: 1, problem: unstarted }]],
    [
      "an unclosed frontmatter",
      "---\non: compacted\n",
      [{ line: 1, problem: "its frontmatter is never closed with ---: never sent" }],
    ],
    ["no text", file("on: compacted", "  "), [{ problem: "it has no text: never sent" }]],
  ])("with %s is never said", async (_, text, problems) => {
    expect(await parse(text)).toEqual({ problems });
  });

  it("whose frontmatter is no YAML is never said, with line and column", async () => {
    const { reminder, problems } = await parse(file("on: compacted\n  bad: [a\n"));
    expect(reminder).toBeUndefined();
    expect(problems).toEqual([
      {
        line: expect.any(Number),
        column: expect.any(Number),
        problem: expect.stringMatching(/^its frontmatter cannot be read: .*: never sent$/su),
      },
    ]);
    const list = await parse(file("- a\n- b"));
    expect(list.problems).toEqual([
      {
        line: 2,
        column: 1,
        problem: "its frontmatter cannot be read: expected keys with values: never sent",
      },
    ]);
  });

  it("AC-46 a bomb of aliases costs only itself", async () => {
    const levels = Array.from({ length: 12 }, (_, index) =>
      index === 0
        ? "a0: &a0 [x,x,x,x,x,x,x,x,x]"
        : `a${index}: &a${index} [${Array(9)
            .fill(`*a${index - 1}`)
            .join(",")}]`,
    );
    const { reminder, problems } = await parse(file(levels.join("\n")));
    expect(reminder).toBeUndefined();
    expect(problems.at(-1)?.problem).toMatch(/never sent$/u);
  });

  it("that is too long is cut", async () => {
    const { reminder, problems } = await parse(file("on: compacted", "x".repeat(30_000)));
    expect(reminder).toMatchObject({ content: "x".repeat(20_000) });
    expect(problems).toEqual([{ problem: "it has 30000 characters, at most 20000: cut" }]);
  });
});
