// A small agent on openai (Responses) that reads and writes files of a directory, with reminders.
//   OPENAI_API_KEY=… node main.ts DIRECTORY "What it should do"
// OPENAI_BASE_URL leads it to another server. A file that somebody else changes meanwhile is told to the model.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import OpenAI from "openai";
import { createSession, type Profile } from "sotto";
import { reminders } from "sotto/openai";

const [directory = ".", prompt = "Tidy up notes.txt."] = process.argv.slice(2);
const profile: Profile = {
  ...{ name: "example", title: "The example", alreadySends: {}, names: { Read: "read", Write: "write" } },
  tools: { read: { does: "read", path: "path" }, write: { does: "write", path: "path" } },
};
const session = createSession({ cwd: directory, profile });
const client = new OpenAI({ fetch: reminders(session) });

const path = { type: "string" };
const tools = [
  { name: "read", properties: { path } },
  { name: "write", properties: { path, content: { type: "string" } } },
].map(({ name, properties }) => ({
  ...{ type: "function" as const, name, strict: false, parameters: { type: "object", properties } },
}));

async function use(name: string, input: { path: string; content?: string }): Promise<string> {
  const file = resolve(directory, input.path);
  if (name === "read") return readFile(file, "utf8");
  await writeFile(file, input.content ?? "");
  return "written";
}

const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: prompt }];
for (;;) {
  const answer = await client.responses.create({ model: process.env.MODEL ?? "gpt-5.6-sol", input, tools });
  input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
  const calls = answer.output.filter((item) => item.type === "function_call");
  if (calls.length === 0) {
    console.log(answer.output_text);
    break;
  }
  for (const { call_id, name, arguments: given } of calls) {
    input.push({ type: "function_call_output", call_id, output: await use(name, JSON.parse(given)) });
  }
}
await session.close();
