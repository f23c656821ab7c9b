// MCP servers that should not exist, over stdio: the first argument says how they misbehave.

import { writeSync } from "node:fs";

const [, , way = ""] = process.argv;

const answer = (id: unknown, result: unknown) => say(JSON.stringify({ jsonrpc: "2.0", id, result }));
const hello = {
  protocolVersion: "2025-06-18",
  capabilities: { resources: {}, tools: {} },
  serverInfo: { name: way, version: "1.0.0" },
};

function say(text: string): void {
  let bytes = Buffer.from(`${text}\n`);
  while (bytes.length > 0)
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(1);
    }
}

const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/list_changed" });
const ways: Record<string, (id: unknown, method: string) => void> = {
  hangs: () => undefined,
  nonsense: () => {
    for (let line = 0; line < 1000; line++) say(`<html>${line}</html>`);
  },
  "one-long-line": () => {
    for (let megabyte = 0; megabyte < 100; megabyte++) writeSync(1, "x".repeat(1024 * 1024));
  },
  "many-notes": (id, method) => {
    if (method === "initialize") answer(id, hello);
    else for (let count = 0; count < 1_000; count++) say(`${note}\n`.repeat(1000));
  },
  dies: (id, method) => {
    answer(id, method === "initialize" ? hello : {});
    process.exit(7);
  },
  // A resource of another's making: what it says, and how often, stands in the environment.
  teller: (id, method) => {
    if (method === "initialize") return answer(id, hello);
    if (method === "resources/list") return answer(id, { resources: [] });
    if (method === "tools/list") return answer(id, { tools: [] });
    answer(id, {
      contents: [{ uri: "x://y", text: (process.env.TELLS ?? "").repeat(Number(process.env.TIMES ?? 1)) }],
    });
  },
  // Answers that fit no question.
  liar: (id, method) => {
    if (method === "initialize") return answer(id, hello);
    if (method === "tools/list") return answer(id, { tools: [{ name: 7 }, null] });
    if (method === "resources/list") return answer(id, { resources: "many" });
    answer(id, { contents: { text: 1 } });
  },
};

// A child of its own, which must not outlive it.
if (way === "parent") {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  process.stderr.write(`child ${child.pid}\n`);
  ways.parent = (id, method) => answer(id, method === "initialize" ? hello : { tools: [], resources: [] });
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line) as { id?: unknown; method: string };
    if (id !== undefined) ways[way]?.(id, method);
  }
});
