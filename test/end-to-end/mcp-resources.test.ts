// Resources of real MCP servers, mentioned by the user: from the server's process to the request.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { anthropicMessages, createMemoryStore, type Session } from "sotto";
import { afterEach, expect, it } from "vitest";
import { setDeadline } from "../support/deadlines.ts";
import {
  installedServer,
  type McpWorld,
  openWithServers,
  ownServer,
  until,
  variable,
} from "../support/mcp-world.ts";
import { outcomeOf, textOf } from "../support/telling.ts";

const everything = { command: process.execPath, args: [installedServer("server-everything")] };
const TEXT = "demo://resource/static/document/features.md";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(...given: Parameters<typeof openWithServers>): Promise<McpWorld> {
  const world = await openWithServers(...given);
  closing.push(() => world.session.close());
  return world;
}

async function ask(session: Session, userPrompt?: string) {
  const turn = await session.turn(userPrompt === undefined ? {} : { userPrompt });
  await turn.commit();
  await session.record({ type: "assistant_turn" });
  return turn;
}

it("AC-44 mcp_resource: what a real server over stdio has is in the request, once", async () => {
  const { session, state } = await open({ servers: { every: everything } });
  expect(state("every")).toMatchObject({ status: "connected", tools: 13, resources: 7 });
  const userPrompt = `What does @every:${TEXT} say?`;
  const body = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: userPrompt }] };
  const turn = await session.turn({ dialect: anthropicMessages, body, userPrompt });
  expect(JSON.stringify(turn.body)).toContain(
    "Full contents of resource:\\n\\n# Everything Server - Features",
  );
  expect(turn.attachments).toMatchObject([
    { type: "mcp_resource", data: { server: "every", uri: TEXT, name: "features.md" } },
  ]);
  expect(outcomeOf(turn, "file")).toBe("nothing: the prompt mentions no file to show");
  await turn.commit();
  const again = await ask(session, `Once more: @every:${TEXT}`);
  expect(outcomeOf(again, "mcp_resource")).toBe(
    `nothing: 1 mentioned, not shown: @every:${TEXT}: the same content is in view`,
  );
  await session.record({ type: "compacted" });
  expect(textOf(await ask(session, `@every:${TEXT}`), "mcp_resource")).toContain("# Everything Server");
});

it.each([
  ["streamableHttp", "http", "/mcp"],
  ["sse", "sse", "/sse"],
] as const)("a server over HTTP speaks as well: %s", async (name, type, path) => {
  const port = await freePort();
  const server = spawn(process.execPath, [installedServer("server-everything"), name], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  closing.push(() => ended(server));
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  const { session, state } = await open({
    servers: { every: { type, url: `http://127.0.0.1:${port}${path}` } },
  });
  expect(state("every")).toMatchObject({ status: "connected", tools: 13 });
  expect(textOf(await ask(session, `@every:${TEXT}`), "mcp_resource")).toContain("# Everything Server");
});

it("the tools of a real server are listed and can be called, what goes wrong is told", async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "sotto-mcp-")));
  closing.push(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "a.txt"), "hello\n");
  const { source } = await open({
    servers: {
      files: { command: process.execPath, args: [installedServer("server-filesystem"), directory] },
    },
  });
  expect(source.tools().map(({ server, name }) => `${server}/${name}`)).toContain("files/read_text_file");
  const { signal } = new AbortController();
  const read = (path: string) =>
    source.callTool({ server: "files", tool: "read_text_file", input: { path } }, signal);
  expect(await read(join(directory, "a.txt"))).toEqual({ text: "hello\n", isError: false });
  expect(await read("/etc/passwd")).toMatchObject({ isError: true });
});

