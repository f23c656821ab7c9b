// `sotto gateway` as operators run it: traces, logs, metrics of several workers, recorded requests, signals amid streams.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { finished, sottoHere, startSotto } from "../../packages/cli/test/run-sotto.ts";
import {
  ask,
  gatewayBesideModel,
  gatewayHome,
  logLines,
  startGateway,
  workersOf,
} from "../support/gateway-process.ts";
import { critical } from "../support/gateway-stage.ts";
import type { WrittenSpan } from "../support/register-tracing.ts";

const REGISTER = pathToFileURL(join(import.meta.dirname, "../support/register-tracing.ts")).href;

describe("traces", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;

  it("continue the client's and go on to the upstream, without text, keys or names of sessions", async () => {
    const place = await gatewayBesideModel();
    const file = join(place.home, "spans.jsonl");
    const env = { ...place.env, NODE_OPTIONS: `--import ${REGISTER}`, SPANS: file };
    const { child, ended, anthropic, url } = await startGateway([], { ...place, env });
    const headers = {
      traceparent,
      tracestate: "vendor=7",
      "x-api-key": "key-zqcanary",
      cookie: "cookie-zqcanary",
    };
    const session = "session-zqcanary";
    for (let turn = 0; turn < 2; turn++)
      expect((await ask(anthropic, "text-zqcanary", { headers, session })).status).toBe(200);
    expect(
      (await fetch(`${anthropic}/v1/models?key=query-zqcanary`, { headers: { traceparent } })).status,
    ).toBe(404);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    await fetch(`${url}/sotto/v1/sessions/gateway%2F${session}/explain`);
    await fetch(`${url}/healthz`);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain("zqcanary");
    const spans = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as WrittenSpan]));
    const own = spans.filter(({ scope }) => scope === "sotto-gateway");
    const [call, asked, , again, listCall, listed, refused, explained, ...more] = own;
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      name: "POST /anthropic/messages",
      kind: "SERVER",
      trace: TRACE,
      parent: "b7ad6b7169203331",
      status: 0,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/anthropic/messages",
        "http.response.status_code": 200,
        "url.path": "/anthropic/v1/messages",
        "url.scheme": "http",
        "sotto.upstream": "anthropic",
        "sotto.dialect": "anthropic-messages",
        "sotto.reminders": 1,
      },
    });
    expect(call).toMatchObject({
      name: "POST",
      kind: "CLIENT",
      trace: TRACE,
      parent: asked?.id,
      attributes: {
        "server.address": "127.0.0.1",
        "url.full": `${place.server.url}/v1/messages`,
        "http.response.status_code": 200,
      },
    });
    // What the engine says of a turn is part of it, once its config is known.
    expect(spans.filter(({ name }) => name === "sotto.turn")).toContainEqual(
      expect.objectContaining({ trace: TRACE, parent: again?.id }),
    );
    const { headers: first } = place.server.requests[0] ?? {};
    expect(first?.traceparent).toBe(`00-${TRACE}-${call?.id}-01`);
    expect(first?.tracestate).toBe("vendor=7");
    expect(listed).toMatchObject({ name: "GET /anthropic/*", status: 0, trace: TRACE });
    expect(listCall).toMatchObject({ kind: "CLIENT", status: 2, parent: listed?.id });
    expect(place.server.requests[2]?.headers.traceparent).toContain(listCall?.id);
    expect(refused).toMatchObject({ name: "GET", attributes: { "http.response.status_code": 404 } });
    expect(explained).toMatchObject({ name: "GET /sotto/v1/sessions/{session}/explain" });
  });
});

