// MCP servers as a source: kept connected during the session; their resources are read when the user mentions them.

import * as v from "valibot";
import type { EventOf } from "../../facts/events.ts";
import type { Mentioned } from "../../facts/facts.ts";
import { callable, checkOptions, count, having, plain, table, text } from "../../platform/check-options.ts";
import { errorText, SottoError } from "../../platform/errors.ts";
import { didYouMean } from "../../platform/nearest.ts";
import { type McpClock, realClock } from "../clock.ts";
import type { Mention } from "../mentions/parse-mentions.ts";
import type { Source, TurnInfo } from "../source.ts";
import { steady } from "../steady.ts";
import type { Connection, McpServerState } from "./server.ts";
import type { Environment } from "./server-settings.ts";
import { type McpServers, parseServers } from "./server-settings.ts";
import { type ServerTool, type ToolOutput, toolOutput } from "./tools.ts";

/** What `createMcpSource` takes. */
export interface McpOptions {
  /** As in a `.mcp.json`, and allowed to run. */
  servers: McpServers;
  /** Values for `${VAR}`. Default: the environment of this process. */
  environment?: Environment;
  /** How long a server may take to connect. */
  connectMs?: number;
  /** Time and randomness, for tests. Default: the real ones. */
  clock?: McpClock;
  /** The `fetch` for servers over HTTP. Default: the global one. */
  fetch?: typeof globalThis.fetch;
}

/** A tool of an MCP server. */
export interface McpTool extends ServerTool {
  server: string;
}

/** The source for MCP servers: it connects them, lists their tools and reads their resources. */
export interface McpSource extends Source<"mentionedResources"> {
  servers(): readonly string[];
  /** The state of each server. */
  state(): McpServerState[];
  /** Of the connected servers, sorted by server. */
  tools(): McpTool[];
  /** Resolves when every server is connected or has failed, or the time is up. */
  settled(ms: number): Promise<void>;
  /** The output of the tool, bounded; rejects if it could not be called. */
  callTool(
    call: { server: string; tool: string; input: Record<string, unknown> },
    signal?: AbortSignal,
  ): Promise<ToolOutput>;
  /** Ends all connections and the processes it started. */
  close(): Promise<void>;
}

// Long enough for a server that is downloaded first.
const CONNECT_MS = 30_000;

const mcpOptions = table(
  {
    servers: plain("a table of servers by their names"),
    environment: v.optional(plain("an object of variables")),
    connectMs: v.optional(count),
    clock: v.optional(plain("a clock")),
    fetch: v.optional(callable("a function like fetch")),
  },
  "options such as { servers }",
);

const toolCall = table(
  {
    server: text("the name of a server"),
    tool: text("the name of a tool"),
    input: plain("an object with the tool's arguments"),
  },
  "a call such as { server, tool, input }",
);
const abortSignal = v.optional(
  having({ addEventListener: "function", throwIfAborted: "function" }, "an AbortSignal"),
);

