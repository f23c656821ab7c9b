// `sotto gateway` and `sotto wrap` as programs: one line when it listens, signals, exit codes, workers that are killed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { timesIn } from "../support/integration-stage.ts";
import { times } from "../support/runs.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";
import { startModelServer } from "../support/servers/model-server.ts";

const critical = "Run the tests before you commit.";

async function stage() {
  const server = await startModelServer({
    provider: "anthropic",
    script: (_body, index) => ({
      text: `Answer ${index}.`,
      usage: { input: 100, cacheRead: 300, output: 5 },
    }),
  });
  onTestFinished(() => server.close());
  const home = temporaryDirectory();
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  await mkdir(join(home, "config/sotto"), { recursive: true });
  const configure = (more = "") =>
    writeFile(
      join(home, "config/sotto/config.toml"),
      `[system_reminder]\ncritical_instruction = "${critical}"\n[gateway.upstreams.anthropic]\nurl = "${server.url}"\ndialect = "anthropic"\n${more}`,
    );
  await configure();
  return { server, env, home, configure };
}

/** Started, with its address. */
async function start(args: readonly string[], options: { env: Record<string, string>; cwd: string }) {
  const child = startSotto(["gateway", "--port", "0", "--json", ...args], options);
  const ended = finished(child);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, ended, bases: JSON.parse(line) as { url: string; anthropic: string } };
}

const talkTo = (url: string) => anthropicTalk.open({ url, session: () => undefined });

describe("sotto gateway", () => {
  it("listens, reminds as the config says, reads it again on SIGHUP, and ends on SIGTERM", async () => {
    const { server, env, home, configure } = await stage();
    const { child, ended, bases } = await start([], { env, cwd: home });
    expect(bases.anthropic).toBe(`${bases.url}/anthropic`);
    const talk = talkTo(bases.anthropic);
    talk.say("Hello.");
    expect(await talk.ask()).toMatchObject({ text: "Answer 0." });
    expect(server.requests[0]?.raw).toContain(critical);
    expect((await fetch(`${bases.url}/second/v1/models`)).status).toBe(404);
    await configure(`[gateway.upstreams.second]\nurl = "${server.url}"\n`);
    child.kill("SIGHUP");
    await expect
      .poll(async () => (await fetch(`${bases.url}/second/v1/models`)).text())
      .toContain("Not found: GET");
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    const lines = stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    expect(lines).toContainEqual(
      expect.objectContaining({ message: "answered", status: 200, reminders: 1, foundBy: "a new history" }),
    );
  });

  it("AC-59 goes on with the same conversation after kill -9, and with workers of which one is killed", async () => {
    const { server, env, home } = await stage();
    const store = ["--store", join(home, "gateway.db")];
    const history: object[] = [];
    let log = "";
    for (let turn = 0; turn < 4; turn++) {
      const { child, ended, bases } = await start(turn === 3 ? [...store, "--workers", "2"] : store, {
        env,
        cwd: home,
      });
      const talk = talkTo(bases.anthropic);
      talk.history.push(...history);
      talk.say(`Go on, ${turn}.`);
      await talk.ask();
      history.splice(0, history.length, ...talk.history);
      child.kill(turn === 3 ? "SIGTERM" : "SIGKILL");
      const { code, stderr } = await ended;
      log += stderr;
      expect(code).toBe(turn === 3 ? 0 : null);
    }
    expect(server.violations).toEqual([]);
    expect(
      server.requests.map(({ raw }) => timesIn(raw, critical)),
      log,
    ).toEqual([1, 2, 3, 4]);
    for (const [index, { raw }] of server.requests.slice(1).entries()) {
      const before = server.requests[index]?.raw ?? "";
      expect(raw.startsWith(before.slice(0, before.lastIndexOf("]")))).toBe(true);
    }
  });

  it.each([
    [["--upstream", "nothing"], "expected NAME=URL"],
    [["--upstream", "x=ftp://x"], "expected an address"],
    [["--host", "0.0.0.0"], "a token for each client is required"],
    [["--workers", "2", "--store", "memory:"], "a store that processes can share"],
    [["--port", "99999"], "expected a number from 0 to 65535"],
    [["--upstream", "sotto=http://127.0.0.1:9"], 'upstream "sotto": this name is reserved'],
    [["--upstream", "metrics=http://127.0.0.1:9"], 'upstream "metrics": this name is reserved'],
  ])("%j is wrong use, and says why", async (args, why) => {
    const { env, home } = await stage();
    const { code, stderr } = await sottoHere(["gateway", ...args], { env, cwd: home });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });

  it("a config table with a mistake is named with its key", async () => {
    const { env, home, configure } = await stage();
    await configure("[gateway]\nprot = 1\n".replace("[gateway]\n", "[gateway.upstreams.x]\nurll = 1\n"));
    const { code, stderr } = await runSotto(["gateway"], { env, cwd: home });
    expect(code).toBe(2);
    expect(stderr).toContain("gateway.upstreams.x");
  });
});

