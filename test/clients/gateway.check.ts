// Real coding agents through the gateway, unchanged: only their base URL is another.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSqliteStore } from "sotto";
import { createGateway, type LogLine } from "sotto-gateway";
import { describe, expect, inject, type TestContext, test } from "vitest";
import { upstreamOf } from "../support/gateway-stage.ts";
import { prefixOf } from "../support/prefix.ts";
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
const ANSWER = "The notes are read.";

const clients: { title: string; client: Client }[] = [
  { title: "claude-code", client: claudeCode },
  { title: "codex", client: codex },
  { title: "gemini-cli", client: geminiCli },
  ...[...qwenCode, ...pi].map((client) => ({ title: `${client.name}, ${client.api}`, client })),
].map(({ title, client }) => ({ title, client: withoutSotto(client) }));

describe.each(clients)("$title", ({ client }) => {
  test("AC-59 reminders come in their time, once, and the agent ends as it should", async (context) => {
    const { stage, lines } = await open(client, context);
    const first = await stage.prompt("Read the notes.");
    expectFine(first);
    const [asked, answered] = first.requests;
    expect(newIn(client.wire, asked?.body)).toContain(STANDING);
    expect(asked?.raw).not.toContain(REMINDER);
    expect(newIn(client.wire, answered?.body)).toContain(REMINDER);
    expect(newIn(client.wire, answered?.body)).not.toContain(STANDING);
    const [before = "", after = ""] = [asked, answered].map((one) => prefixOf(client.wire, one?.body));
    expect(after.startsWith(before)).toBe(true);

    const second = await stage.prompt("Thank you.", { resume: true });
    expectFine(second);
    const [resumed] = second.requests;
    expect(newIn(client.wire, resumed?.body)).toContain("Thank you.");
    for (const words of [REMINDER, STANDING]) {
      expect(newIn(client.wire, resumed?.body)).not.toContain(words);
      expect(resumed?.raw).toContain(words);
    }
    if (client.resumesPrefix) expect(prefixOf(client.wire, resumed?.body).startsWith(after)).toBe(true);
    expect(stage.server.violations).toEqual([]);
    const found = lines.filter(({ session }) => session !== undefined);
    console.info(
      `${client.name}: ${[...new Set(found.map(({ session, foundBy }) => `${session} by ${foundBy}`))].join("; ")}`,
    );
    expect(new Set(found.map(({ session }) => session)).size).toBe(1);
  });
});

/** As it is for someone who has set nothing up. */
function withoutSotto(client: Client): Client {
  return {
    ...client,
    hooks: false,
    async settle(place) {
      await client.settle(place);
      if (client.name === "pi") await writeFile(join(place.home, ".pi/agent/settings.json"), "{}");
    },
  };
}

async function open(client: Client, context: TestContext): Promise<{ stage: Stage; lines: LogLine[] }> {
  const installed = inject("clients")[client.name];
  if ("reason" in installed) return context.skip(`not installed: ${installed.reason}`);
  const lines: LogLine[] = [];
  const name = upstreamOf[client.provider];
  const stage: Stage = await createStage(
    client,
    installed.program,
    (body, index) => ({
      ...(body.thinking ? { thinking: "The notes come first." } : {}),
      ...(index === 0 ? { toolCalls: [client.readCall(FILE, stage.project)] } : { text: ANSWER }),
    }),
    async ({ home, project, url }) => {
      const store = createSqliteStore({ path: join(home, "gateway.db") });
      const gateway = createGateway({
        ...{ port: 0, store, workspaces: [project], upstreams: { [name]: { url, dialect: name } } },
        session: { home, trust: { user: true }, config: { timeout_ms: 4000 } },
        log: (line) => lines.push(line),
      });
      const own = await gateway.listen();
      const close = async () => {
        await gateway.close(0);
        await store.close();
      };
      return { url: `${own}/${name}`, close };
    },
  );
  context.onTestFinished(() => stage.close());
  await stage.write(FILE, "one note\n");
  await stage.write(".sotto/reminders/notes.md", `---\npaths: ["src/**"]\n---\n${REMINDER}\n`);
  await stage.write(
    ".sotto/reminders/short.md",
    `---\non: session_start\nlifetime: session\n---\n${STANDING}\n`,
  );
  return { stage, lines };
}

/** The output is in the message: where an agent fails, it says why. */
function expectFine({ code, stdout, stderr, wanted }: Run): void {
  expect({ code, wanted }, `${stdout}\n${stderr}`).toEqual({ code: 0, wanted: [] });
  expect(stdout).toContain(ANSWER);
}
