// A gateway before a provider of the test's own, and a way to tell its latest conversation something.

import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { createGateway } from "../../packages/gateway/src/gateway.ts";

/** `headers`: of every request. */
export async function startToldGateway(answer: http.RequestListener, headers: Record<string, string>) {
  const server = http.createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let session = "";
  const gateway = createGateway({
    port: 0,
    upstreams: { anthropic: { url }, openai: { url }, gemini: { url } },
    log: (line) => {
      session = line.session ?? session;
    },
  });
  onTestFinished(async () => {
    await gateway.close(0);
    server.closeAllConnections();
    server.close();
  });
  const base = await gateway.listen();
  const post = (path: string, body: object) =>
    fetch(base + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return {
    post,
    async tell(id: string): Promise<void> {
      const event = { type: "prompt_queued", id, prompt: `Mind ${id}.` };
      const path = `/sotto/v1/sessions/${encodeURIComponent(session)}/events`;
      expect((await post(path, { events: [{ id, event }] })).status).toBe(200);
    },
  };
}