it("a resource that the server says has changed is attached anew, one that has not is not even asked for", async () => {
  const { session, source } = await open({ servers: { notes: ownServer("mcp-notes") } });
  const { signal } = new AbortController();
  const call = async (tool: string, input = {}) =>
    (await source.callTool({ server: "notes", tool, input }, signal)).text;
  expect(textOf(await ask(session, "@notes:note://a"), "mcp_resource")).toContain("first");
  // The second read stands under the subscription that the first one made.
  await ask(session, "@notes:note://a");
  const reads = await call("reads");
  expect(outcomeOf(await ask(session, "@notes:note://a"), "mcp_resource")).toContain(
    "the same content is in view",
  );
  expect(await call("reads")).toBe(reads);
  await call("rewrite", { uri: "note://a", text: "second\n" });
  const turn = await ask(session, "and now @notes:note://a ?");
  expect(textOf(turn, "mcp_resource")).toContain("second");
  expect(turn.attachments[0]?.data).toMatchObject({
    name: "The note note://a",
    description: "kept by a test",
    content: { contents: [{ text: "second\n" }] },
  });
});

it("a list of tools that grows is listed anew", async () => {
  const { source } = await open({ servers: { notes: ownServer("mcp-notes") } });
  const names = () => source.tools().map(({ name }) => name);
  expect(names()).toEqual(["crash", "grow", "reads", "rewrite"]);
  await source.callTool({ server: "notes", tool: "grow", input: {} }, new AbortController().signal);
  await until(() => names().includes("more"));
});

it("a long one is cut, a picture is only named, one that is not there is told", async () => {
  const { session } = await open({ servers: { notes: ownServer("mcp-notes") } });
  const long = await ask(session, "@notes:note://long");
  const text = textOf(long, "mcp_resource") ?? "";
  expect(text).toContain(
    "This is the beginning of the resource note://long of the MCP server notes; the server has the rest.",
  );
  expect(text.length).toBeLessThan(41_000);
  const picture = await ask(session, "@notes:note://picture");
  expect(textOf(picture, "mcp_resource")).toContain("[Binary content: image/png]");
  expect(outcomeOf(await ask(session, "@notes:note://none"), "mcp_resource")).toBe(
    "nothing: 1 mentioned, not shown: @notes:note://none: the MCP server notes: no note note://none",
  );
});

it("what is slow comes with a later turn, and is in the log before anyone sees it", async () => {
  const store = createMemoryStore();
  const server = { ...ownServer("mcp-notes"), env: { SLOW_MS: "3000" } };
  const { session } = await open({ servers: { notes: server } }, { id: "one", store });
  await setDeadline(session, 1500);
  const turn = await ask(session, "@notes:note://slow");
  await setDeadline(session);
  // On a busy machine the source may be late as well.
  expect(outcomeOf(turn, "mcp_resource")).toMatch(
    /^nothing: 1 mentioned, not shown: @notes:note:..slow: could not be read in time: it comes with a later turn$|^timed out: /u,
  );
  await until(async () => JSON.stringify(await store.read("one", 0)).includes("resource_attached"));
  expect(textOf(await ask(session), "mcp_resource")).toContain("slow");
  expect(textOf(await ask(session), "mcp_resource")).toBeUndefined();
});

it("AC-48 a token in its environment is nowhere: not in reminders, not in the log, not in its state", async () => {
  const store = createMemoryStore();
  const canary = "canary-4f1d2c7b9e";
  const { session, source } = await open(
    {
      servers: { notes: { ...ownServer("mcp-notes"), env: { NOTES_TOKEN: variable("THE_TOKEN") } } },
      environment: { ...process.env, THE_TOKEN: canary },
    },
    { id: "one", store },
  );
  const turn = await ask(session, "@notes:note://secret");
  expect(textOf(turn, "mcp_resource")).toContain("the token is [secret]");
  await until(() => source.state().some(({ errors }) => errors?.includes("served")));
  const all = JSON.stringify([turn, source.state(), await store.read("one", 0)]);
  expect(all).not.toContain(canary);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  const over = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await over;
}