describe("the log", () => {
  it("is a line of JSON for each request, and never has a key, a token, a cookie or a text in it", async () => {
    const place = await gatewayBesideModel();
    const { child, ended, anthropic, url } = await startGateway(["--log-level", "debug"], place);
    const headers = {
      authorization: "Bearer key-zqcanary",
      "x-api-key": "key-zqcanary",
      "x-sotto-token": "token-zqcanary",
      cookie: "session=cookie-zqcanary",
    };
    await ask(anthropic, "text-zqcanary", { headers: { ...headers, "x-request-id": "req-1" } });
    await ask(anthropic, "", { headers, body: '{"messages": text-zqcanary' });
    await ask(anthropic, "", { headers, body: '{"model":"m","messages":[{"role":"text-zqcanary"}]}' });
    await ask(anthropic, "", { headers, body: '{"model":"m","messages":"text-zqcanary"}' });
    await fetch(`${anthropic}/v1/models?key=key-zqcanary`, { headers });
    await fetch(`${url}/nowhere?key=key-zqcanary`, { headers });
    await fetch(`${url}/v1/messages`, { headers: { ...headers, origin: "http://text-zqcanary.example" } });
    await fetch(`${url}/metrics`, { headers });
    child.kill("SIGTERM");
    const { stderr } = await ended;
    expect(stderr).not.toContain("zqcanary");
    const lines = logLines(stderr);
    expect(lines.map(({ level, status }) => [level, status])).toEqual([
      ["info", 200],
      ["warn", 400],
      ["warn", 400],
      ["warn", 400],
      ["info", 404],
      ["warn", 404],
      ["warn", 403],
      ["debug", 200],
    ]);
    expect(lines[0]).toMatchObject({ request: "req-1", message: "answered", upstream: "anthropic" });
    expect(lines[1]).toMatchObject({ unchanged: "it is not valid JSON" });
    for (const { request, time } of lines.slice(1)) {
      expect(request).toMatch(/^[0-9a-f-]{36}$/u);
      expect(new Date(time as string).toISOString()).toBe(time);
    }
  });

  it("has the level of the command line or of the config, also after it was read again; traces pass on as they came", async () => {
    const place = await gatewayBesideModel();
    await place.configure(place.server.url, 'log_level = "error"');
    const { child, ended, anthropic, url } = await startGateway([], place);
    const headers = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "vendor=7" };
    await ask(anthropic, "Not in the log.", { headers });
    // No SDK is registered.
    expect(place.server.requests[0]?.headers).toMatchObject(headers);
    await place.configure(
      place.server.url,
      'log_level = "debug"',
      '[gateway.upstreams.new]\nurl = "http://127.0.0.1:9"',
    );
    child.kill("SIGHUP");
    await expect.poll(async () => (await fetch(`${url}/new/x`)).status).toBe(502);
    child.kill("SIGTERM");
    const lines = logLines((await ended).stderr);
    expect(lines[0]).toMatchObject({ level: "info", message: "the config was read again" });
    expect(lines.at(-1)).toMatchObject({ level: "warn", path: "/new/x", status: 502 });
    const wrong = await sottoHere(["gateway", "--log-level", "loud"], { env: place.env, cwd: place.home });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("debug, info, warn, error, silent");
  });

  it("loads pino only where it is written: not with the library, and not in `sotto hook`", async () => {
    const place = await gatewayBesideModel();
    const tell = `import { createRequire } from "node:module"; process.on("exit", () => {
      const loaded = Object.keys(createRequire("/").cache).some((path) => path.includes("/pino/"));
      process.stdout.write(loaded ? "[with pino]" : "[without pino]");
    });`;
    const env = { ...place.env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tell)}` };
    const { main, hook } = built();
    const library = `await import(${JSON.stringify(pathToFileURL(join(main, "../../../sotto/dist/index.js")).href)})`;
    const run = (args: readonly string[]) =>
      execFileSync(process.execPath, args, {
        env: { ...env, PATH: process.env.PATH },
        input: "{}",
      }).toString();
    expect(run(["--input-type=module", "-e", library])).toBe("[without pino]");
    expect(run([hook, "hook", "claude-code"])).toContain("[without pino]");
    const words = startSotto(["gateway", "--port", "0"], { env, cwd: place.home });
    const quiet = finished(words);
    await once(words.stdout, "data");
    words.kill("SIGTERM");
    expect((await quiet).stdout).toContain("[without pino]");
    const { child, ended } = await startGateway([], { ...place, env });
    child.kill("SIGTERM");
    expect((await ended).stdout).toContain("[with pino]");
  });
});

describe("/metrics with --workers", () => {
  const value = (text: string, name: string) =>
    [...text.matchAll(new RegExp(`^sotto_gateway_${name}(?:\\{[^}]*\\})? (\\S+)$`, "gmu"))].reduce(
      (sum, [, found]) => sum + Number(found),
      0,
    );

  it("is the sum over all of them, whoever answers, and what a worker counted outlives it", async () => {
    const place = await gatewayBesideModel();
    const { child, ended, anthropic, url } = await startGateway(["--workers", "2"], place);
    const metrics = async () => (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
    for (let index = 0; index < 6; index++) await ask(anthropic, `Hello ${index}.`);
    const fresh = async (total: number) => {
      const seen = async () => {
        const text = await metrics();
        return ["workers_answered", "workers", "requests_total"].map((name) => value(text, name));
      };
      await expect.poll(seen).toEqual([2, 2, total]);
    };
    // Whoever answers.
    for (let round = 0; round < 4; round++) await fresh(6);
    const text = await metrics();
    expect(value(text, "reminders_total")).toBe(6);
    expect(value(text, "added_milliseconds_count")).toBe(6);
    const workers = workersOf(child.pid);
    expect(workers).toHaveLength(2);
    process.kill(workers[0] as number, "SIGKILL");
    await expect.poll(() => workersOf(child.pid).filter((pid) => !workers.includes(pid))).toHaveLength(1);
    await fresh(6);
    await ask(anthropic, "Hello again.");
    await fresh(7);
    // One that does not answer is not waited for: what it said last counts.
    const [stopped] = workersOf(child.pid);
    process.kill(stopped as number, "SIGSTOP");
    try {
      const found = await Promise.any([metrics(), metrics(), metrics(), metrics()]);
      expect(value(found, "workers_answered")).toBeLessThan(2);
      expect(value(found, "requests_total")).toBe(7);
    } finally {
      process.kill(stopped as number, "SIGCONT");
    }
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(logLines(stderr)).toContainEqual(
      expect.objectContaining({ level: "warn", message: "a worker ended (SIGKILL); another is started" }),
    );
  });
});

describe("recorded requests", () => {
  it("are read with `sotto log --requests`, exported, and removed with their session", async () => {
    const place = await gatewayBesideModel();
    await place.configure(place.server.url, "record_conversation = true");
    const { child, ended, anthropic } = await startGateway([], place);
    await ask(anthropic, "Remember this.", { session: "kept" });
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    const run = (...args: string[]) => sottoHere(args, { env: place.env, cwd: place.home });
    const shown = await run("log", "gateway/kept", "--requests");
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      dialect: "anthropic-messages",
      body: { model: "claude-sonnet-5-5", messages: [{ role: "user", content: "Remember this." }] },
    });
    expect(shown.stdout).not.toContain(critical);
    const encoded = Buffer.from('{"role":"user","content":"Remember this."}').toString("base64");
    expect((await run("store", "export", "gateway/kept", "--blobs")).stdout).toContain(encoded);
    expect((await run("store", "purge", "gateway/kept", "--yes")).code).toBe(0);
    expect((await run("store", "export", "--blobs")).stdout).not.toContain(encoded);
    const { code, stderr } = await run("log", "--requests", "--follow");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--requests and --follow")]);
  });
});

it("workers that are replaced have the config in force, not what the file says meanwhile", async () => {
  const place = await gatewayBesideModel();
  const { child, ended, anthropic, url } = await startGateway(["--workers", "2"], place);
  const statusOf = (path: string) =>
    fetch(`${url}/${path}`, { headers: { connection: "close" } }).then(({ status }) => status);
  /** The other one answers meanwhile. */
  const replaceOne = async () => {
    const [old = 0] = workersOf(child.pid);
    process.kill(old, "SIGKILL");
    const living = async () => {
      const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
      const answered = /^sotto_gateway_workers_answered (\d)/mu.exec(text)?.[1];
      return { answered, isOld: workersOf(child.pid).includes(old) };
    };
    await expect.poll(living).toEqual({ answered: "2", isOld: false });
  };
  const answers = async () => {
    for (let round = 0; round < 4; round++) expect((await ask(anthropic, "Hello.")).status).toBe(200);
  };

  await place.configure("http://127.0.0.1:9");
  await replaceOne();
  await answers();
  await place.configure("not an address", "nonsense = [");
  await replaceOne();
  await answers();
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  child.kill("SIGHUP");
  await expect.poll(() => said).toContain("the config stays as it was");
  // What only a restart changes stays: the address.
  const elsewhere = 'host = "127.0.0.2"';
  await place.configure(place.server.url, elsewhere, '[gateway.upstreams.new]\nurl = "http://127.0.0.1:9"');
  const isNew = async () => (await Promise.all([1, 2, 3, 4].map(() => statusOf("new/x")))).join();
  expect(await isNew()).toBe("404,404,404,404");
  child.kill("SIGHUP");
  await expect.poll(isNew).toBe("502,502,502,502");
  await place.configure(place.server.url);
  await replaceOne();
  expect(await isNew()).toBe("502,502,502,502");
  // Also where none is left for a while: at the same address, though any free port was asked for.
  for (const pid of workersOf(child.pid)) process.kill(pid, "SIGKILL");
  await expect.poll(() => isNew().catch(() => "")).toBe("502,502,502,502");
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  const messages = logLines(stderr).map(({ message }) => message);
  expect(messages).not.toContainEqual(expect.stringContaining("could not start"));
  expect(messages.filter((message) => message === "the config was read again")).toHaveLength(1);
});

describe("signals amid a stream", () => {
  /** Sends the first event at once, and the rest when it is told to. */
  async function slowUpstream() {
    const streams: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: first\n\n");
      streams.push(response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, finish: () => streams.shift()?.end("data: last\n\n") };
  }

  async function begun(anthropic: string) {
    const response = await ask(anthropic, "Tell me everything.");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe("data: first\n\n");
    return { rest: async () => [await text(), (await reader.read()).done] };
  }

  it.each([{ workers: "1" }, { workers: "2" }])(
    "reads the config again, and stops, without an answer being cut (workers: $workers)",
    async ({ workers }) => {
      const upstream = await slowUpstream();
      const place = await gatewayHome();
      await place.configure(upstream.url);
      const { child, ended, anthropic, url } = await startGateway(["--workers", workers], place);
      const first = await begun(anthropic);
      await place.configure(upstream.url, "", '[gateway.upstreams.new]\nurl = "http://127.0.0.1:9"');
      child.kill("SIGHUP");
      const isNew = async () =>
        (await fetch(`${url}/new/x`, { headers: { connection: "close" } })).status === 502;
      await expect.poll(async () => (await Promise.all([isNew(), isNew()])).every(Boolean)).toBe(true);
      upstream.finish();
      expect(await first.rest()).toEqual(["data: last\n\n", true]);

      await place.configure("not an address");
      child.kill("SIGHUP");
      const second = await begun(anthropic);
      child.kill("SIGTERM");
      // It takes no new ones. One that comes between the ends of two workers may wait for the end of all.
      const signal = () => AbortSignal.timeout(1000);
      await expect
        .poll(() =>
          fetch(`${url}/healthz`, { headers: { connection: "close" }, signal: signal() }).then(
            ({ status }) => status,
            () => "refused",
          ),
        )
        .toBe("refused");
      upstream.finish();
      expect(await second.rest()).toEqual(["data: last\n\n", true]);
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      const messages = logLines(stderr).map(({ message }) => message);
      expect(messages).toContainEqual(expect.stringContaining("the config stays as it was"));
      expect(messages.filter((message) => message === "answered")).toHaveLength(2);
    },
  );
});
