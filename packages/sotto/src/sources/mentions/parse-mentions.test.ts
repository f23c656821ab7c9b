import process from "node:process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { parseMentions } from "./parse-mentions.ts";

const none = { servers: [], agents: [] };

function candidates(prompt: string) {
  return parseMentions(prompt, none).flatMap((mention) =>
    mention.kind === "path" ? [mention.candidates] : [],
  );
}

test("a path has its readings in the order to try", () => {
  expect(parseMentions("see @src/my\\ file.ts:10-20, please", none)).toEqual([
    {
      kind: "path",
      text: "@src/my\\ file.ts:10-20",
      path: "src/my file.ts:10-20",
      candidates: [
        { path: "src/my file.ts", lineStart: 10, lineEnd: 20 },
        { path: "src/my file.ts:10-20" },
        { path: "src/my file.ts:10-20," },
      ],
    },
  ]);
});

test.each([
  ["@a", [{ path: "a" }]],
  ["@a#b", [{ path: "a#b" }, { path: "a" }]],
  ["@a#b#c", [{ path: "a#b#c" }, { path: "a#b" }, { path: "a" }]],
  ["@a#L10-L20", [{ path: "a#L10-L20" }, { path: "a" }]],
  ["@a#l10", [{ path: "a#l10" }, { path: "a" }]],
  ["@a#L2-", [{ path: "a", lineStart: 2, lineEnd: 2 }, { path: "a#L2-" }]],
  ["@#a", [{ path: "#a" }]],
  ["@:10", [{ path: ":10" }]],
  ['@"a b"', [{ path: "a b" }]],
  ['@"a b."', [{ path: "a b." }]],
  ["@f(1)", [{ path: "f(1)" }, { path: "f(1" }]],
  ["@f(1))", [{ path: "f(1)" }, { path: "f(1" }, { path: "f(1))" }]],
  ["@../..", [{ path: "../.." }]],
  ["@a/...", [{ path: "a/" }, { path: "a/..." }]],
])("%s", (prompt, expected) => {
  expect(candidates(prompt)).toEqual([expected]);
});

test.each([
  "me@example.org",
  "@",
  "@ a",
  '@"a',
  '@""',
  '@" "',
  "@.",
  "@?!",
  "a\u200b@b",
  '@"a\nb"',
  "（@a",
  "@，",
])("%j mentions nothing", (prompt) => {
  expect(parseMentions(prompt, none)).toEqual([]);
});

describe("resources", () => {
  const known = { servers: ["git", "git:hub", "mcp"], agents: [] };
  const found = (prompt: string) => parseMentions(prompt, known);

  test.each([
    ["@git:res://a", "git", "res://a"],
    ["@git:res://a.", "git", "res://a"],
    ["(see @git:res://a)", "git", "res://a"],
    ["@git:wiki/Foo_(bar)", "git", "wiki/Foo_(bar)"],
    ["@git:10-20", "git", "10-20"],
    ["@git:hub:x", "git:hub", "x"],
    ["@git:hubs:x", "git", "hubs:x"],
    ['@"git:a b"', "git", "a b"],
    ["@mcp:res://a#b?c=d", "mcp", "res://a#b?c=d"],
  ])("%s", (prompt, server, uri) => {
    expect(found(prompt)).toMatchObject([{ kind: "mcp", server, uri }]);
  });

  test.each(["@github:x", "@Git:x", "@git:", "@git", "@https://example.org/a:b"])(
    "%s is a path",
    (prompt) => {
      expect(found(prompt)).toMatchObject([{ kind: "path" }]);
    },
  );
});

describe("agents", () => {
  const known = { servers: [], agents: ["notes", "my.agent", "plug:in", "a@b", "größe", "dots."] };

  test.each([
    ["@agent-notes", "notes"],
    ["@agent-notes, please", "notes"],
    ["@agent-notes.", "notes"],
    ["@agent-notes: look", "notes"],
    ["use @agent-notes's help", "notes"],
    ["@agent-my.agent.", "my.agent"],
    ["@agent-plug:in", "plug:in"],
    ["@agent-a@b", "a@b"],
    ["@agent-größe！", "größe"],
    ["@agent-dots.", "dots."],
  ])("%s", (prompt, agentType) => {
    expect(parseMentions(prompt, known)).toEqual([{ kind: "agent", text: `@agent-${agentType}`, agentType }]);
  });

  test.each(["@agent-notes.md", "@agent-notes/a", "@agent-other", "@notes", "@agent-", "@agent-Notes"])(
    "%s is a path",
    (prompt) => {
      expect(parseMentions(prompt, known)).toMatchObject([{ kind: "path" }]);
    },
  );
});

test("the same words are one mention", () => {
  expect(parseMentions("@a @a, @a. @b @a", none).map(({ text }) => text)).toEqual(["@a", "@b"]);
});

const piece = fc.oneof(
  fc.constantFrom(
    "@",
    "agent-",
    "git:",
    "a",
    "é",
    "，",
    "#L1",
    ":1-2",
    '"',
    " ",
    "\n",
    "\\",
    "(",
    ")",
    ".",
    "😀",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);

test("it never throws, says the same twice, and every mention stands in the prompt behind white space", () => {
  const known = { servers: ["git"], agents: ["a"] };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const prompt = pieces.join("");
      const mentions = parseMentions(prompt, known);
      expect(parseMentions(prompt, known)).toEqual(mentions);
      for (const mention of mentions) {
        expect(` ${prompt}`.split(mention.text).some((before) => /\s$/u.test(before))).toBe(true);
        if (mention.kind === "path") {
          expect(mention.candidates.length).toBeGreaterThan(0);
          expect(mention.candidates.length).toBeLessThan(20);
        }
      }
    }),
    runs(3000),
  );
});

test.each(
  [
    "@",
    " @",
    '@"',
    ' @"',
    ' @"\n',
    "\\",
    "\\ ",
    " @:",
    " @a:1",
    " @#",
    " @#L1",
    " @(",
    ")",
    "@a.",
    " @agent-.",
    "，",
  ].flatMap((part) => [
    [part, part.repeat(1_000_000 / part.length)],
    [`@ and ${part}`, `@${part.repeat(1_000_000 / part.length)}`],
    [`${part} in words of 4 000`, `${` @${part.repeat(4000 / part.length)}`.repeat(250)}`],
  ]),
)("AC-46 1 MB of %j takes no time", (_, prompt) => {
  const servers = ["a".repeat(64), ":".repeat(64)];
  const from = process.threadCpuUsage();
  parseMentions(prompt, { servers, agents: ["a"] });
  const { user, system } = process.threadCpuUsage(from);
  expect((user + system) / 1000).toBeLessThan(1500);
});
