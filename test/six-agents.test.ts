// Reminders name only tools and agents that the agent has, whoever it is; and no name stands in the code outside of the vocabulary.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { anthropicMessages, createSession, profiles, type SessionOptions } from "sotto";
import { describe, expect, test } from "vitest";
import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import { readBy } from "./support/reading.ts";
import { runs } from "./support/runs.ts";
import { DEFAULT_NAMES, readExamples, SIX_AGENTS } from "./support/six-agents.ts";

/** Names of tools that agents have and our texts do not ask for. */
const FURTHER_NAMES = ["Grep", "Glob", "MultiEdit", "NotebookEdit", "WebFetch", "WebSearch", "EnterPlanMode"];
const ALL_NAMES = [
  ...new Set([
    ...DEFAULT_NAMES,
    ...FURTHER_NAMES,
    ...SIX_AGENTS.flatMap(({ names }) => names),
    ...Object.values(profiles).flatMap(({ names }) => Object.values(names)),
  ]),
];

describe.each(SIX_AGENTS.map((agent, index) => ({ ...agent, index })))("$name", ({ names, index }) => {
  const others = ALL_NAMES.filter((name) => !names.includes(name));

  test.each(readExamples().map((one) => ({ ...one, type: one.attachment.type })))(
    "reads no name of another agent in $type: $title",
    ({ data, texts, rests }) => {
      const own = withoutData([texts[index], rests[index]].join("\n"), data);
      expect(others.filter((name) => naming(name).test(own))).toEqual([]);
      expect(own).not.toMatch(/undefined|\(\)| {2,}[a-z]|\s[,.;]|\.\.(?!\.)/u);
    },
  );
});

describe("AC-56 the vocabulary", () => {
  test("has all that our texts ask for, and each of them is told to an agent that has it", () => {
    const asked = new Set<string>();
    const used = new Set<string>();
    for (const attachment of catalogue)
      for (const { data } of attachment.examples) {
        const tool = (name: string) => {
          asked.add(name);
          return `own_${name}`;
        };
        const { text, rest = "" } = readBy(attachment, data, { tool });
        for (const name of asked) if (`${text} ${rest}`.includes(`own_${name}`)) used.add(name);
      }
    expect([...asked].sort()).toEqual([...DEFAULT_NAMES].sort());
    expect([...used].sort()).toEqual([...DEFAULT_NAMES].sort());
  });

  test("whatever an agent has and calls it: its texts name that, and nothing else", () => {
    const someNames = fc.dictionary(
      fc.constantFrom(...DEFAULT_NAMES),
      fc.stringMatching(/^zz_[a-z]{4,12}$/u),
    );
    const examples = catalogue.flatMap((attachment) =>
      attachment.examples.map(({ data }) => ({ attachment, data })),
    );
    fc.assert(
      fc.property(someNames, fc.constantFrom(...examples), (names, { attachment, data }) => {
        const { text, rest = "" } = readBy(attachment, data, { tool: (name) => names[name] });
        const own = withoutData(`${text}\n${rest}`, data);
        expect(ALL_NAMES.filter((name) => naming(name).test(own))).toEqual([]);
        expect(own).not.toMatch(/undefined|\(\)|\s[,.;]/u);
        const named = own.match(/zz_[a-z]+/gu) ?? [];
        expect(named.filter((name) => !Object.values(names).includes(name))).toEqual([]);
      }),
      runs(1500),
    );
  });
});

describe("the code", () => {
  const folder = join(import.meta.dirname, "../packages/sotto/src");
  // Agents never read what a config key is for.
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "config/key-reference.ts",
  );

  test("has no sentence with the name of a tool in it", () => {
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      sentencesIn(readFileSync(join(folder, file), "utf8")).flatMap((words) =>
        [...DEFAULT_NAMES, ...FURTHER_NAMES]
          .filter((name) => naming(name).test(words))
          .map((name) => `${file}: ${name}: ${words}`),
      ),
    );
    expect(found).toEqual([]);
  });

  test("this would find one", () => {
    const bad = [
      ["Use Read for the rest.", "Read"],
      ["Called the Read tool with it.", "Read"],
      ["Background Bash b7", "Bash"],
      ["Use up to 3 Explore agents.", "Explore"],
      ["Call it with TodoWrite.", "TodoWrite"],
    ] as const;
    for (const [words, name] of bad) expect(words).toMatch(naming(name));
    const source =
      'const a = "Use Read for the rest."; // Use Edit for it.\nconst b = { title: "Use Edit here." };';
    expect(sentencesIn(source)).toEqual(["Use Read for the rest.", "Use Edit here."]);
    for (const fine of ["Read it first.", "Plan mode is on.", "Task b7 (type: shell)", "the plan file"])
      expect(ALL_NAMES.filter((name) => naming(name).test(fine))).toEqual([]);
  });
});

