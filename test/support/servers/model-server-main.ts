// The model server as a process: prints {"url"} as one line, appends each request to a file before it answers.
//   node model-server-main.ts --provider anthropic --log requests.jsonl [--script script.ts]
// The script is a module that exports `script` (an answer for each request, or a function) and may export `rules`.
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type ProviderName, type Rules, type Script, startModelServer } from "./model-server.ts";

const { values } = parseArgs({
  options: {
    provider: { type: "string", default: "anthropic" },
    log: { type: "string" },
    script: { type: "string" },
  },
});
const { log } = values;
if (log === undefined) throw new Error("model-server-main needs --log FILE");

const { script, rules } = await load(values.script);
const server = await startModelServer({
  ...rules,
  provider: values.provider as ProviderName,
  script,
  // Synchronous, so that the file shows a request even when its client is killed by the answer.
  onRequest: ({ body: _, ...received }) => appendFileSync(log, `${JSON.stringify(received)}\n`),
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);

async function load(path: string | undefined): Promise<{ script: Script; rules?: Rules }> {
  return path === undefined
    ? { script: () => ({ text: "Done." }) }
    : import(pathToFileURL(resolve(path)).href);
}
