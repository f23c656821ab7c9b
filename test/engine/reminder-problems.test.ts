// What a person should mend in reminders and templates of their own is in the problems of a turn.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "sotto";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

function project(files: Record<string, string>) {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".git"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
  const session = createSession({
    cwd,
    home: join(cwd, "home"),
    agent: { kind: "main" },
    config: { timeout_ms: 30_000 },
  });
  return { cwd, session };
}

const GOOD = "---\nevery_turns: 1\n---\nKeep it short.\n";

test.each([
  ["front matter that is no YAML", "---\nevery_turns: [1\n---\nText.\n"],
  ["a key that is not known", "---\nevry_turns: 1\n---\nText.\n"],
  ["a value of the wrong kind", "---\nevery_turns: often\n---\nText.\n"],
])(
  "a reminder file with %s is named, and is gone from the problems when it is mended",
  async (_, content) => {
    const path = ".sotto/reminders/style.md";
    const { cwd, session } = project({ [path]: content });
    const { problems } = await session.turn();
    expect(new Set(problems.map(({ where }) => where))).toEqual(new Set([join(cwd, path)]));
    writeFileSync(join(cwd, path), GOOD);
    expect((await session.turn()).problems).toEqual([]);
    await session.close();
  },
);

test("a template of the project that nobody has allowed is named, with what to do", async () => {
  const path = ".sotto/templates/plan_mode.md";
  const { cwd, session } = project({ [path]: "Only plan.\n" });
  const { problems } = await session.turn();
  expect(problems).toEqual([
    {
      where: join(cwd, path),
      problem: expect.stringContaining("`sotto trust`"),
      needsTrust: true,
    },
  ]);
  await session.close();
});

test("a template for a type that does not exist is named", async () => {
  const path = ".sotto/templates/plan_mod.md";
  const { cwd, session } = project({ [path]: "Only plan.\n" });
  const { problems } = await session.turn();
  expect(problems).toEqual([
    { where: join(cwd, path), problem: 'there is no type "plan_mod"; did you mean plan_mode.md?' },
  ]);
  await session.close();
});
