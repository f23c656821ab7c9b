// A stage for a coding agent with a gateway between it and its model: only the base URL is another.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSqliteStore } from "sotto";
import { createGateway, type LogLine } from "sotto-gateway";
import { expect, inject, type TestContext } from "vitest";
import { upstreamOf } from "../support/gateway-stage.ts";
import type { Answer } from "../support/servers/model-server.ts";
import type { Client } from "./client.ts";
import { createStage, type Run, type Stage } from "./stage.ts";

export const FILE = "src/notes.txt";
/** Told with the file. */
export const REMINDER = "Every note ends with a full stop.";
/** Told at the start of a session. */
export const STANDING = "Answer in one sentence.";
export const ANSWER = "The notes are read.";

export interface GatewayStage extends Stage {
  title: string;
  lines: LogLine[];
  /** Reports something to the session that was last asked for. */
  tell(text: string): Promise<void>;
}

type Model = (body: Record<string, unknown>, stage: Stage, index: number) => Answer;

export async function openThroughGateway(
  { title, client }: { title: string; client: Client },
  context: TestContext,
  model: Model,
): Promise<GatewayStage> {
  const installed = inject("clients")[client.name];
  if ("reason" in installed) return context.skip(`not installed: ${installed.reason}`);
  const lines: LogLine[] = [];
  const name = upstreamOf[client.provider];
  let own = "";
  const stage: Stage = await createStage(
    withoutSotto(client),
    installed.program,
    (body, index) => ({
      ...(body.thinking ? { thinking: "The notes come first." } : {}),
      ...model(body, stage, index),
    }),
    async ({ home, project, url }) => {
      const store = createSqliteStore({ path: join(home, "gateway.db") });
      const gateway = createGateway({
        ...{ port: 0, store, workspaces: [project], upstreams: { [name]: { url, dialect: name } } },
        session: { home, trust: { user: true }, config: { timeout_ms: 4000 } },
        log: (line) => lines.push(line),
      });
      own = await gateway.listen();
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
  const tell = async (text: string) => {
    const session = lines.findLast((line) => line.session !== undefined)?.session ?? "";
    const event = {
      type: "message_received",
      id: text,
      from: "ada",
      text,
      timestamp: "2026-11-15T10:00:00Z",
    };
    const response = await fetch(`${own}/sotto/v1/sessions/${encodeURIComponent(session)}/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: [{ id: text, event }] }),
    });
    expect(response.status).toBe(200);
  };
  return { ...stage, title, lines, tell };
}

/** As it is for someone who has set nothing up. */
function withoutSotto(client: Client): Client {
  return {
    ...client,
    hooks: false,
    async settle(place) {
      if (client.name !== "pi") return client.settle(place);
      await client.settle(place);
      await writeFile(join(place.home, ".pi/agent/settings.json"), "{}");
    },
  };
}

/** The output is in the message: where an agent fails, it says why. */
export function expectFine(client: Client, { code, stdout, stderr, wanted }: Run): void {
  const beyond = wanted.filter((host) => !client.wants?.test(host));
  expect({ code, beyond }, `${stdout}\n${stderr}`).toEqual({ code: 0, beyond: [] });
}
