// The config of `sotto gateway` when it is broken, replaced or not trusted: requests never go elsewhere because of it.

import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSotto, sottoHere } from "../../packages/cli/test/run-sotto.ts";
import { ask, gatewayBesideModel, logLines, startGateway } from "../support/gateway-process.ts";

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
const tokens = (...names: string[]) =>
  ["[gateway.tokens]", ...names.map((name) => `${name} = "sha256:${sha256(name)}"`)].join("\n");

/** Ways to make a file unusable, and what is said of each. */
const broken: readonly [name: string, make: (path: string) => Promise<unknown>, problem: string][] = [
  ["not TOML", (path) => writeFile(path, "[gateway]\n\n[gateway.tokens\n"), ":3:16: it is not valid TOML: "],
  ["a directory", (path) => mkdir(path), ": it cannot be read: it is a directory"],
  ["not UTF-8", (path) => writeFile(path, Buffer.from([0xff, 0xfe])), ": it cannot be read: it is not UTF-8"],
  ["too large", (path) => writeFile(path, "#".repeat(300_000)), ": it cannot be read: it is larger than"],
  ["a wrong key", (path) => writeFile(path, "[gateway]\nprot = 1\n"), ':2:1: gateway: unknown key "prot"'],
  ["a wrong value", (path) => writeFile(path, '[gateway]\nport = "x"\n'), ":2:1: gateway.port: "],
  ...[
    ["a wrong value for reminders", 'timeout_ms = "x"', ":2:1: system_reminder.timeout_ms: expected "],
    ["a wrong key for reminders", "timeoutms = 5", ':2:1: system_reminder: "timeoutms" is not known'],
    ["a wrong type of reminder", "attachments.todos_reminder = true", ":2:13: system_reminder.attachments"],
    ["a wrong key for instructions", "memory.depth = 5", ":2:8: system_reminder.memory"],
  ].map(([name = "", line, problem = ""]): (typeof broken)[number] => [
    name,
    (path) => writeFile(path, `[system_reminder]\n${line}\n[gateway]\ntrust_user = true\n`),
    problem,
  ]),
  ["a misspelt table", (path) => writeFile(path, "[system_reminders]\n"), ":1:2: "],
];

const SECRETS = [
  "sk-ant-api03-abcdefghijklmnop0123456789",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "AKIAABCDEFGHIJKLMNOP",
  sha256("a token"),
  "Zm9vYmFyYmF6cXV4+/Zm9vYmFy==",
  "http://user:PASSWORD@host.example/?a=b",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
];
/** Where a secret may stand by mistake. */
const MISPLACED: Readonly<Record<string, (secret: string) => string>> = {
  "a token and its name swapped": (secret) => `[gateway.tokens]\n"${secret}" = "ci"\n`,
  "a token as a name": (secret) => `[gateway.tokens]\n"${secret}" = 5\n`,
  "an upstream's name": (secret) => `[gateway.upstreams."${secret}"]\nurl = "ftp://x"\n`,
  "an upstream's name, with a wrong key": (secret) => `[gateway.upstreams."${secret}"]\nurll = "x"\n`,
  "a key of an upstream": (secret) => `[gateway.upstreams.x]\nurl = "http://x"\n"${secret}" = 1\n`,
  "a key": (secret) => `[gateway]\n"${secret}" = 1\n`,
  "a path": (secret) =>
    `[gateway]\ntls_cert = "/nowhere"\ntls_key = "-----BEGIN PRIVATE KEY-----${secret}"\n`,
  "a type of reminder": (secret) => `[system_reminder.attachments]\n"${secret}" = true\n`,
  "a tag": (secret) => `[system_reminder.tags]\n"${secret}" = "x"\n`,
  "a key for reminders": (secret) => `[system_reminder]\n"${secret}" = 1\n`,
};

async function stage() {
  const place = await gatewayBesideModel();
  const file = join(place.home, "config/sotto/config.toml");
  const replace = async (make: (path: string) => Promise<unknown>) => {
    await rm(file, { recursive: true, force: true });
    await make(file);
  };
  /** With its log as it comes. */
  const start = async (...args: string[]) => {
    const started = await startGateway(args, place);
    let log = "";
    started.child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    const said = (words: string) =>
      logLines(log.slice(0, log.lastIndexOf("\n") + 1)).filter(({ message }) =>
        String(message).includes(words),
      );
    /** Until every process has said so once more. */
    const reload = async (words: string, processes = 1) => {
      const before = said(words).length;
      started.child.kill("SIGHUP");
      await expect.poll(() => said(words).length).toBe(before + processes);
    };
    const status = async (token?: string) =>
      (
        await ask(
          started.anthropic,
          "Hello.",
          token === undefined ? {} : { headers: { "x-sotto-token": token } },
        )
      ).status;
    return { ...started, said, reload, status };
  };
  return { ...place, file, replace, start };
}

