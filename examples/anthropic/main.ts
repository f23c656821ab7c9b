// A small agent on @anthropic-ai/sdk that reads and writes files of a directory, with reminders.
//   ANTHROPIC_API_KEY=… node main.ts DIRECTORY "What it should do"
// ANTHROPIC_BASE_URL leads it to another server. A file that somebody else changes meanwhile is told to the model.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { createSession, type Profile } from "sotto";
import { reminders } from "sotto/anthropic";

const [directory = ".", prompt = "Tidy up notes.txt."] = process.argv.slice(2);
const profile: Profile = {
  ...{ name: "example", title: "The example", alreadySends: {}, names: { Read: "read", Write: "write" } },
  tools: { read: { does: "read", path: "path" }, write: { does: "write", path: "path" } },
};
const session = createSession({ cwd: directory, profile });
const client = new Anthropic({ middleware: [reminders(session)] });

const path = { type: "string" } as const;
const tools: Anthropic.Tool[] = [
  { name: "read", input_schema: { type: "object", properties: { path } } },
  { name: "write", input_schema: { type: "object", properties: { path, content: { type: "string" } } } },
];

async function use(name: string, input: { path: string; content?: string }): Promise<string> {
  const file = resolve(directory, input.path);
  if (name === "read") return readFile(file, "utf8");
  await writeFile(file, input.content ?? "");
  return "written";
}

const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
for (;;) {
  const model = process.env.MODEL ?? "claude-opus-4-8";
  const { content } = await client.messages.create({ model, max_tokens: 4000, messages, tools });
  messages.push({ role: "assistant", content: content as Anthropic.ContentBlockParam[] });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) {
    console.log(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    break;
  }
  const results = calls.map(async ({ id, name, input }) => {
    const output = await use(name, input as { path: string });
    return { type: "tool_result" as const, tool_use_id: id, content: output };
  });
  messages.push({ role: "user", content: await Promise.all(results) });
}
await session.close();