describe("sotto gateway that cannot start", () => {
  it("says which port, file or directory it is, and what to do", async () => {
    const { env, home } = await stage();
    const server = http.createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const start = async (...args: string[]) =>
      (await sottoHere(["gateway", ...args], { env, cwd: home })).stderr.trim();
    expect(await start("--port", String(port))).toContain(
      `port ${port} is in use: choose another one with --port`,
    );
    expect(await start("--workspace", "/no/such/place")).toContain(
      "--workspace: no such directory: /no/such/place",
    );
    await writeFile(
      join(home, "config/sotto/config.toml"),
      '[gateway]\ntls_cert = "/no/cert.pem"\ntls_key = "/no/key.pem"\n',
    );
    expect(await start()).toContain("gateway.tls_cert: /no/cert.pem cannot be read");
  });
});

describe("sotto wrap", () => {
  const program = `
    const body = JSON.stringify({ model: "claude-sonnet-5-5", max_tokens: 5, messages: [{ role: "user", content: "Hello." }] });
    const headers = { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01" };
    fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body })
      .then((response) => response.json())
      .then(({ content }) => { console.log(content[0].text); process.exitCode = 7; });`;
  const silent = program.replace("console.log(content[0].text);", "");

  it("runs the program through a gateway, with a line before and after, and passes its exit code on", async () => {
    const { server, env, home } = await stage();
    const ran = await runSotto(["wrap", "--", process.execPath, "-e", program], { env, cwd: home });
    expect(ran.code).toBe(7);
    expect(ran.stdout).toBe("Answer 0.\n");
    const lines = ran.stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^sotto: .* runs through http:\/\/127\.0\.0\.1:\d+$/u);
    expect(lines[1]).toBe("sotto: 1 request, 1 reminder, 400 tokens in (75% cached), 5 out");
    expect(server.requests[0]?.raw).toContain(critical);
  });

  it("counts a request that the program did not wait for", async () => {
    const { env, home } = await stage();
    await writeFile(join(home, "config/sotto/config.toml"), "");
    const asked = join(home, "asked");
    const server = http.createServer((request) => request.once("data", () => writeFile(asked, "")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const leaves = `${silent}
      setInterval(() => require("node:fs").existsSync(${JSON.stringify(asked)}) && process.exit(0), 5);`;
    const own = { ...env, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    const { stderr } = await sottoHere(["wrap", "--", process.execPath, "-e", leaves], {
      env: own,
      cwd: home,
    });
    expect(stderr).toContain("sotto: 1 request, ");
  });

  it("goes where the user's own base URL points, and tells codex in its arguments", async () => {
    const { server, env, home, configure } = await stage();
    await writeFile(join(home, "config/sotto/config.toml"), "");
    const own = { ...env, ANTHROPIC_BASE_URL: server.url };
    await sottoHere(["wrap", "--", process.execPath, "-e", silent], { env: own, cwd: home });
    expect(server.requests).toHaveLength(1);
    await configure();
    const codex = join(home, "codex");
    await writeFile(codex, '#!/bin/sh\nprintf "%s|" "$@" "$OPENAI_BASE_URL" > said\n', { mode: 0o755 });
    await sottoHere(["wrap", "--", codex, "exec", "hi"], { env, cwd: home });
    expect(await readFile(join(home, "said"), "utf8")).toMatch(
      /^-c\|openai_base_url="(http:\/\/127\.0\.0\.1:\d+\/openai\/v1)"\|exec\|hi\|\1\|$/u,
    );
  });

  it("keeps two addresses apart, and the user's own config of opencode", async () => {
    const { env, home } = await stage();
    const seen: string[] = [];
    const server = http.createServer((request, response) => {
      seen.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const opencode = {
      model: "m",
      provider: { openai: { options: { baseURL: "http://own/v1", apiKey: "k" } } },
    };
    const own = {
      ...env,
      OPENAI_BASE_URL: `${base}/one/v1`,
      OPENAI_API_BASE: `${base}/two/v1`,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencode),
    };
    const asks = `
      const { OPENAI_BASE_URL, OPENAI_API_BASE, OPENCODE_CONFIG_CONTENT } = process.env;
      fetch(OPENAI_BASE_URL + "/models").then(() => fetch(OPENAI_API_BASE + "/models"))
        .then(() => require("node:fs").writeFileSync("said", OPENCODE_CONFIG_CONTENT));`;
    await sottoHere(["wrap", "--", process.execPath, "-e", asks], { env: own, cwd: home });
    expect(seen).toEqual(["/one/v1/models", "/two/v1/models"]);
    const said = JSON.parse(await readFile(join(home, "said"), "utf8"));
    expect(said).toMatchObject(opencode);
    expect(said.provider.anthropic.options.baseURL).toContain("/anthropic/v1");
  });

  it("says at the end why there were no reminders", async () => {
    const { env, home } = await stage();
    const args = ["wrap", "--store", "/proc/none/x.db", "--", process.execPath, "-e", program];
    const { stdout, stderr } = await runSotto(args, { env, cwd: home });
    expect(stdout).toBe("Answer 0.\n");
    expect(stderr).toContain(
      "sotto: 1 request went out without new reminders: The store /proc/none/x.db failed.",
    );
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("passes %s on to the program, once", async (signal) => {
    const { env, home } = await stage();
    const waits = `
      let times = 0;
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
        process.on(signal, () => {
          console.log(signal, ++times);
          process.stdin.once("end", () => process.exit(3)).resume();
        });
      setInterval(() => {}, 1000);
      console.log("ready");`;
    // In no terminal, as services are run.
    const child = startSotto(["wrap", "--", process.execPath, "-e", waits], {
      env,
      cwd: home,
      detached: true,
    });
    const ended = finished(child);
    await once(child.stdout, "data");
    child.kill(signal);
    await once(child.stdout, "data");
    child.stdin.end();
    const { code, stdout } = await ended;
    expect([code, stdout]).toEqual([3, `ready\n${signal} 1\n`]);
  });

  it("leaves no program behind when a signal comes as soon as it runs", async () => {
    const { env, home } = await stage();
    const waits = 'trap "echo got; exit 5" TERM INT HUP; echo ready; while :; do sleep 0.05; done';
    const hangUps = new Array<NodeJS.Signals>(times(10)).fill("SIGHUP");
    for (const signal of [...hangUps, "SIGTERM", "SIGINT"] as const) {
      const child = startSotto(["wrap", "--", "sh", "-c", waits], { env, cwd: home, detached: true });
      const ended = finished(child);
      child.stdout.once("data", () => child.kill(signal));
      const { code, stdout } = await ended;
      expect([code, stdout]).toEqual([5, "ready\ngot\n"]);
    }
  });

  it("leaves Ctrl-C in a terminal to the program, which gets it anyway", async () => {
    const { env, home } = await stage();
    const waits = `
      let times = 0;
      process.on("SIGINT", () => {
        console.log("interrupts:", ++times);
        // Another one would come now, and this signal behind it.
        process.kill(process.ppid, "SIGTERM");
      });
      process.on("SIGTERM", () => process.exit(times));
      console.log("ready");
      setInterval(() => {}, 1000);`;
    const { main } = built();
    const inTerminal = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"ready" not in said: said += os.read(terminal, 1000)
os.write(terminal, b"\\x03")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
    const args = ["-c", inTerminal, process.execPath, main, "wrap", "--", process.execPath, "-e", waits];
    const child = spawn("python3", args, { env: { PATH: process.env.PATH, ...env }, cwd: home });
    expect((await once(child, "close"))[0]).toBe(1);
  });

  it("names a program that is not there", async () => {
    const { env, home } = await stage();
    const { code, stderr } = await runSotto(["wrap", "--", "no-such-program"], { env, cwd: home });
    expect(code).toBe(127);
    expect(stderr).toMatch(/^sotto: no-such-program runs .*\nsotto: no-such-program: no such program\n$/u);
    const closed = await sottoHere(["wrap", "--", home], { env, cwd: home });
    expect(closed.code).toBe(126);
    expect(closed.stderr).toContain("cannot be started");
  });
});
