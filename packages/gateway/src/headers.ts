// Headers on their way: all but those that belong to one connection, or to the gateway.

const HOP_BY_HOP = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Name, value, name, value, … as Node has them. */
export type RawHeaders = string[];

/** In their order and spelling. `without`: more names, in lower case. */
export function endToEnd(raw: readonly string[], without: readonly string[] = []): RawHeaders {
  const left = new Set([...HOP_BY_HOP, ...without]);
  for (let at = 0; at < raw.length; at += 2)
    if (raw[at]?.toLowerCase() === "connection")
      for (const name of raw[at + 1]?.split(",") ?? []) left.add(name.trim().toLowerCase());
  const kept: RawHeaders = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!left.has(name.toLowerCase())) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}

export interface HeaderChanges {
  host: string;
  /** Of a body that is sent in one piece. */
  length?: number;
  decoded?: boolean;
  /** In place of the client's, by names in lower case. */
  instead?: Readonly<Record<string, string>>;
}

/** What the upstream gets. */
export function upstreamHeaders(
  raw: readonly string[],
  { host, length, decoded, instead = {} }: HeaderChanges,
): RawHeaders {
  const own = ["host", "expect", "x-sotto-session", "x-sotto-token", "x-sotto-workspace"];
  const isChunked = length === undefined && hasHeader(raw, "transfer-encoding");
  const replaced = [
    ...own,
    ...(length === undefined ? [] : ["content-length"]),
    // What is not chunked has no trailers to announce.
    ...(isChunked ? [] : ["trailer"]),
    ...(decoded ? ["content-encoding"] : []),
    ...Object.keys(instead),
  ];
  return [
    "Host",
    host,
    ...endToEnd(raw, replaced),
    ...Object.entries(instead).flat(),
    ...(length === undefined ? [] : ["Content-Length", String(length)]),
    ...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
  ];
}

function hasHeader(raw: readonly string[], name: string): boolean {
  return raw.some((one, at) => at % 2 === 0 && one.toLowerCase() === name);
}
