// One model call over HTTP, as a host makes it: whole or streamed, with a limit on how long it waits.

import { once } from "node:events";
// Not fetch: loading it takes a third of a host's life.
import { type IncomingMessage, request } from "node:http";
import type { Ask } from "./asks.ts";
import type { Reach } from "./points.ts";
import type { Message, Wire } from "./wire.ts";

export interface CallOptions {
  wire: Wire;
  url: string;
  ask: Ask;
  reach: Reach;
}

const PATIENCE_MS = 120_000;
const SHORT_PATIENCE_MS = 60;

/** The answer's message; throws when the provider refuses, breaks off or takes too long. */
export async function call(body: Record<string, unknown>, options: CallOptions): Promise<Message> {
  const { wire, ask, reach } = options;
  const response = await send(body, options, ask === "stall" ? SHORT_PATIENCE_MS : PATIENCE_MS);
  reach("after-send");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    reach("inside-answer");
  }
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
  return body.stream ? wire.streamed(eventsOf(text)) : wire.whole(JSON.parse(text));
}

async function send(
  body: Record<string, unknown>,
  { wire, url }: CallOptions,
  patience: number,
): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const sent = request(`${url}${wire.path}`, {
    method: "POST",
    headers,
    signal: AbortSignal.timeout(patience),
  });
  // Once there is a response, what goes wrong is heard of there.
  sent.on("error", () => {});
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, "response");
  return response;
}

function eventsOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
}
