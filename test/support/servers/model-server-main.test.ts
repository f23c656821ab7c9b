// The model server as a process of its own: what it received is on disk before anyone has an answer.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";

const main = join(import.meta.dirname, "model-server-main.ts");
const children: ChildProcess[] = [];
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "model-server-"));
});

afterEach(async () => {
  await Promise.all(
    children.splice(0).map((child) => {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      return exited;
    }),
  );
  rmSync(folder, { recursive: true });
});

async function start(...options: string[]) {
  const log = join(folder, "requests.jsonl");
  const child = spawn(process.execPath, [main, "--log", log, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), "line");
  const received = () =>
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((entry) => JSON.parse(entry));
  return { url: JSON.parse(line).url as string, child, received };
}

const body = { model: "claude-test", max_tokens: 10, messages: [{ role: "user" as const, content: "Hi" }] };

test("answers, and keeps each request with its violations", async () => {
  const { url, received } = await start("--provider", "anthropic");
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  expect(await client.messages.create(body)).toMatchObject({ content: [{ text: "Done." }] });
  await expect(client.messages.create({ ...body, messages: [] })).rejects.toThrow(/at least one message/);
  expect(received()).toMatchObject([
    { index: 0, path: "/v1/messages", raw: JSON.stringify(body), status: 200, violations: [] },
    { index: 1, status: 400, violations: [expect.stringMatching(/at least one message/)] },
  ]);
});

test("has a request on disk although neither client nor server lived to see the answer", async () => {
  const script = join(folder, "script.ts");
  writeFileSync(script, 'export const script = (): object => ({ cut: "before-headers" });\n');
  const { url, child, received } = await start("--script", script);
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  await expect(client.messages.create(body)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(received()).toMatchObject([{ raw: JSON.stringify(body), status: null }]);
});
