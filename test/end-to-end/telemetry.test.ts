// The programs report to a real collector on loopback where the usual variables name one, and to nobody otherwise.

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { startModelServer } from "../support/servers/model-server.ts";

interface Received {
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

const closing: (() => unknown)[] = [];
let cwd: string;
let home: string;
beforeEach(() => {
  cwd = temporaryDirectory();
  home = temporaryDirectory();
  mkdirSync(join(home, ".config/sotto"), { recursive: true });
  writeFileSync(
    join(home, ".config/sotto/config.toml"),
    '[system_reminder]\ntelemetry_sample = 1\ncritical_instruction = "canary-4711"\n',
  );
  writeFileSync(join(cwd, "a.txt"), "one\n");
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function collect(answers = true) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url ?? "", headers: request.headers, body });
    if (answers) response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** On a busy machine a collector takes its time. */
const places = () => ({
  OTEL_EXPORTER_OTLP_TIMEOUT: "20000",
  HOME: home,
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_STATE_HOME: join(home, "state"),
});

/** Each program, with one turn in which something is mentioned. */
const programs: Record<
  string,
  (env: Record<string, string>) => Promise<{ code: number | null; stdout: string }>
> = {
  async run(env) {
    const model = await startModelServer({ provider: "anthropic", script: [{ text: "Yes." }] });
    closing.push(() => model.close());
    return runSotto(["run", "-p", "See @a.txt and @gone.txt", "--no-notes"], {
      cwd,
      env: { ...places(), ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url, ...env },
    });
  },
  serve: (env) =>
    runSotto(["serve", "--stdio"], {
      cwd,
      env: { ...places(), ...env },
      input: [
        { id: 1, method: "session/open", params: { cwd, id: "s", agent: { kind: "main" } } },
        { id: 2, method: "turn", params: { session: "s", userPrompt: "See @a.txt and @gone.txt" } },
      ]
        .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
        .join(""),
    }),
  hook: (env) =>
    runSotto(["hook", "codex"], {
      cwd,
      env: { ...places(), ...env },
      input: JSON.stringify({
        hook_event_name: "UserPromptSubmit",
        session_id: "s",
        cwd,
        prompt: "See @a.txt and @gone.txt",
      }),
    }),
};

test.each(Object.entries(programs))(
  "sotto %s reports spans and figures, and no content",
  async (_, start) => {
    const { received, url } = await collect();
    const { code, stdout } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%20b",
      OTEL_SERVICE_NAME: "mine",
    });
    expect({ code, stdout: stdout !== "" }).toEqual({ code: 0, stdout: true });
    expect(received.map((one) => one.url).sort()).toEqual(["/v1/metrics", "/v1/traces"]);
    expect(received[0]?.headers).toMatchObject({ "x-team": "a b", "content-type": "application/json" });
    const all = received.map(({ body }) => body).join("\n");
    for (const words of ["canary-4711", "a.txt", "gone.txt"]) expect(all).not.toContain(words);
    const traces = JSON.parse(received.find((one) => one.url === "/v1/traces")?.body ?? "{}");
    const [{ resource, scopeSpans }] = traces.resourceSpans;
    expect(JSON.stringify(resource)).toContain('"mine"');
    const [span] = scopeSpans[0].spans;
    expect(span.name).toBe("sotto.turn");
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/u);
    expect(span.events.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["sotto.sent", "sotto.mentions.failed"]),
    );
    expect(all).toContain("sotto.generator.duration");
  },
);

test("texts of reminders are in spans where they are asked for", async () => {
  const { received, url } = await collect();
  await programs.hook?.({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/here`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  expect(received.map((one) => one.url)).toEqual(["/here"]);
  expect(received[0]?.body).toContain("canary-4711");
});

test.each([
  ["switched off", { OTEL_SDK_DISABLED: "true" }],
  ["not asked for", { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }],
  ["of another kind", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
])("a collector that is %s hears nothing", async (_, env) => {
  const { received, url } = await collect();
  await programs.hook?.({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env });
  expect(received).toEqual([]);
});

test.each(["nobody", "one that never answers"])(
  "%s where the collector should be costs the hook nothing it says",
  async (who) => {
    const { url } = who === "nobody" ? { url: "http://127.0.0.1:1" } : await collect(false);
    const { code, stdout } =
      (await programs.hook?.({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: "" })) ?? {};
    expect(code).toBe(0);
    expect(stdout).toContain("canary-4711");
  },
);
