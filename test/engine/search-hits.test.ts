// A search that the request shows asks which instructions speak about the files that it found.

import { anthropicMessages, gemini, profiles, type SessionOptions } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
let sessions = 0;
beforeEach(() => {
  world = createFileWorld();
  for (const directory of ["one", "two", "three"]) {
    world.write(`${directory}/AGENTS.md`, `About ${directory}.`);
    world.write(`${directory}/a.ts`, "export const a = 1;\n");
  }
});
afterEach(() => world.remove());

async function loadedBy(
  options: Partial<SessionOptions>,
  request: { dialect: never; body: object },
): Promise<string[]> {
  const session = openIn(world, { ...options, id: `session-${sessions++}` });
  const turn = await session.turn({ ...request, body: request.body as never });
  expect(turn.problem).toBeUndefined();
  const told = turn.reminders.filter(({ type }) => type === "nested_memory");
  const text = told.map((reminder) => reminder.text).join("\n");
  await session.close();
  return [...text.matchAll(/About (\w+)\./gu)].map(([, directory]) => directory as string);
}

function anthropic(name: string, input: object, content: unknown, failed = false) {
  const call = { type: "tool_use", id: "c", name, input };
  const result = { type: "tool_result", tool_use_id: "c", content, is_error: failed };
  const body = {
    tools: [{ name, input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ],
  };
  return { dialect: anthropicMessages as never, body };
}

it.each([
  ["matches", { pattern: "a" }, "one/a.ts:1:export const a = 1;\ntwo/a.ts:1:export const a = 1;"],
  ["files", { pattern: "a" }, [{ type: "text", text: "Found 2 files\none/a.ts\ntwo/a.ts" }]],
  ["files of a directory that was searched", { pattern: "a", path: "." }, "./one/a.ts\ntwo/a.ts"],
])("nested memory of a search: %s", async (_, input, content) => {
  for (const name of ["Grep", "Glob", "search_files"])
    expect(await loadedBy({}, anthropic(name, input, content))).toEqual(["one", "two"]);
});

it("is not looked up for what other tools return, nor for a search that failed", async () => {
  const content = "one/a.ts:1:export const a = 1;";
  expect(await loadedBy({}, anthropic("WebFetch", { url: "https://example.org" }, content))).toEqual([]);
  expect(await loadedBy({}, anthropic("Grep", { pattern: "a" }, content, true))).toEqual([]);
});

it("is found where the agent shows names below the directory that it searched", async () => {
  const args = { pattern: "a", dir_path: "two" };
  const output =
    'Found 1 match for pattern "a" in path "two":\n---\nFile: a.ts\nL1: export const a = 1;\n---';
  const body = {
    contents: [
      { role: "user", parts: [{ text: "Look." }] },
      { role: "model", parts: [{ functionCall: { name: "search_file_content", args } }] },
      { role: "user", parts: [{ functionResponse: { name: "search_file_content", response: { output } } }] },
    ],
  };
  const options = { profile: profiles["gemini-cli"] };
  expect(await loadedBy(options, { dialect: gemini as never, body })).toEqual(["two"]);
});
