// Presets: what an assistant hears and what it does not, in a directory full of things to tell; and who may say otherwise.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type SessionEvent, type SessionOptions } from "sotto";
import { catalogue, presets } from "sotto/inspect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { outcomeOf } from "../support/telling.ts";

let cwd: string;
let home: string;

beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-presets-")));
  cwd = join(root, "project");
  home = join(root, "home");
  for (const folder of [cwd, join(cwd, "src"), join(cwd, ".git"), join(home, ".claude")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(cwd, "AGENTS.md"), "Run the tests.");
  writeFileSync(join(cwd, "src/AGENTS.md"), "No default exports.");
  writeFileSync(join(cwd, "src/a.ts"), "export const a = 1;\n");
  writeFileSync(join(cwd, "empty.ts"), "");
  writeFileSync(join(home, ".claude/CLAUDE.md"), "Short sentences.");
});
afterEach(() => rmSync(join(cwd, ".."), { recursive: true, force: true }));

/** Two turns: at the start, and after everything that can happen has happened. */
async function heard(options: Partial<SessionOptions>, { isOpen = false } = {}) {
  const session = createSession({
    ...{ cwd, home, agent: { kind: "main" as const }, configFiles: { read: false } },
    config: { timeout_ms: 20_000, enable_token_usage: true, max_budget_usd: 5 },
    ...options,
  });
  const path = join(cwd, "src/a.ts");
  writeFileSync(path, "export const a = 1;\n");
  const turns = [await session.turn({ userPrompt: isOpen ? "See @src/a.ts." : "Hello." })];
  await turns[0]?.commit();
  await session.record({ type: "assistant_turn" });
  await session.record({ type: "file_read", path });
  await session.record({ type: "file_read", path: join(cwd, "empty.ts") });
  writeFileSync(path, "export const a = 2;\n");
  for (const event of HAPPENED) await session.record(event);
  for (let count = 0; count < 6; count++) await session.record({ type: "assistant_turn" });
  turns.push(await session.turn({ userPrompt: "See @src/a.ts and @src." }));
  const types = new Set(turns.flatMap(({ reminders }) => reminders.map(({ type }) => type)));
  const texts = turns.flatMap(({ reminders }) => reminders.map(({ text }) => text)).join("\n");
  await session.close();
  return { types, texts, last: turns[1] as (typeof turns)[number] };
}

const HAPPENED: readonly SessionEvent[] = [
  { type: "todos_written", items: [{ content: "Mend it", status: "pending" }] },
  { type: "prompt_queued", id: "p", prompt: "And the receipt." },
  { type: "message_received", id: "m", from: "ada", text: "Done.", timestamp: "2026-11-15T10:00:00Z" },
  { type: "task_started", taskId: "t", taskType: "shell", description: "npm test" },
  { type: "task_finished", taskId: "t", status: "failed", exitCode: 1 },
  { type: "usage_reported", usedTokens: 600, totalTokens: 1000, usedUsd: 4 },
];
const ALWAYS = ["queued_command", "teammate_mailbox", "task_status", "token_usage", "budget_usd"];
const OF_FILES = ["edited_text_file", "file", "directory", "nested_memory", "empty_file_warning"];

describe("the preset of a session", () => {
  test("coding is what holds without one", async () => {
    const [without, coding] = [await heard({}), await heard({ preset: "coding" })];
    expect(coding.types).toEqual(without.types);
    for (const type of [...ALWAYS, "todo_reminder", "nested_memory"]) expect(coding.types).toContain(type);
  });

  test("an assistant hears of no file, no instruction and no todo list, and of all else", async () => {
    const { types, texts, last } = await heard({ preset: "assistant" }, { isOpen: true });
    for (const type of ALWAYS) expect(types).toContain(type);
    for (const type of [...OF_FILES, "todo_reminder", "project_context"]) expect(types).not.toContain(type);
    for (const words of ["Run the tests.", "No default exports.", "Short sentences.", "export const a"])
      expect(texts).not.toContain(words);
    for (const type of [...OF_FILES, "todo_reminder", "diagnostics", "opened_file_in_ide"])
      expect(outcomeOf(last, type)).toBe(
        `off: switched off: the preset "assistant" turns it off (attachments.${type})`,
      );
  });

  test("sections that the host adds still come to an assistant", async () => {
    const sources = [{ fact: "contextSections" as const, observe: () => ({ currentDate: "2026-11-15" }) }];
    const { texts } = await heard({ preset: "assistant", sources });
    expect(texts).toContain("# currentDate\n2026-11-15");
    expect(texts).not.toContain("Run the tests.");
  });

  test("every layer of config goes before it", async () => {
    const on = { attachments: { at_mentioned_files: true, todo_reminders: true } };
    const timeout = { timeout_ms: 20_000 };
    const asHost = await heard({ preset: "assistant", config: { ...timeout, ...on } });
    const asDefaults = await heard({
      preset: "assistant",
      config: timeout,
      configFiles: { read: false, defaults: on },
    });
    for (const { types } of [asHost, asDefaults]) {
      expect(types).toContain("file");
      expect(types).toContain("todo_reminder");
      expect(types).not.toContain("nested_memory");
    }
    const other = await heard({ preset: "assistant", config: { ...timeout, preset: "coding" } });
    expect(other.types).toContain("nested_memory");
  });

  test("a user's file goes before it, a project's own does not before it is trusted", async () => {
    writeFileSync(join(cwd, "sotto.toml"), '[system_reminder]\npreset = "coding"\n');
    const options = { preset: "assistant", configFiles: { read: true } } as const;
    expect((await heard(options)).types).not.toContain("nested_memory");
    mkdirSync(join(home, ".config/sotto"), { recursive: true });
    writeFileSync(join(home, ".config/sotto/config.toml"), '[system_reminder]\npreset = "coding"\n');
    expect((await heard(options)).types).toContain("nested_memory");
  });

  test("a name that is not known is an error that says which there are", () => {
    const open = (preset: string) => () =>
      createSession({ cwd, agent: { kind: "main" }, preset: preset as "coding" });
    for (const name of ["asistant", "constructor", ""])
      expect(open(name)).toThrow(
        `createSession: preset: expected "coding" or "assistant", got ${JSON.stringify(name)}`,
      );
  });

  test("switches by generators alone, which a later layer can switch on again", () => {
    const generators = new Set(catalogue.map(({ generator }) => generator));
    for (const { attachments = {} } of Object.values(presets))
      for (const name of Object.keys(attachments)) expect(generators).toContain(name);
  });
});