describe("a config that cannot be used", () => {
  it.each([["gateway"], ["gateway", "--workers", "2"], ["wrap", "--", "true"]])(
    "%s %s %s does not start, and says where",
    async (...args) => {
      const { env, home, file, replace } = await stage();
      const [, make, problem] = broken[0] as (typeof broken)[number];
      await replace(make);
      const { code, stdout, stderr } = await runSotto(args, { env, cwd: home });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(`sotto: ${file}${problem}`);
    },
  );

  it.each(broken)("%s: the gateway does not start, and says where", async (_name, make, problem) => {
    const { env, home, file, replace } = await stage();
    await replace(make);
    const { code, stdout, stderr } = await sottoHere(["gateway"], { env, cwd: home });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`sotto: ${file}${problem}`);
  });

  it("with --json it is said as JSON on stdout, and in the log", async () => {
    const { env, home, file, replace } = await stage();
    const [, make, problem] = broken.at(-1) as (typeof broken)[number];
    await replace(make);
    const { code, stdout, stderr } = await runSotto(["gateway", "--json"], { env, cwd: home });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "invalid_config" } });
    const message = expect.stringContaining(`${file}${problem}`);
    expect(logLines(stderr)).toEqual([expect.objectContaining({ level: "error", message })]);
  });

  it("in the project as well, where it might be a trusted one", async () => {
    const { env, home } = await stage();
    await writeFile(join(home, "sotto.toml"), "[gateway\n");
    const { code, stderr } = await sottoHere(["gateway"], { env, cwd: home });
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(home, "sotto.toml")}:1:`);
  });

  it.each([
    ["a mistake", 'timeout_ms = "x"', ":2:1: system_reminder.timeout_ms: expected "],
    ["a key that needs trust", "timeout_ms = 500", ":2:1: system_reminder.timeout_ms is ignored: "],
  ])(
    "%s for reminders in a workspace's own file is a warning, at the start and on SIGHUP",
    async (...given) => {
      const [, line, problem] = given;
      const { env, home, server, configure, start } = await stage();
      const workspace = join(home, "shop");
      await mkdir(workspace);
      const own = join(workspace, "sotto.toml");
      await writeFile(own, `[system_reminder]\n${line}\n`);
      await configure(server.url, `workspaces = ["${workspace}"]`);
      const { child, ended, reload, said, status } = await start();
      await reload(`${own}${problem}`);
      expect([await status(), said("the config was read again").length]).toEqual([200, 1]);
      child.kill("SIGTERM");
      const { code, stderr } = await ended;
      const told = logLines(stderr).filter(({ message }) => String(message).includes(`${own}${problem}`));
      expect([code, told.map(({ level }) => level)]).toEqual([0, ["warn", "warn"]]);
      const wrapped = await sottoHere(["wrap", "--workspace", workspace, "--", "true"], { env, cwd: home });
      expect([wrapped.code, wrapped.stderr.includes(`${own}${problem}`)]).toEqual([0, true]);
    },
  );

  it("on SIGHUP everything stays as it was, and the log says what is wrong", async () => {
    const { server, configure, file, replace, start } = await stage();
    await configure(server.url, "", tokens("ci", "bob"));
    const { child, ended, reload, said, status } = await start();
    await configure(server.url, "", tokens("ci"));
    await reload("the config was read again");
    expect([await status("ci"), await status("bob"), await status()]).toEqual([200, 401, 401]);
    for (const [, make, problem] of broken) {
      await replace(make);
      await reload(`the config stays as it was: ${file}${problem}`);
      expect([await status("ci"), await status("bob"), await status()]).toEqual([200, 401, 401]);
    }
    // All of them came to the upstream that the last good config named.
    expect(server.requests).toHaveLength(1 + broken.length);
    expect(said("the config was read again")).toHaveLength(1);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
});

describe("a secret in the wrong place is not shown", () => {
  const shown = (text: string) => ["PASSWORD", ...SECRETS].filter((secret) => text.includes(secret));

  it("on SIGHUP, whatever it is and wherever it stands", async () => {
    const { replace, start } = await stage();
    const { child, ended, reload } = await start();
    for (const text of Object.values(MISPLACED))
      for (const secret of SECRETS) {
        await replace((path) => writeFile(path, text(secret)));
        await reload("the config stays as it was: ");
      }
    child.kill("SIGTERM");
    const { stdout, stderr } = await ended;
    expect(shown(stdout + stderr)).toEqual([]);
  });

  it("at the start", async () => {
    const { env, home, replace } = await stage();
    for (const [index, text] of Object.values(MISPLACED).entries()) {
      await replace((path) => writeFile(path, text(SECRETS[index % SECRETS.length] ?? "")));
      const { stdout, stderr, code } = await sottoHere(["gateway", "--port", "0"], { env, cwd: home });
      expect([code, shown(stdout + stderr)]).toEqual([2, []]);
    }
  });

  it("on the command line", async () => {
    const { env, home } = await stage();
    const forms = [
      (secret: string) => secret,
      (secret: string) => `${secret}=ftp://x`,
      (secret: string) => `x=ftp://u:${secret}@h`,
    ];
    for (const [index, secret] of SECRETS.entries()) {
      const given = forms[index % forms.length]?.(secret) ?? "";
      const { stdout, stderr, code } = await sottoHere(["gateway", "--port", "0", "--upstream", given], {
        env,
        cwd: home,
      });
      expect([code, shown(stdout + stderr)]).toEqual([2, []]);
    }
  });
});