/** Throws `invalid_config` if the servers are invalid, `invalid_options` if anything else is. */
export function createMcpSource(options: McpOptions): McpSource {
  checkOptions("createMcpSource", mcpOptions, options);
  const servers = parseServers(options.servers);
  const names = Object.keys(servers).sort();
  const { clock = realClock, environment = process.env, connectMs = CONNECT_MS } = options;
  const connections = new Map<string, Connection>();
  const reader = createResourceReader((name) => connections.get(name));
  const hint = (server: string) =>
    didYouMean(server, names) || `; there ${names.length === 0 ? "is none" : `are ${names.join(", ")}`}`;
  let starting: Promise<void> | undefined;

  const start = async (cwd: string) => {
    // Loaded with the first server, to keep importing the library fast.
    const [{ createConnection }, { loadSdk }] = await Promise.all([
      import("./server.ts"),
      import("./sdk.ts"),
    ]);
    for (const [name, server] of Object.entries(servers))
      connections.set(
        name,
        createConnection({
          ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
          name,
          server,
          cwd,
          environment,
          clock,
          connectMs,
          load: loadSdk,
        }),
      );
  };

  return steady<McpSource>({
    fact: "mentionedResources",
    forPrompt: true,
    servers: () => names,
    start({ cwd }) {
      starting ??= start(cwd);
      return starting;
    },
    async observe(turn, signal) {
      const { parseMentions } = await import("../mentions/parse-mentions.ts");
      const mentions = parseMentions(turn.userPrompt ?? "", { servers: names, agents: [] }).filter(
        (mention) => mention.kind === "mcp",
      );
      await starting;
      return reader.read(mentions, { turn, signal });
    },
    state: () =>
      names.map(
        (name) => connections.get(name)?.state() ?? { name, status: "closed", tools: 0, resources: 0 },
      ),
    tools: () =>
      [...connections.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((one) => one.tools().map((tool) => ({ ...tool, server: one.name }))),
    async settled(ms) {
      checkOptions("settled", count, ms);
      await starting;
      const waiting = new AbortController();
      await Promise.race([
        Promise.all([...connections.values()].map((one) => one.settled)),
        realClock.delay(ms, waiting.signal),
      ]);
      waiting.abort();
    },
    async callTool(call, signal = new AbortController().signal) {
      checkOptions("callTool", toolCall, call);
      checkOptions("callTool: signal", abortSignal, signal);
      const { server, tool, input } = call;
      if (!names.includes(server))
        throw new SottoError("invalid_options", `callTool: there is no MCP server ${server}${hint(server)}`);
      await starting;
      const connection = connections.get(server);
      if (connection === undefined)
        throw new Error(`the MCP server ${server} runs only while a session with this source is open`);
      return toolOutput(await connection.call(tool, input, signal), connection.redact);
    },
    async close() {
      await starting;
      await Promise.all([...connections.values()].map((one) => one.close()));
      await reader.close();
      connections.clear();
    },
  });
}

// Reads the resources that a prompt mentions: those available in time are recorded with it, late ones with a later
// turn.

type ResourceMention = Extract<Mention, { kind: "mcp" }>;
type Attached = EventOf<"resource_attached">;
type Unresolved = Mentioned["unresolved"][number];

export interface ResourceReader {
  read(
    mentions: readonly ResourceMention[],
    options: { turn: TurnInfo; signal: AbortSignal },
  ): Promise<Mentioned>;
  close(): Promise<void>;
}

// A share of the turn's time, as the results still have to be recorded.
const PATIENCE = 0.4;
const MOST = 20;
const SLOW = "could not be read in time: it comes with a later turn";

export function createResourceReader(connectionOf: (name: string) => Connection | undefined): ResourceReader {
  const ending = new AbortController();
  const late = new Set<Promise<void>>();
  /** Why resources that were expected later are missing. */
  const given: Unresolved[] = [];

  const load = async ({ text, server, uri }: ResourceMention): Promise<Attached | Unresolved> => {
    const connection = connectionOf(server);
    if (connection === undefined) return { text, reason: `the MCP server ${server} is not running` };
    try {
      const { name, description, contents } = await connection.read(uri, ending.signal);
      const about = { type: "resource_attached" as const, server, uri, name };
      return { ...about, ...(description === undefined ? {} : { description }), contents };
    } catch (error) {
      return { text, reason: errorText(error) };
    }
  };
  const record = async (found: readonly (Attached | Unresolved)[], turn: TurnInfo) => {
    const read = found.flatMap((one) => ("reason" in one ? [] : [one]));
    await turn.record(read);
    return { found: read.length, unresolved: found.flatMap((one) => ("reason" in one ? [one] : [])) };
  };
  const comeLater = (loading: Promise<Attached | Unresolved>, turn: TurnInfo) => {
    const rest = loading
      .then(async (found) => {
        if (ending.signal.aborted && "reason" in found) return;
        const { unresolved } = await record([found], turn);
        given.push(...unresolved);
        given.splice(0, given.length - MOST);
      })
      .catch(() => undefined);
    late.add(rest);
    void rest.then(() => late.delete(rest));
  };

  return {
    async read(mentions, { turn, signal }) {
      const before = given.splice(0);
      const loading = mentions.slice(0, MOST).map((mention) => ({ mention, loaded: load(mention) }));
      const isThere = await inTime(
        loading.map(({ loaded }) => loaded),
        { ms: turn.settings.timeout_ms * PATIENCE, signal },
      );
      const slow = loading.filter((_one, index) => !isThere[index]);
      // The prompt comes only once, so slow resources are not dropped.
      for (const { loaded } of slow) comeLater(loaded, turn);
      const ready = await Promise.all(
        loading.flatMap(({ loaded }, index) => (isThere[index] ? [loaded] : [])),
      );
      const { found, unresolved } = await record(ready, turn);
      const left = mentions.slice(MOST).map(({ text }) => ({
        text,
        reason: `more than ${MOST} are mentioned: this one is skipped`,
      }));
      const waiting = slow.map(({ mention: { text } }) => ({ text, reason: SLOW }));
      return { found, unresolved: [...unresolved, ...waiting, ...left, ...before] };
    },
    async close() {
      ending.abort();
      await Promise.all(late);
    },
  };
}

/** Which of them were available when all were done, or the time was up. */
async function inTime(
  loading: readonly Promise<unknown>[],
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<boolean[]> {
  const isThere = loading.map(() => false);
  const all = Promise.all(
    loading.map(async (one, index) => {
      await one;
      isThere[index] = true;
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await Promise.race([all, enough]);
  clearTimeout(timer);
  return [...isThere];
}
