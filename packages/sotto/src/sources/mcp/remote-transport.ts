// MCP over HTTP, bounded, and with an ear for servers that want a login first.

import type { RemoteServer } from "./server-config.ts";
import { type FloodGate, LONGEST_MESSAGE } from "./flood-gate.ts";
import type { Sdk, Transport } from "./sdk.ts";

export interface RemoteOptions {
  sdk: Sdk;
  gate: FloodGate;
  /** The server answered that it does not know us. */
  onLoginNeeded(): void;
  fetch?: typeof globalThis.fetch;
}

/** Throws where the address is none. */
export function createRemoteTransport(
  { type, url, headers = {} }: RemoteServer,
  { sdk, gate, onLoginNeeded, fetch = globalThis.fetch }: RemoteOptions,
): Transport {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/u.test(address.protocol))
    throw new Error("its url is no http address");
  const bounded: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 401 || response.status === 403) onLoginNeeded();
    return withGate(response, gate);
  };
  const options = { requestInit: { headers }, fetch: bounded };
  return type === "sse"
    ? new sdk.SSEClientTransport(address, options)
    : (new sdk.StreamableHTTPClientTransport(address, options) as Transport);
}

function withGate(response: Response, gate: FloodGate): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  // A stream of events goes on for as long as the connection; anything else is one message.
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let left = isStream ? Number.POSITIVE_INFINITY : LONGEST_MESSAGE;
  const metered = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) controller.error(new Error(`it sent a message of more than ${LONGEST_MESSAGE} bytes`));
        else if (gate.bytes(chunk.length)) controller.enqueue(chunk);
        else controller.error(new Error(gate.problem()));
      },
    }),
  );
  return new Response(metered, { status, statusText, headers });
}
