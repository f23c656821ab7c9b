// MCP servers that hang, flood, lie and die: a turn is never held up, and what is wrong is told.

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { Server } from "@modelcontextprotocol/server";
import type { Session } from "sotto";
import { createMcpSource, type McpClock } from "sotto/mcp";
import { afterEach, expect, it } from "vitest";
import { shortenDeadline } from "../support/deadlines.ts";
import { type McpWorld, openWithServers, ownServer, until, variable } from "../support/mcp-world.ts";
import { type McpHttpServer, serveMcp } from "../support/servers/mcp-http.ts";
import { longestHold } from "../support/slow-texts.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(...given: Parameters<typeof openWithServers>): Promise<McpWorld> {
  const world = await openWithServers(...given);
  closing.push(() => world.session.close());
  return world;
}

/** Pauses end when the test says so; their lengths are kept. */
function handClock() {
  const pauses: number[] = [];
  let go: (() => void) | undefined;
  const clock: McpClock = {
    now: () => performance.now(),
    random: () => 1,
    delay: (ms, signal) =>
      new Promise((resolve) => {
        pauses.push(ms);
        go = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  return { clock, pauses, go: () => go?.() };
}

async function told(session: Session, server: string): Promise<string> {
  return outcomeOf(await session.turn({ userPrompt: `see @${server}:x://y` }), "mcp_resource");
}

const UNTOLD = "nothing: 1 mentioned, not shown: @bad:x://y: ";

it("one that hangs while it connects is given up, then it is down and told", async () => {
  const { clock } = handClock();
  const { session, state } = await open({
    servers: { bad: ownServer("mcp-hostile", "hangs") },
    connectMs: 1500,
    clock,
  });
  expect(state("bad")).toMatchObject({ status: "restarting", problem: "it did not answer in time" });
  expect(await told(session, "bad")).toBe(
    `${UNTOLD}the MCP server bad is down, and will be retried: it did not answer in time`,
  );
});

it("while one is still connecting a mention waits for its part of the time, and others are not held up", async () => {
  const { session, source } = await openUnsettled();
  const turn = await session.turn({ userPrompt: "see @bad:x://y and @good:note://a" });
  expect(textOf(turn, "mcp_resource")).toContain("first");
  expect(source.state().find(({ name }) => name === "bad")?.status).toBe("connecting");
});

async function openUnsettled() {
  const { createSession } = await import("sotto");
  const { createMcpSource } = await import("sotto/mcp");
  const source = createMcpSource({
    servers: { bad: ownServer("mcp-hostile", "hangs"), good: ownServer("mcp-notes") },
  });
  const session = createSession({
    cwd: process.cwd(),
    agent: { kind: "main" },
    sources: [source],
  });
  closing.push(() => session.close());
  await session.open();
  await until(() => source.state().some(({ name, status }) => name === "good" && status === "connected"));
  // Both have to answer within their part of it.
  const warm = async () => (await session.turn({ userPrompt: "see @good:note://secret" })).commit();
  await shortenDeadline(session, warm, 5000);
  return { session, source };
}

it.each([
  ["nonsense", "it does not speak MCP"],
  ["one-long-line", "it sent a message of more than 4194304 bytes"],
])("one that writes %s is ended, and what it did is told", async (way, problem) => {
  const { clock } = handClock();
  const { session, state } = await open({ servers: { bad: ownServer("mcp-hostile", way) }, clock });
  expect(state("bad")).toMatchObject({ status: "restarting", problem });
  expect(await told(session, "bad")).toBe(
    `${UNTOLD}the MCP server bad is down, and will be retried: ${problem}`,
  );
});

it("a million notifications end their sender; memory and the thread stay free", async () => {
  const { clock } = handClock();
  const before = process.memoryUsage().rss;
  const longest = await longestHold(async () => {
    const { state } = await open({ servers: { bad: ownServer("mcp-hostile", "many-notes") }, clock });
    await until(() => state("bad").status === "restarting");
    expect(state("bad").problem).toMatch(/^it sent more than (?:2000 messages|16 MB) at once$/u);
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  // A million messages take many seconds.
  expect(longest).toBeLessThan(1000);
});

it("a resource that is too large ends the connection, which comes back", async () => {
  const { clock, pauses, go } = handClock();
  const { session, state } = await open({ servers: { bad: ownServer("mcp-notes") }, clock });
  const turn = await session.turn({ userPrompt: "@bad:note://huge" });
  expect(outcomeOf(turn, "mcp_resource")).toContain("the connection was closed");
  await until(() => state("bad").status === "restarting");
  expect(state("bad").problem).toBe("it sent a message of more than 4194304 bytes");
  expect(pauses.at(-1)).toBe(1000);
  go();
  await until(() => state("bad").status === "connected");
  expect(textOf(await session.turn({ userPrompt: "@bad:note://a" }), "mcp_resource")).toContain("first");
});

it("one that dies after each answer is tried again with growing pauses", async () => {
  const { clock, pauses, go } = handClock();
  const { session, state } = await open({ servers: { bad: ownServer("mcp-hostile", "dies") }, clock });
  for (let count = 1; count <= 4; count++) {
    await until(() => pauses.length === count);
    expect(state("bad")).toMatchObject({ status: "restarting", problem: "it exited with code 7" });
    if (count < 4) go();
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  expect(await told(session, "bad")).toBe(
    `${UNTOLD}the MCP server bad is down, and will be retried: it exited with code 7`,
  );
});

it("one whose answers fit no question has no tools and no resources, and costs nobody anything", async () => {
  const { session, source, state } = await open({ servers: { bad: ownServer("mcp-hostile", "liar") } });
  expect(state("bad")).toMatchObject({ status: "connected", tools: 0, resources: 0 });
  expect(state("bad").leftOut).toEqual([
    expect.stringMatching(/^its tools could not be listed: \S/u),
    expect.stringMatching(/^its resources could not be listed: \S/u),
  ]);
  expect(source.tools()).toEqual([]);
  expect(await told(session, "bad")).toContain(`${UNTOLD}the MCP server bad: `);
});

it("every tool is offered, or is left out with a reason", async () => {
  const inputSchema = { type: "object" };
  const long = "x".repeat(65);
  const odd = ["a b", "ä", "", "a/b", "a\nb", long];
  const named = Array.from({ length: 203 }, (_, index) => `tool-${String(index).padStart(3, "0")}`);
  const large = { name: "large", inputSchema: { ...inputSchema, description: "x".repeat(20_000) } };
  const tools = [large, ...[...odd, ...named].map((name) => ({ name, inputSchema }))];
  const server = await serve({}, tools);
  const { source, state } = await open({ servers: { bad: { url: server.url } } });
  expect(source.tools().map(({ name }) => name)).toEqual(named.slice(0, 200));
  const shown = ["a b", "ä", "", "a/b", "a b", long];
  expect(state("bad").leftOut).toEqual([
    'the tool "large" is left out: its schema has more than 20000 characters',
    ...shown.map(
      (name) =>
        `the tool "${name}" is left out: a name has letters, digits, "_", "-" and ".", 64 at the most`,
    ),
    ...named.slice(200).map((name) => `the tool "${name}" is left out: a server may have 200`),
  ]);
});

it("a call with wrong arguments is told what is wrong, and one too early why it cannot be made", async () => {
  const source = createMcpSource({ servers: { good: ownServer("mcp-notes") } });
  const right = { server: "good", tool: "t", input: {} };
  const wrong: [unknown, unknown, string][] = [
    [undefined, undefined, "callTool: expected a call such as { server, tool, input }, got undefined"],
    ["t", undefined, 'callTool: expected a call such as { server, tool, input }, got "t"'],
    [
      { ...right, server: undefined },
      undefined,
      "callTool: server: expected the name of a server, got undefined",
    ],
    [{ server: "good", tool: "t" }, undefined, "callTool: input: missing, expected an object"],
    [
      { ...right, input: "x" },
      undefined,
      `callTool: input: expected an object with the tool's arguments, got "x"`,
    ],
    [{ ...right, name: "t" }, undefined, "callTool: name: no such option; there are server, tool, input"],
    [{ ...right, server: "godo" }, undefined, 'callTool: there is no MCP server godo; did you mean "good"?'],
    [right, 5, "callTool: signal: expected an AbortSignal, got 5"],
  ];
  for (const [call, signal, message] of wrong) {
    const called = source.callTool(call as never, signal as never);
    await expect(called).rejects.toThrow(message);
    await expect(called).rejects.toMatchObject({ code: "invalid_options" });
  }
  await expect(createMcpSource({ servers: {} }).callTool(right)).rejects.toThrow(
    "callTool: there is no MCP server good; there is none",
  );
  await expect(source.callTool(right)).rejects.toThrow(
    "the MCP server good runs only while a session with this source is open",
  );
  await expect(source.settled("1" as never)).rejects.toThrow("settled: expected a whole number from 0 on");
});

it("one that cannot be started, one whose variable is missing and one that is nowhere say so", async () => {
  const { clock } = handClock();
  const { state } = await open({
    servers: {
      absent: { command: "/nowhere/server" },
      unset: { command: "node", env: { KEY: variable("SOTTO_TEST_UNSET") } },
      nowhere: { url: "http://127.0.0.1:9/mcp" },
      crooked: { url: variable("CROOKED") },
    },
    environment: { CROOKED: "ftp://example.org" },
    clock,
  });
  expect(
    ["absent", "unset", "nowhere", "crooked"].map((name) => [state(name).status, state(name).problem]),
  ).toEqual([
    ["restarting", `it cannot be started: there is no /nowhere/server, or no directory ${process.cwd()}`],
    ["failed", "SOTTO_TEST_UNSET is not set in the environment"],
    ["restarting", expect.stringMatching(/^it cannot be reached|fetch failed|bad port/u)],
    ["restarting", "its url is not an http address"],
  ]);
});

it("AC-48 one that wants a login is told apart, not tried again, and what we sent is shown nowhere", async () => {
  const server = await serve({ token: "the right one" });
  const { clock, pauses } = handClock();
  const { session, state } = await open({
    servers: { bad: { type: "http", url: server.url, headers: { authorization: "Bearer canary-77aa31" } } },
    clock,
  });
  expect(state("bad")).toEqual({
    name: "bad",
    status: "needs login",
    problem: "it requires a login: check its headers",
    tools: 0,
    resources: 0,
  });
  expect(await told(session, "bad")).toBe(
    `${UNTOLD}the MCP server bad needs a login: it requires a login: check its headers`,
  );
  expect(pauses).toEqual([]);
  const turn = await session.turn({ userPrompt: "@bad:x://y" });
  expect(JSON.stringify([turn, state("bad")])).not.toContain("canary");
});

it("with the right token it is let in, and is found again when its connections are dropped", async () => {
  const server = await serve({ token: "the-right-one" });
  const { session, state, source } = await open({
    servers: { http: { url: server.url, headers: { Authorization: `Bearer ${variable("T")}` } } },
    environment: { T: "the-right-one" },
  });
  expect(state("http").status).toBe("connected");
  server.drop();
  await until(async () => {
    await source
      .callTool({ server: "http", tool: "none", input: {} }, new AbortController().signal)
      .catch(() => 0);
    return server.servers.size > 0 && state("http").status === "connected";
  });
  expect(textOf(await session.turn({ userPrompt: "@http:x://y" }), "mcp_resource")).toContain("over HTTP");
});

it("a flood over HTTP ends the connection, too", async () => {
  const server = await serve({
    answer: (request, response) => {
      if (request.method !== "POST") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = "x".repeat(1024 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
      return true;
    },
  });
  const { clock } = handClock();
  const { state } = await open({ servers: { bad: { url: server.url } }, clock });
  expect(state("bad")).toMatchObject({
    status: "restarting",
    problem: "it sent a message of more than 4194304 bytes",
  });
});

it.runIf(existsSync("/proc/self/stat"))(
  "closing ends the server and what it started, even where it does not want to",
  async () => {
    const { session, source } = await openWithServers({
      servers: { bad: ownServer("mcp-hostile", "parent") },
    });
    await until(() => /child \d+/u.test(source.state()[0]?.errors ?? ""));
    const pid = Number(/child (\d+)/u.exec(source.state()[0]?.errors ?? "")?.[1]);
    expect(isAlive(pid)).toBe(true);
    await session.close();
    await until(() => !isAlive(pid));
    expect(source.state()).toEqual([{ name: "bad", status: "closed", tools: 0, resources: 0 }]);
  },
);

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/[ZX]/u.test(stat.slice(stat.lastIndexOf(")") + 2).charAt(0));
  } catch {
    return false;
  }
}

async function serve(
  options: Omit<Parameters<typeof serveMcp>[0], "create">,
  tools: unknown[] = [],
): Promise<McpHttpServer> {
  const server = await serveMcp({
    ...options,
    create() {
      const mcp = new Server(
        { name: "http", version: "1.0.0" },
        { capabilities: { resources: {}, tools: {} } },
      );
      mcp.setRequestHandler("resources/list", async () => ({ resources: [] }));
      mcp.setRequestHandler("resources/read", async ({ params: { uri } }) => ({
        contents: [{ uri, text: "over HTTP" }],
      }));
      mcp.setRequestHandler("tools/list", async () => ({ tools }) as never);
      return mcp;
    },
  });
  closing.push(() => server.close());
  return server;
}
