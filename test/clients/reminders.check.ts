// Real coding agents, without a terminal, against a model on loopback: what Sotto has to say is in what the model got.

import { describe, expect, inject, type TestContext, test } from "vitest";
import { prefixOf } from "../support/prefix.ts";
import type { ReceivedRequest } from "../support/servers/model-server.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { newIn } from "./new-in.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { createStage, type Run, type Stage } from "./stage.ts";

const FILE = "src/notes.txt";
const REMINDER = "Every note ends with a full stop.";
const STANDING = "Answer in one sentence.";
const NESTED = "Notes are written in the present tense.";
const ANSWER = "The notes are read.";

const clients: { title: string; client: Client }[] = [
  { title: "claude-code", client: claudeCode },
  { title: "codex", client: codex },
  { title: "gemini-cli", client: geminiCli },
  ...[...qwenCode, ...pi].map((client) => ({ title: `${client.name}, ${client.api}`, client })),
];
/** Claude Code tells of these itself; Qwen Code tells of rules and skills, and leaves files to the model. */
const watched = clients.filter(({ client }) => client.name !== "qwen-code" && client.name !== "claude-code");

describe.each(clients)("$title", ({ client }) => {
  test("reminders of the session and of a file come in their time, once, and the agent ends as it should", async (context) => {
    const stage = await open(client, context);
    const first = await stage.prompt("Read the notes.");
    expectFine(first);
    const [asked, answered] = first.requests;
    expect(asked?.raw).not.toContain(REMINDER);
    expect(newIn(client.wire, asked?.body)).toContain(STANDING);
    expect(newIn(client.wire, answered?.body)).toContain(REMINDER);
    expect(newIn(client.wire, answered?.body)).toContain("one note");
    expect(newIn(client.wire, answered?.body)).not.toContain(STANDING);
    expectContinued(client, [asked, answered]);

    const second = await stage.prompt("Thank you.", { resume: true });
    expectFine(second);
    const [resumed] = second.requests;
    expect(newIn(client.wire, resumed?.body)).toContain("Thank you.");
    for (const words of [REMINDER, STANDING, "Read the notes."]) {
      expect(newIn(client.wire, resumed?.body)).not.toContain(words);
      expect(resumed?.raw).toContain(words);
    }
    if (client.resumesPrefix) expectContinued(client, [answered, resumed]);
    expect(stage.server.violations).toEqual([]);
  });
});

describe.each(watched)("$title", ({ client }) => {
  test("the instructions of a folder come with its first file", async (context) => {
    const stage = await open(client, context);
    await stage.write("src/AGENTS.md", `${NESTED}\n`);
    const run = await stage.prompt("Read the notes.");
    expectFine(run);
    expect(run.requests[0]?.raw).not.toContain(NESTED);
    expect(newIn(client.wire, run.requests[1]?.body)).toContain(NESTED);
    const second = await stage.prompt("Thank you.", { resume: true });
    expectFine(second);
    expect(newIn(client.wire, second.requests[0]?.body)).not.toContain(NESTED);
  });

  test("a file that somebody else changed between two prompts is told with its new line", async (context) => {
    const stage = await open(client, context);
    expectFine(await stage.prompt("Read the notes."));
    await stage.write(FILE, "one note\nanother note\n");
    const second = await stage.prompt("Go on.", { resume: true });
    expectFine(second);
    expect(newIn(client.wire, second.requests[0]?.body)).toContain("another note");
    expect(newIn(client.wire, second.requests[0]?.body)).toContain(FILE);
    const third = await stage.prompt("And on.", { resume: true });
    expectFine(third);
    expect(newIn(client.wire, third.requests[0]?.body)).not.toContain("another note");
  });
});

async function open(client: Client, context: TestContext): Promise<Stage> {
  const installed = inject("clients")[client.name];
  if ("reason" in installed) return context.skip(`not installed: ${installed.reason}`);
  const stage: Stage = await createStage(client, installed.program, (body, index) => ({
    // A model that was asked to think does, and its call is not taken without.
    ...(body.thinking ? { thinking: "The notes come first." } : {}),
    ...(index === 0 ? { toolCalls: [client.readCall(FILE, stage.project)] } : { text: ANSWER }),
  }));
  context.onTestFinished(() => stage.close());
  await stage.write(FILE, "one note\n");
  await stage.write(".sotto/reminders/notes.md", `---\npaths: ["src/**"]\n---\n${REMINDER}\n`);
  await stage.write(
    ".sotto/reminders/short.md",
    `---\non: session_start\nlifetime: session\n---\n${STANDING}\n`,
  );
  return stage;
}

/** The output is in the message: where an agent fails, it says why. */
function expectFine({ code, stdout, stderr, wanted }: Run): void {
  expect({ code, wanted }, `${stdout}\n${stderr}`).toEqual({ code: 0, wanted: [] });
  expect(stdout).toContain(ANSWER);
}

function expectContinued(client: Client, requests: readonly (ReceivedRequest | undefined)[]): void {
  const [earlier = "", later = ""] = requests.map((request) => prefixOf(client.wire, request?.body));
  expect(later.startsWith(earlier), "the later request begins with the earlier one").toBe(true);
}
