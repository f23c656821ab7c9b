// With SOTTO_RECORD_DIR set, one request of each kind is kept there for each client, without what is not needed to tell
// whose it is: so the recordings of packages/gateway/src/fixtures were made.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { ReceivedRequest } from "../support/servers/model-server.ts";

type Json = Record<string, unknown>;

export async function record(title: string, kind: string, request: ReceivedRequest): Promise<void> {
  const { SOTTO_RECORD_DIR: folder = "" } = process.env;
  if (folder === "") return;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${title.replace(", ", ".").replaceAll(" ", "-")}.json`);
  const kept = existsSync(path) ? JSON.parse(await readFile(path, "utf8")) : {};
  if (kind in kept) return;
  const recorded = { headers: headersOf(request), body: bodyOf(request.body as Json) };
  const text = JSON.stringify({ ...kept, [kind]: JSON.parse(scrubbed(JSON.stringify(recorded))) }, null, 2);
  await writeFile(path, `${text}\n`);
}

const UNNEEDED =
  /^(?:host|connection|content-length|accept.*|authorization|x-api-key|x-goog-api-key|x-stainless.*)$/u;

function headersOf({ headers }: ReceivedRequest): Json {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !UNNEEDED.test(name)));
}

const HISTORY = ["messages", "input", "contents"];
const SYSTEM = ["system", "instructions", "systemInstruction"];

function bodyOf(body: Json): Json {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (key === "tools") return [key, shortened(value, 200)];
      if (SYSTEM.includes(key)) return [key, shortened(value, 60)];
      if (!HISTORY.includes(key)) return [key, value];
      const messages = (value as Json[]).filter((message) => !isReminder(message));
      return [key, [...new Set([messages[0], messages.at(-1)])].map((message) => shortened(message, 60))];
    }),
  );
}

const SCHEMAS = new Set([
  "description",
  "parameters",
  "input_schema",
  "parametersJsonSchema",
  "strict",
  "format",
]);

/** Of the gateway: clients have theirs beside other words. */
function isReminder({ content, parts }: Json): boolean {
  const text = JSON.stringify(content ?? parts) ?? "";
  return (
    /^(?:\[\{(?:"type":"\w+",)?"text":)?"<(?:system-reminder|teammate-message)\b/u.test(text) &&
    !text.includes("},{")
  );
}

/** Tools by their names alone, texts by their beginnings. */
function shortened(value: unknown, most: number): unknown {
  if (typeof value === "string") return value.slice(0, most);
  if (Array.isArray(value)) return value.map((one) => shortened(one, most));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !SCHEMAS.has(key))
      .map(([key, one]) => [key, shortened(one, most)]),
  );
}

/** Ids become others of the same form, the same for the same; folders of this machine become a project's. */
function scrubbed(text: string): string {
  const ids = new Map<string, string>();
  const other = (id: string) => {
    if (!ids.has(id)) ids.set(id, String(ids.size + 1));
    const count = ids.get(id) as string;
    return id.replaceAll(/[0-9a-zA-Z](?=[^_]*$)/gu, "0").slice(0, -count.length) + count;
  };
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,64}\b|ses_\w{20,}/gu, other)
    .replaceAll(/\/tmp\/sotto-[\w-]+\/(?:project|home)/gu, "/home/ada/shop")
    .replaceAll(/(unix_ms\\*":)\d+/gu, "$11");
}
