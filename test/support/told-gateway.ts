// A gateway before a provider of the test's own, and a way to tell its conversations something.

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
  let posted = 0;
  let ended = 0;
  const gateway = createGateway({
    port: 0,
    upstreams: { anthropic: { url }, openai: { url }, gemini: { url } },
    log: (line) => {
      session = line.session ?? session;
      if (line.dialect !== undefined) ended += 1;
    },
  });
  onTestFinished(async () => {
    await gateway.close(0);
    server.closeAllConnections();
    server.close();
  });
  const base = await gateway.listen();
  const send = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(base + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers, ...more },
      body: JSON.stringify(body),
    });
  /** The log names the conversation when a request is over, a little behind its answer. */
  const settled = () => expect.poll(() => ended).toBe(posted);
  return {
    settled,
    post(path: string, body: object, more?: Record<string, string>): Promise<Response> {
      posted += 1;
      return send(path, body, more);
    },
    /** `to`: a session. Default: the latest one. */
    async tell(
      ids: string | readonly string[],
      as: "a prompt" | "a letter" = "a prompt",
      to?: string,
    ): Promise<void> {
      await settled();
      const events = [ids].flat().map((id) => {
        const text = `Mind ${id}.`;
        const event =
          as === "a prompt"
            ? { type: "prompt_queued", id, prompt: text }
            : { type: "message_received", id, from: "ada", text, timestamp: "2026-01-01T00:00:00Z" };
        return { id, event };
      });
      const path = `/sotto/v1/sessions/${encodeURIComponent(to ?? session)}/events`;
      expect((await send(path, { events })).status).toBe(200);
    },
  };
}
