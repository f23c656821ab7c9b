// Libraries that talk to models, as projects name them; the lines we print use what Sotto really exports.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sotto from "sotto";
import { expect, it, onTestFinished } from "vitest";
import { findFrameworks, javascriptAdvice, pythonAdvice } from "./frameworks.ts";

const LIBRARY = new URL("../../../sotto/", import.meta.url);

function found(files: Record<string, string>): string[] {
  const project = mkdtempSync(join(tmpdir(), "sotto-frameworks-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  return findFrameworks(project).map((one) => `${one.package} in ${one.file}`);
}

it.each([
  ["openai", "requirements.txt", "# ours\nopenai==1.2\n"],
  ["openai", "requirements.txt", "openai[realtime] >= 1 ; python_version > '3.8'\n"],
  ["anthropic", "pyproject.toml", '[project]\ndependencies = ["httpx", "anthropic>=0.40"]\n'],
  ["anthropic", "pyproject.toml", '[tool.poetry.dependencies]\nanthropic = "^0.40"\n'],
])("%s in %s: %j", (name, file, text) => {
  expect(found({ [file]: text })).toEqual([`${name} in ${file}`]);
});

it.each([
  ["requirements.txt", "openai-whisper\nlangchain-openai==1\n"],
  ["pyproject.toml", 'description = "talks to openai and anthropic"\n'],
  ["package.json", '{"dependencies": {"ai-tools": "1"}}'],
  ["package.json", "not JSON"],
])("none in %s: %j", (file, text) => {
  expect(found({ [file]: text })).toEqual([]);
});

it("a library named in two files is named once", () => {
  expect(found({ "pyproject.toml": '"openai"', "requirements.txt": "openai" })).toEqual([
    "openai in pyproject.toml",
  ]);
});

it.each(javascriptAdvice)("the lines for $package import what there is", async ({ lines }) => {
  const [, entry = ""] = /^import \{ reminders \} from "sotto\/(.+)";$/u.exec(lines[1] ?? "") ?? [];
  const { exports } = JSON.parse(readFileSync(new URL("package.json", LIBRARY), "utf8"));
  const source = exports[`./${entry}`]["sotto-source"] as string;
  expect(await import(new URL(source, LIBRARY).href)).toHaveProperty("reminders");
  const [, names = ""] = /^import \{ (.+) \} from "sotto";$/u.exec(lines[0] ?? "") ?? [];
  for (const name of names.split(", ")) expect(sotto).toHaveProperty(name);
});

it.each([...javascriptAdvice, ...pythonAdvice])("the page for $package is there", ({ guide }) => {
  expect(existsSync(new URL(`../../${guide}`, LIBRARY))).toBe(true);
});

it("with Claude Code's own program inside, what it says itself is left to it", () => {
  const advice = javascriptAdvice.find((one) => one.package === "@anthropic-ai/claude-agent-sdk");
  expect(advice?.lines[2]).toContain('profile: profiles["claude-code"]');
  expect(sotto.profiles).toHaveProperty("claude-code");
});