describe("a config that was read again", () => {
  it("replaces the earlier one: what is not in it is gone, whatever the first one said", async () => {
    const { server, configure, start, env } = await stage();
    const second = (name: string) => `[gateway.upstreams.${name}]\nurl = "${server.url}"`;
    const lists = 'hosts = ["gate.example"]\norigins = ["http://page.example"]';
    await configure(server.url, lists, `${second("first")}\n${tokens("ci", "bob")}`);
    const upstream = `flag=${server.url}`;
    const { child, ended, reload, status, url } = await start("--upstream", upstream);
    const reaches = async (name: string, headers: Record<string, string> = {}) =>
      (await fetch(`${url}/${name}/v1/models`, { headers: { "x-sotto-token": "ci", ...headers } })).text();
    const page = { origin: "http://page.example" };
    expect(await reaches("first", page)).toContain("Not found: GET");
    await configure(server.url, "", tokens("ci"));
    await reload("the config was read again");
    expect([await status("ci"), await status("bob")]).toEqual([200, 401]);
    expect(await reaches("first")).toContain("no upstream for this path");
    expect(await reaches("flag", page)).toContain("web pages may not call");
    // The options of the command line stay.
    expect(await reaches("flag")).toContain("Not found: GET");
    await writeFile(join(env.XDG_CONFIG_HOME as string, "sotto/config.toml"), "");
    await reload("the config was read again");
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect(await reaches("flag")).toContain("Not found: GET");
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
});

describe("a project's [gateway]", () => {
  it("is ignored with a line in the log until it is trusted; one that was in use and changed keeps all", async () => {
    const { home, env, start } = await stage();
    const file = join(home, "sotto.toml");
    const table = (port: number) => `[gateway.upstreams.own]\nurl = "http://127.0.0.1:${port}"\n`;
    await writeFile(file, table(9));
    const { child, ended, reload, said, url } = await start();
    const status = async () => (await fetch(`${url}/own/x`)).status;
    const ignored = `${file}:1:2: [gateway] is ignored: it needs \`sotto trust\``;
    expect(await status()).toBe(404);
    await reload("the config was read again");
    expect(said(ignored)).not.toEqual([]);
    const wrapped = await sottoHere(["wrap", "--", "true"], { env, cwd: home });
    expect([wrapped.code, wrapped.stderr]).toEqual([0, expect.stringContaining(`sotto: ${ignored}\n`)]);
    expect((await sottoHere(["trust", "--yes"], { env, cwd: home })).code).toBe(0);
    await reload("the config was read again");
    expect(await status()).toBe(502);
    await writeFile(file, `# changed\n${table(8)}`);
    await reload("the config stays as it was: ");
    expect(said("as the file has changed since it was trusted")).toHaveLength(1);
    expect(await status()).toBe(502);
    child.kill("SIGTERM");
    const lines = logLines((await ended).stderr).filter(({ message }) => message === ignored);
    expect(lines.map(({ level }) => level)).toEqual(["warn", "warn"]);
  });
});

it("leaves nothing behind in the directory for temporary files", async () => {
  const { home, env, server, configure } = await stage();
  await configure(server.url);
  const temporary = join(home, "tmp");
  await mkdir(temporary);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const { child, ended, anthropic } = await startGateway([], { home, env: { ...env, TMPDIR: temporary } });
    expect((await ask(anthropic, "Hello.")).status).toBe(200);
    expect(await readdir(temporary)).toHaveLength(1);
    child.kill(signal);
    expect((await ended).code).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  }
});