describe("a session knows who hears it", () => {
  const planText = async (options: Partial<SessionOptions>) => {
    const session = createSession({
      cwd: "/repo",
      agent: { kind: "main" },
      configFiles: { read: false },
      ...options,
      config: { timeout_ms: 60_000, ...options.config },
    });
    await session.record({ type: "mode_changed", mode: "plan" });
    const body = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: "Plan it." }] };
    const { reminders } = await session.turn({ dialect: anthropicMessages, body });
    await session.close();
    return reminders.find(({ type }) => type === "plan_mode")?.text ?? "";
  };

  test("by the kinds of sub-agents that its host names", async () => {
    const tools = ["Read", "Task"];
    expect(await planText({ tools, mentions: { agents: ["Explore", "reviewer"] } })).toContain(
      "up to 3 Explore agents",
    );
    expect(await planText({ tools, mentions: { agents: ["Explore", "reviewer"] } })).toContain(
      "up to 1 sub-agent (Task)",
    );
    expect(await planText({ tools, mentions: { agents: ["reviewer"] } })).toContain(
      "up to 3 sub-agents (Task)",
    );
    expect(await planText({ tools, mentions: { agents: [] } })).not.toMatch(/agent/u);
    expect(await planText({ tools: ["Read"] })).not.toMatch(/agent/u);
    // Its request names a model and no tools.
    expect(await planText({})).not.toMatch(/agent/u);
  });

  test("AC-56 and says how to end plan mode to one that has no tool for it", async () => {
    const text = await planText({ tools: ["lookup_order", "refund", "send_email"] });
    expect(text).toContain("End a turn with a question to the user, or with the plan");
    expect(text).not.toMatch(/code|file|ExitPlanMode|AskUserQuestion/u);
  });
});

/** A tool with an ordinary name is named by the words around it; `Read it first` names none. */
function naming(name: string): RegExp {
  const escaped = name.replace(/[^\w]/gu, "\\$&");
  const isWord = /^[A-Za-z]+$/u.test(name) && !/[a-z][A-Z]/u.test(name);
  if (!isWord) return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, "u");
  const before = "(?:[Ww]ith|[Uu]sing(?: the)?|[Uu]se|[Cc]all(?:ed|ing)?(?: the)?|[Tt]hrough|[Bb]ackground)";
  return new RegExp(
    `\\b${before} ${escaped}\\b(?! of)|\\b\\d+ ${escaped}\\b|\\b${escaped} (?:tool|agent)`,
    "u",
  );
}

/** What the type itself says: all that others wrote is taken out. */
function withoutData(text: string, data: unknown): string {
  const words = stringsIn(data).sort((a, b) => b.length - a.length);
  return words.reduce((rest, one) => rest.replaceAll(one, "…"), text);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string")
    return value.length > 2 ? [value, ...value.split("\n")].filter((one) => one.length > 2) : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Strings of a source file that are more than names; comments and the examples' data are not among them. */
function sentencesIn(source: string): string[] {
  const code = source
    .replace(/^\s*(?:\/\/|\/\*\*|\*).*$/gmu, "")
    .replace(/^import .*$/gmu, "")
    .replace(/\s\/\/ .*$/gmu, "")
    .replace(/^ {2}examples: \[[\s\S]*?^ {2}\],$/gmu, "");
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/gu)]
    .map(([, plain, template]) => (plain ?? template ?? "").replace(/\$\{[^}]*\}/gu, "…"))
    .filter((words) => / [a-z]|[a-z]+ /u.test(words) && !/^(?:[A-Z]\w+ ?)+$/u.test(words));
}
