// What only pi can do without a terminal: fork a session, and sum it up.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, inject, type TestContext, test } from "vitest";
import { newIn } from "./new-in.ts";
import { pi } from "./pi.ts";
import { createStage, type Stage } from "./stage.ts";

const STANDING = "Answer in one sentence.";
const [client] = pi;
const model = ["--provider", "loopback", "--model", "gemini-3-loopback"];

test("a fork of a pi session knows what was said before it", async (context) => {
  const stage = await open(context);
  const first = await stage.prompt("Begin.");
  expect(newIn("anthropic-messages", first.requests[0]?.body)).toContain(STANDING);
  const folder = join(stage.home, ".pi/agent/sessions");
  const [file = ""] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  const fork = await stage.prompt("", { line: [...model, "--fork", join(folder, file), "-p", "Go on."] });
  expect(fork.code, fork.stderr).toBe(0);
  const [request] = fork.requests;
  expect(newIn("anthropic-messages", request?.body)).toContain("Go on.");
  expect(newIn("anthropic-messages", request?.body)).not.toContain(STANDING);
  expect(request?.raw).toContain(STANDING);
});

test("what a summary took out of view is said again; whoever sums up does not hear it", async (context) => {
  const stage = await open(context);
  const settings = join(stage.home, ".pi/agent/settings.json");
  const compaction = { reserveTokens: 1000, keepRecentTokens: 10 };
  await writeFile(settings, JSON.stringify({ ...JSON.parse(await readFile(settings, "utf8")), compaction }));
  const talk = talkTo(stage.start([...model, "--mode", "rpc"]));
  await talk({ type: "prompt", message: "Begin." }, "agent_end");
  await talk({ type: "prompt", message: "Go on." }, "agent_end");
  const told = stage.server.requests.length;
  await talk({ type: "compact" }, "response");
  const summing = stage.server.requests.slice(told);
  await talk({ type: "prompt", message: "And on." }, "agent_end");
  expect(summing.length).toBeGreaterThan(0);
  expect(summing.filter(({ raw }) => raw.includes(STANDING))).toEqual([]);
  const { body } = stage.server.requests.at(-1) ?? {};
  expect(newIn("anthropic-messages", body)).toContain("And on.");
  expect(newIn("anthropic-messages", body)).toContain(STANDING);
  await talk.end();
});

test("where the store cannot be opened, pi goes on without reminders and says why", async (context) => {
  const stage = await open(context);
  await mkdir(join(stage.home, ".local/state"), { recursive: true });
  await writeFile(join(stage.home, ".local/state/sotto"), "A file where a directory should be.\n");
  const { code, stdout, stderr, requests } = await stage.prompt("Begin.");
  expect({ code, asked: requests.length }, stderr).toEqual({ code: 0, asked: 1 });
  expect(stdout).toContain("A long answer.");
  expect(requests[0]?.raw).not.toContain(STANDING);
  expect(stderr).toMatch(/^sotto: .+/mu);
});

async function open(context: TestContext): Promise<Stage> {
  const installed = inject("clients").pi;
  if ("reason" in installed) return context.skip(`not installed: ${installed.reason}`);
  if (client === undefined) throw new Error("there is no client for pi");
  const stage = await createStage(client, installed.program, () => ({ text: "A long answer. ".repeat(100) }));
  context.onTestFinished(() => stage.close());
  const reminder = `---\non: session_start\nlifetime: session\n---\n${STANDING}\n`;
  await stage.write(".sotto/reminders/short.md", reminder);
  return stage;
}

/** Gives a command, and waits for the first line of the type that follows. */
function talkTo(child: ReturnType<Stage["start"]>) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = async (command: object, until: string): Promise<void> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`pi ended before ${until}`);
      const { type, command: answered } = JSON.parse(value) as { type: string; command?: string };
      if (type === until && (until !== "response" || answered === "compact")) return;
    }
  };
  const end = async () => {
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.kill();
    await closed;
  };
  return Object.assign(say, { end });
}
