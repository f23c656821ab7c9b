// `sotto wrap` and base URLs that the user has set: the server gets what the program would have asked of it directly.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const critical = "Run the tests before you commit.";

const BASES = ["", "/", "/v1", "/team/a/", "/v1?api-version=1"];

// What programs do with a base URL: put a path behind it, with or without the version, and mind its last slash or not.
const program = `
  const paths = {
    ANTHROPIC_BASE_URL: ["v1/messages", "messages"],
    OPENAI_BASE_URL: ["v1/chat/completions", "chat/completions", "responses", "models"],
    OPENAI_API_BASE: ["v1/responses", "responses"],
    GOOGLE_GEMINI_BASE_URL: ["v1beta/models/m:generateContent", "models/m:generateContent"],
  };
  const ways = [
    (base, path) => base + "/" + path,
    (base, path) => base.replace(/[/]$/, "") + "/" + path,
    (base, path) => base.endsWith("/") ? base + path : base + "/" + path,
    (base, path) => { const url = new URL(base); url.pathname = url.pathname.replace(/[/]?$/, "/") + path; return url; },
  ];
  let count = 0;
  for (const [variable, all] of Object.entries(paths))
    for (const path of all)
      for (const way of ways) {
        const text = "Hello " + process.env.BEGINS + " " + count++;
        const turn = { role: "user", content: text };
        const more = path.includes("models/") ? { contents: [{ role: "user", parts: [{ text }] }] }
          : path.endsWith("responses") ? { input: text } : { messages: [turn] };
        const body = JSON.stringify({ model: "m", ...more });
        await fetch(way(process.env[variable], path), { method: "POST", body }).then((one) => one.text());
      }`;

async function stage() {
  const seen: { url: string; raw: string }[] = [];
  const server = http.createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request) raw += chunk;
    seen.push({ url: request.url ?? "", raw });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const home = temporaryDirectory();
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  await mkdir(join(home, "config/sotto"), { recursive: true });
  await writeFile(
    join(home, "config/sotto/config.toml"),
    `[system_reminder]\ncritical_instruction = "${critical}"\n`,
  );
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, home, env };
}

const args = ["--input-type=module", "-e", program];

it.each(BASES)("a base URL that ends with its host and %j", async (path) => {
  const { seen, url, home, env } = await stage();
  const base = url + path;
  const set = {
    ...{ ANTHROPIC_BASE_URL: base, OPENAI_BASE_URL: base, GOOGLE_GEMINI_BASE_URL: base },
    OPENAI_API_BASE: `${url}/old${path}`,
  };
  await once(spawn(process.execPath, args, { env: { ...env, ...set, BEGINS: "directly" } }), "close");
  const direct = seen.splice(0).map((one) => one.url);
  const own = { ...env, ...set, BEGINS: "wrapped" };
  const { stderr } = await sottoHere(["wrap", "--", process.execPath, ...args], { env: own, cwd: home });
  expect(seen.map((one) => one.url)).toEqual(direct);
  expect(direct).toHaveLength(40);
  // The ends of their paths say which of them are turns.
  const isTurn = (asked: string) => !/\/models(?:\?|$)/u.test(asked) && !asked.includes("?api-version=1/");
  expect(seen.filter(({ raw }) => raw.includes(critical)).map((one) => one.url)).toEqual(
    direct.filter(isTurn),
  );
  expect(stderr).toContain("40 requests");
});

it("without any, the usual ones", async () => {
  const { home, env } = await stage();
  const names = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GOOGLE_GEMINI_BASE_URL"];
  const shows = `
    const paths = ${JSON.stringify(names)}.map((name) => new URL(process.env[name]).pathname);
    require("node:fs").writeFileSync("said", paths.join());`;
  const none = { ...env, ...Object.fromEntries(names.map((name) => [name, ""])) };
  const wrapped = ["--", process.execPath, "-e", shows];
  const said = async (own: Record<string, string>, ...given: string[]) => {
    await sottoHere(["wrap", ...given, ...wrapped], { env: own, cwd: home });
    return readFile(join(home, "said"), "utf8");
  };
  expect(await said(none)).toBe("/anthropic,/openai/v1,/openai/v1,/gemini");
  const set = { ...none, OPENAI_BASE_URL: "http://127.0.0.1:8/own/" };
  expect(await said(set, "--upstream", "openai=http://127.0.0.1:9")).toContain("/openai/v1,/openai/v1,");
  expect(await said(set, "--upstream", "openai=http://127.0.0.1:9/v1")).toContain("/openai,/openai,");
});

it("a line before the program's own", async () => {
  const { home, env } = await stage();
  const { stderr } = await runSotto(["wrap", "--", "sh", "-c", "echo program >&2"], { env, cwd: home });
  expect(stderr).toMatch(/^sotto: sh runs through .*\nprogram\nsotto: 0 requests/u);
});

it.each(["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GOOGLE_GEMINI_BASE_URL"])(
  "%s that is no address is named, and its value is not shown",
  async (name) => {
    const { home, env } = await stage();
    for (const [value, says] of [
      ["nowhere-canary", "expected an address such as https://api.example.com/v1"],
      ["ftp://canary.example", "expected an address such as https://api.example.com/v1"],
      ["https://me:canary@host.example/v1", "it may hold no password"],
    ] as const) {
      const own = { ...env, [name]: value };
      const { code, stderr } = await sottoHere(["wrap", "--", "true"], { env: own, cwd: home });
      expect([code, stderr.includes(`${name}: ${says}`), stderr.includes("canary")]).toEqual([
        2,
        true,
        false,
      ]);
    }
  },
);

it("a server that cannot be reached is not told as requests without reminders", async () => {
  const { home, env } = await stage();
  const body = JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi." }] });
  const asks = `fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", ${JSON.stringify({ method: "POST", body })})`;
  const own = { ...env, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
  const wrapped = ["wrap", "--", process.execPath, "-e", asks];
  const { stderr } = await sottoHere(wrapped, { env: own, cwd: home });
  expect(stderr).toMatch(/\nsotto: 1 request, [^\n]*\n$/u);
});
