// What a gateway is made of, checked at once: who may call it, where requests go, what they may cost.

import { isIP } from "node:net";
import { type SessionOptions, SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { shownName, turnMsSet } from "sotto/internal";
import type { LogLine } from "./log.ts";
import type { MetricsData } from "./metrics.ts";
import type { ModelFacts } from "./usage.ts";

/** A provider's API, or a server that speaks like it. */
export interface Upstream {
  /** Its address, with the path that comes before every other. */
  url: string;
  /** Whose requests it takes. Default: known by the path. */
  dialect?: Family | undefined;
  /** Paths may have `//` in them, as a program makes them of a base URL that ends with a slash. */
  doubleSlashes?: boolean | undefined;
}

export const FAMILIES = ["anthropic", "openai", "gemini"] as const;
export type Family = (typeof FAMILIES)[number];

/** What `createGateway` takes; every option has a default. */
export interface GatewayOptions {
  /** Default: 127.0.0.1. Beyond loopback `tokens` are required, and `tls` or `behindProxy`. */
  host?: string | undefined;
  /** Default: 4747; 0 takes a free one. */
  port?: number | undefined;
  /** By name, which is the first part of the path; beside or in place of `anthropic`, `openai` and `gemini`. */
  upstreams?: Readonly<Record<string, Upstream>> | undefined;
  /** Where sessions are kept. The caller closes it. Default: in memory. */
  store?: Store | undefined;
  /** Directories whose files the gateway may look at. The first is that of agents that do not say where they are. */
  workspaces?: readonly string[] | undefined;
  /** More options of its sessions. */
  session?: Pick<SessionOptions, "home" | "config" | "configFiles" | "permissions" | "trust"> | undefined;
  /** Of clients, by name: the SHA-256 of each, as hexadecimal. */
  tokens?: Readonly<Record<string, string>> | undefined;
  /** PEM texts. */
  tls?: { cert: string; key: string } | undefined;
  /** A proxy in front of the gateway does the TLS. */
  behindProxy?: boolean | undefined;
  /** Names, besides its own address, by which clients may call the gateway. */
  hosts?: readonly string[] | undefined;
  /** Web pages that may call it, such as `http://localhost:3000`. */
  origins?: readonly string[] | undefined;
  /** Keeps what clients send in the store. Default: false. */
  recordConversation?: boolean | undefined;
  /** The counts that `/metrics` shows, if other processes have some. Default: those of this one. */
  metrics?: (() => Promise<MetricsData>) | undefined;
  limits?: Partial<Limits> | undefined;
  /** What is known of a model, for reminders about usage. */
  modelFacts?: ((model: string) => ModelFacts | undefined) | undefined;
  log?: ((line: LogLine) => void) | undefined;
}

export interface Limits {
  /** Bytes of a request that reminders go into, also once it is decompressed. */
  body: number;
  /** Bytes of all headers. */
  headers: number;
  connections: number;
  /** Until all headers are there. */
  headersMs: number;
  /** Until the whole request is there. */
  requestMs: number;
  /** Until the upstream takes the connection. */
  connectMs: number;
  /** Without a byte from the upstream. */
  silenceMs: number;
  /**
   * For finding the conversation and its reminders; then the request goes out as it is. Default: three seconds, or what
   * `SOTTO_TIMEOUT_MS` says if that is longer.
   */
  remindMs: number;
  /** Sessions that are kept open. */
  sessions: number;
}

const LIMITS: Limits = {
  body: 64 * 2 ** 20,
  headers: 64 * 1024,
  connections: 2000,
  headersMs: 30_000,
  requestMs: 300_000,
  connectMs: 15_000,
  silenceMs: 600_000,
  remindMs: 3000,
  sessions: 200,
};

const BUILT_IN: Readonly<Record<Family, Upstream>> = {
  anthropic: { url: "https://api.anthropic.com", dialect: "anthropic" },
  openai: { url: "https://api.openai.com", dialect: "openai" },
  gemini: { url: "https://generativelanguage.googleapis.com", dialect: "gemini" },
};

export interface Settings extends Omit<GatewayOptions, "upstreams" | "tokens" | "limits"> {
  host: string;
  port: number;
  upstreams: ReadonlyMap<string, KnownUpstream>;
  tokens: ReadonlyMap<string, Buffer>;
  limits: Limits;
}

export interface KnownUpstream {
  name: string;
  url: URL;
  dialect?: Family | undefined;
  doubleSlashes?: boolean | undefined;
}

export function checkedOptions(options: GatewayOptions): Settings {
  const { host = "127.0.0.1", port = 4747, tokens = {}, tls, behindProxy = false } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw wrong(`port: expected a number from 0 to 65535, got ${port}`);
  if (!isLoopback(host)) {
    if (Object.keys(tokens).length === 0)
      throw wrong(`host ${host} is not loopback: a token for each client is required ([gateway.tokens])`);
    if (tls === undefined && !behindProxy)
      throw wrong(
        `host ${host} is not loopback: TLS is required (tls_cert and tls_key), or behind_proxy = true if a proxy in front does it`,
      );
  }
  const all = { ...BUILT_IN, ...options.upstreams };
  return {
    ...options,
    host,
    port,
    tokens: new Map(Object.entries(tokens).map(([name, hash]) => [clientName(name), hashOf(name, hash)])),
    upstreams: new Map(Object.entries(all).map(([name, one]) => [name, knownUpstream(name, one)])),
    limits: { ...LIMITS, remindMs: Math.max(LIMITS.remindMs, turnMsSet() ?? 0), ...options.limits },
  };
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/gu, "");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}

function knownUpstream(name: string, { url, dialect, doubleSlashes }: Upstream): KnownUpstream {
  const shown = shownName(name);
  if (RESERVED.has(name)) throw wrong(`upstream "${shown}": this name is reserved for paths; take another`);
  if (!/^[a-z0-9][\w.-]{0,63}$/iu.test(name))
    throw wrong(`upstream "${shown}": expected a name of letters, digits, _ . and -, such as "local"`);
  if (dialect !== undefined && !FAMILIES.includes(dialect))
    throw wrong(
      `upstream ${shown}: dialect: expected one of ${FAMILIES.join(", ")}, got "${shownName(String(dialect))}"`,
    );
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/u.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "")
    throw wrong(
      `upstream ${shown}: url: expected an address such as https://api.example.com, without a query`,
    );
  if (parsed.username !== "" || parsed.password !== "")
    throw wrong(`upstream ${shown}: url: it may hold no password; clients send their own keys`);
  return { name, url: parsed, dialect, doubleSlashes };
}

// Paths of the gateway itself, and of the providers' APIs.
const RESERVED = new Set(["sotto", "healthz", "readyz", "metrics", "v1", "v1beta", "v1alpha"]);

function clientName(name: string): string {
  if (/^[\w.-]{1,64}$/u.test(name)) return name;
  throw wrong(`tokens: "${shownName(name)}": expected a name of letters, digits, _ . and -`);
}

function hashOf(name: string, given: string): Buffer {
  const hex = given.replace(/^sha256:/u, "");
  if (!/^[0-9a-f]{64}$/iu.test(hex))
    throw wrong(`tokens: ${shownName(name)}: expected the SHA-256 of the token, as 64 hexadecimal digits`);
  return Buffer.from(hex, "hex");
}

function wrong(problem: string): SottoError {
  return new SottoError("invalid_options", `gateway: ${problem}`);
}
