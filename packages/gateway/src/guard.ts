// Who may call the gateway: no web page that does not belong here, no name that merely points here, and beyond loopback
// only clients with a token. And nothing that others might read in another way.

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback, type Settings } from "./options.ts";

export type Guarded =
  /** `client`: the name of its token. */
  { client?: string } | { status: number; problem: string };

export function guard(
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  { host, hosts = [], origins = [], tokens }: Pick<Settings, "host" | "hosts" | "origins" | "tokens">,
): Guarded {
  const names = rawHeaders.filter((one, at) => at % 2 === 0 && one.toLowerCase() === "host");
  if (names.length > 1) return { status: 400, problem: "it has more than one Host header" };
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return { status: 400, problem: "of transfer codings only chunked is supported" };
  if (isWebsocket(headers)) return { status: 426, problem: "websockets are not supported; use HTTP" };
  const name = hostName(headers.host);
  const isKnown = name !== undefined && (isLoopback(name) || name === host || hosts.includes(name));
  if (!isKnown)
    return {
      status: 421,
      problem: `the gateway is not known by this name; add it to gateway.hosts if it should be`,
    };
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isForeign = origin !== undefined || site === "cross-site" || site === "same-site";
  if (isForeign && !origins.includes(origin ?? ""))
    return {
      status: 403,
      problem: "web pages may not call the gateway; gateway.origins names those that may",
    };
  if (tokens.size === 0) return {};
  const client = clientOf(headers["x-sotto-token"], tokens);
  return client === undefined
    ? { status: 401, problem: "a token is required, in the header x-sotto-token" }
    : { client };
}

/** Other protocols, such as h2c, are only offered: HTTP/1.1 will do. */
function isWebsocket({ connection = "", upgrade = "" }: IncomingMessage["headers"]): boolean {
  return /\bupgrade\b/iu.test(connection) && /\bwebsocket\b/iu.test(upgrade);
}

/** Without its port. */
function hostName(given: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/iu.exec(given ?? "")?.[1]?.toLowerCase();
}

/** Takes as long for a wrong token as for a right one, wherever they differ. */
function clientOf(
  given: string | string[] | undefined,
  tokens: ReadonlyMap<string, Buffer>,
): string | undefined {
  const hash = createHash("sha256")
    .update(String(given ?? ""))
    .digest();
  let found: string | undefined;
  for (const [name, known] of tokens) if (timingSafeEqual(hash, known)) found = name;
  return found;
}
