// A small agent on @google/genai that reads and writes files of a directory, with reminders.
//   GEMINI_API_KEY=… node main.ts DIRECTORY "What it should do"
// GOOGLE_GEMINI_BASE_URL leads it to another server. A file that somebody else changes meanwhile is told to the model.

import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Content, type FunctionDeclaration, GoogleGenAI, type Part, Type } from "@google/genai";
import { createSession, type Profile } from "sotto";
import { reminders } from "sotto/google-genai";

const [directory = ".", prompt = "Tidy up notes.txt."] = process.argv.slice(2);
const profile: Profile = {
  ...{ name: "example", title: "The example", alreadySends: {}, names: { Read: "read", Write: "write" } },
  tools: { read: { does: "read", path: "path" }, write: { does: "write", path: "path" } },
};
const session = createSession({ cwd: directory, profile });
const client = new GoogleGenAI({ httpOptions: { fetch: reminders(session) } });

const path = { type: Type.STRING };
const model = process.env.MODEL ?? "gemini-3.8-flash";
const functionDeclarations: FunctionDeclaration[] = [
  { name: "read", parameters: { type: Type.OBJECT, properties: { path } } },
  { name: "write", parameters: { type: Type.OBJECT, properties: { path, content: path } } },
];
const config = { tools: [{ functionDeclarations }] };

async function use(name: string, input: { path?: string; content?: string }): Promise<string> {
  const file = resolve(directory, input.path ?? "");
  if (name === "read") return readFile(file, "utf8");
  await writeFile(file, input.content ?? "");
  return "written";
}

const contents: Content[] = [{ role: "user", parts: [{ text: prompt }] }];
for (;;) {
  const answer = await client.models.generateContent({ model, contents, config });
  contents.push(answer.candidates?.[0]?.content ?? { role: "model", parts: [] });
  const calls = answer.functionCalls ?? [];
  if (calls.length === 0) {
    console.log(answer.text);
    break;
  }
  const parts: Part[] = [];
  for (const { id = "", name = "", args = {} } of calls)
    parts.push({ functionResponse: { id, name, response: { output: await use(name, args) } } });
  contents.push({ role: "user", parts });
}
await session.close();
