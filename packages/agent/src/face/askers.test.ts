// What a person is asked, and what is made of the answers.

import { describe, expect, test } from "vitest";
import { createDenyAsker, createTerminalAsker } from "./askers.ts";
import type { Question } from "./terminal.ts";
import { hostile, markedStyle, OBEYED, plainStyle } from "./testing.ts";

/** Answers in order; then nobody is there any more. */
function asking(answers: string[], { width = 60, style = plainStyle } = {}) {
  const asked: Question[] = [];
  const terminal = {
    ask: async (question: Question) => {
      asked.push(question);
      return answers.shift();
    },
  };
  const asker = createTerminalAsker({ terminal, style, width });
  return { asker, asked, page: () => asked.map(({ body, prompt }) => `${body}${prompt}`).join("\n") };
}

const write = { toolName: "Write", title: "src/a.ts", detail: "-old line\n+new line\n same" };

describe("permission", () => {
  test("shows what would be done", async () => {
    const { asker, page } = asking(["y"]);
    expect(await asker.permit(write)).toBe("yes");
    expect(page()).toMatchInlineSnapshot(`
      "? Write src/a.ts
        -old line
        +new line
         same
        Allow? yes, no, always › "
    `);
  });

  test("a diff has its colours", async () => {
    const { asker, page } = asking(["y"], { style: markedStyle });
    await asker.permit(write);
    expect(page()).toMatchInlineSnapshot(`
      "<warn>?</warn> <bold>Write src/a.ts</bold>
        <bad>-old line</bad>
        <good>+new line</good>
         same
        Allow? yes, no, always <accent>›</accent> "
    `);
  });

  test.each([
    [["yes"], "yes"],
    [["Y"], "yes"],
    [["n"], "no"],
    [["no"], "no"],
    [["a"], "always"],
    [["Always"], "always"],
    [["", "perhaps", "y"], "yes"],
    [["", "perhaps", "what", "y"], "no"],
    [[], "no"],
  ])("%j is %s", async (answers, meant) => {
    expect(await asking(answers).asker.permit(write)).toBe(meant);
  });

  test("the body is shown once, however often it is asked", async () => {
    const { asker, asked } = asking(["?", "y"]);
    await asker.permit(write);
    expect(asked.map(({ body }) => body === "")).toEqual([false, true]);
  });

  test("a long diff is bounded to 40 rows, and says so", async () => {
    const { asker, asked } = asking(["y"]);
    const detail = Array.from({ length: 100 }, (_, index) => `+line ${index}`).join("\n");
    await asker.permit({ ...write, detail });
    const lines = asked[0]?.body.split("\n") ?? [];
    expect(lines.length).toBe(43);
    expect(lines.slice(40)).toEqual(["  +line 39", "  … 60 lines (539 characters) not shown", ""]);
  });

  test("a long line is folded, so that nothing is out of sight", async () => {
    const { asker, asked } = asking(["y"], { width: 22 });
    await asker.permit({
      toolName: "Bash",
      title: `ls${" ".repeat(30)}; rm -rf /`,
      detail: "+0123456789012345678901",
    });
    expect(asked[0]?.body.split("\n")).toEqual([
      "? Bash ls             ",
      "                   ; r",
      "  m -rf /",
      "  +0123456789012345678",
      "  901",
      "",
    ]);
  });

  test("hostile and huge texts are harmless", async () => {
    const { asker, asked } = asking(["y"]);
    await asker.permit({
      toolName: hostile,
      title: hostile,
      detail: `${hostile}\n${"x".repeat(10_000_000)}`,
    });
    expect(OBEYED.test(asked[0]?.body ?? "")).toBe(false);
    expect(asked[0]?.body.length).toBeLessThan(5000);
  });
});

describe("a choice", () => {
  const options = [{ label: "Postgres", description: "a server" }, { label: "SQLite" }];

  test("lists the options", async () => {
    const { asker, page } = asking(["2"]);
    expect(await asker.choose("Which database?", options)).toBe("SQLite");
    expect(page()).toMatchInlineSnapshot(`
      "? Which database?
        1. Postgres: a server
        2. SQLite
        Number, or your own answer › "
    `);
  });

  test.each([
    [["1"], "Postgres"],
    [["3"], "3"],
    [["0"], "0"],
    [["", "a file will do"], "a file will do"],
    [[], "(no answer)"],
  ])("%j is %s", async (answers, meant) => {
    expect(await asking(answers).asker.choose("Which database?", options)).toBe(meant);
  });

  test("without options it is a question", async () => {
    const { asker, page } = asking(["blue"]);
    expect(await asker.choose(`Which\ncolour?${hostile}`, [])).toBe("blue");
    expect(OBEYED.test(page())).toBe(false);
    expect(page()).toContain("  Your answer › ");
  });
});

describe("a plan", () => {
  test("is shown whole", async () => {
    const { asker, page } = asking(["yes"]);
    expect(await asker.approvePlan("# Plan\n\n1. Look\n2. Leap\n", "/project/plan.md")).toEqual({
      approved: true,
    });
    expect(page()).toMatchInlineSnapshot(`
      "? Plan (/project/plan.md)
        # Plan
        
        1. Look
        2. Leap
        Approve? yes, no, or what to change › "
    `);
  });

  test.each([
    [["y"], { approved: true }],
    [["n"], { approved: false }],
    [["", "add tests"], { approved: false, feedback: "add tests" }],
    [[], { approved: false }],
  ])("%j", async (answers, meant) => {
    expect(await asking(answers).asker.approvePlan("plan", undefined)).toEqual(meant);
  });
});

test("where nobody can be asked, it is no, with how to allow it", async () => {
  const said: string[] = [];
  const asker = createDenyAsker({ say: (reason) => said.push(reason) });
  expect(await asker.permit({ toolName: "Bash", title: "npm test" })).toBe("nobody");
  expect(await asker.choose("Which?", [{ label: "a" }])).toBe(
    "There is nobody to ask. Decide yourself, and say what you assumed.",
  );
  const approval = await asker.approvePlan("plan", undefined);
  expect(approval).toMatchObject({ approved: false, nobody: true });
  expect(said).toEqual([
    "refused: Bash npm test. There is nobody to ask; to allow it, start with --allow Bash or another --permission-mode.",
    "There is nobody to ask: Which?",
    expect.stringContaining("so the plan was not approved"),
  ]);
  await expect(createDenyAsker().permit({ toolName: hostile, title: hostile })).resolves.toBe("nobody");
});
