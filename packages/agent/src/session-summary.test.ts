import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { redactText } from "sotto/internal";
import { expect, onTestFinished, test } from "vitest";
import { removeSummaries, saveSummary } from "./session-files.ts";
import { type SessionSummary, summaryOf } from "./session-summary.ts";

const story = (told: Partial<SessionSummary>): SessionSummary => ({
  at: new Date(2026, 10, 15, 23, 59),
  asked: [],
  answer: "",
  todos: [],
  files: [],
  redact: (text) => text,
  ...told,
});
const count = (number: number, name: string) => Array.from({ length: number }, (_, index) => name + index);

test("says what was asked, what came of it, and what is left", () => {
  const summary = summaryOf(
    story({
      asked: ["Fix the\nparser.", "And its tests."],
      answer: "Both are done.\n\nThe tests pass.",
      todos: [{ content: "Release it", status: "pending" }],
      files: ["src/parser.ts"],
    }),
  );
  expect(summary).toMatchInlineSnapshot(`
    "# 2026-11-15: Fix the parser.

    Asked:
    - Fix the parser.
    - And its tests.

    Answered last:
    Both are done.
    The tests pass.

    Todo list:
    - [pending] Release it

    Files written:
    - src/parser.ts
    "
  `);
});

test("stays a page, whatever happened: the beginning and the end of what was asked", () => {
  const summary = summaryOf(
    story({
      asked: count(30, "prompt "),
      answer: count(200, "line ").join("\n"),
      todos: count(50, "todo ").map((content) => ({ content, status: "completed" })),
      files: count(100, "file "),
    }),
  );
  expect(summary.split("\n").slice(2, 8)).toEqual([
    "Asked:",
    "- prompt 0",
    "(26 more in between)",
    "- prompt 27",
    "- prompt 28",
    "- prompt 29",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), fc.array(fc.string()), (asked, answer, files) => {
      const long = summaryOf(story({ asked, answer: answer.repeat(50), files }));
      expect(long.split("\n").length).toBeLessThanOrEqual(40);
      expect(long.length).toBeLessThan(20_000);
    }),
    { numRuns: 50, seed: 1 },
  );
});

test.each([
  ["use sk-ant-api03-abcdefghijklmnop now", "use [hidden] now"],
  ["ghp_abcdefghijklmnopqrstuvw3", "[hidden]"],
  ["AKIAIOSFODNN7EXAMPLE", "[hidden]"],
  ["DB_PASSWORD=hunter2 make", "DB_PASSWORD=[hidden] make"],
  ['{"apiKey": "hunter2", "a": 1}', '{"apiKey": [hidden], "a": 1}'],
  ["Authorization: Bearer abcdefghijkl", "Authorization: Bearer [hidden]"],
  ["postgres://me:hunter2@host/db", "postgres://me:[hidden]@host/db"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest", "[hidden]\nrest"],
  ["what CI holds: canary-value-77", "what CI holds: [DEPLOY_TOKEN]"],
  [
    "skeletonization of sk-something-plain, npm-install-packages",
    "skeletonization of sk-something-plain, npm-install-packages",
  ],
  [
    "count the tokens: skip-this-one, task-force-of-many",
    "count the tokens: skip-this-one, task-force-of-many",
  ],
])("AC-48 of %j what looks like a secret is taken out", (text, clean) => {
  expect(redactText({ DEPLOY_TOKEN: "canary-value-77" })(text)).toBe(clean);
});

test("only the newest fifty are kept, and what others keep there stays; a purge takes a session's own", async () => {
  const stateDirectory = mkdtempSync(join(tmpdir(), "sotto-notes-"));
  onTestFinished(() => rmSync(stateDirectory, { recursive: true, force: true }));
  const place = { stateDirectory, cwd: "/home/ada/app" };
  const first = await saveSummary({ ...place, sessionId: "run-0" }, "first\n");
  const directory = dirname(first);
  utimesSync(first, 1000, 1000);
  writeFileSync(join(directory, "mine.md"), "mine\n");
  for (let number = 1; number <= 50; number++)
    await saveSummary({ ...place, sessionId: `run-${number}` }, `${number}\n`);
  const names = readdirSync(directory).sort();
  expect(names).toHaveLength(51);
  expect(names).toContain("mine.md");
  expect(names).not.toContain("run-0.md");
  await removeSummaries(stateDirectory, "run-7");
  expect(readdirSync(directory)).not.toContain("run-7.md");
});
