// `sotto stats`, `sotto doctor` and the filters of `sotto log`: as processes, or the function that these call.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createSession, createSqliteStore } from "sotto";
import { describe, expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

interface Finding {
  about: string;
  status: string;
  fix?: string;
}

/** Plan mode: said, twice held back, said again after a compaction; and a letter. */
async function makeSession(path: string, id: string): Promise<void> {
  const cwd = temporaryDirectory();
  const store = createSqliteStore({ path });
  const session = createSession({ id, cwd, home: cwd, agent: { kind: "main" }, store });
  const turn = async () => {
    await (await session.turn()).commit();
    await session.record({ type: "assistant_turn" });
  };
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/p/plan.md" });
  for (let count = 0; count < 3; count++) await turn();
  await session.record({ type: "compacted" });
  await session.record({ type: "prompt_queued", id: "q", prompt: "hello" });
  await turn();
  await session.close();
  await store.close();
}

describe("stats", () => {
  test("tokens by type, session and day, what came again and what was spared", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await makeSession(path, "one");
    await makeSession(path, "two");
    const stats = async (...args: string[]) => {
      const { code, stdout, stderr } = await sottoHere(["stats", "--all", "--store", path, ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    const { rows, total, by } = JSON.parse(await stats("--json"));
    expect(by).toBe("type");
    const plan = rows.find((row: { name: string }) => row.name === "plan_mode");
    expect(plan).toMatchObject({ said: 4, saidAgain: 2, abandoned: 0, spared: 4 });
    expect(plan.sparedTokens).toBe(plan.tokens);
    expect(rows.find((row: { name: string }) => row.name === "queued_command")).toMatchObject({
      said: 2,
      spared: 0,
    });
    for (const key of ["said", "tokens", "spared", "sparedTokens"])
      expect(rows.reduce((sum: number, row: Record<string, number>) => sum + (row[key] ?? 0), 0)).toBe(
        total[key],
      );

    const bySession = JSON.parse(await stats("--by", "session", "--since", "1d", "--json"));
    expect(bySession.rows.map((row: { name: string }) => row.name)).toEqual(["one", "two"]);
    expect(bySession.total).toEqual(total);
    const page = await stats("--session", "one", "--by", "day");
    expect(page.split("\n")[0]).toBe(`${total.tokens / 2} tokens in ${total.said / 2} reminders`);
    expect(page).toMatch(/^ {2}\d{4}-\d\d-\d\d +\d+ +\d+ +100% +1 +\d+ +~\d+$/mu);
    expect(await stats("--since", "2999-01-01")).toMatch(
      /^No reminders were sent since 2999-01-01 00:00:00\.\n/u,
    );
  });
});

describe("log", () => {
  test("by time and by turn", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await makeSession(path, "one");
    const log = (...args: string[]) => sottoHere(["log", "one", "--store", path, "--json", ...args]);
    const { stdout } = await log("--turn", "4");
    const entries = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.map(({ kind, event, state, type }) => event?.type ?? type ?? state ?? kind)).toEqual([
      "assistant_turn",
      "compacted",
      "prompt_queued",
      "turn",
      "plan_mode",
      "queued_command",
      "confirmed",
      "confirmed",
    ]);
    expect((await log("--since", "2999-01-01")).stdout).toBe("");
    expect(await log("--turn", "9")).toMatchObject({
      code: 1,
      stderr: "sotto: session one has no turn 9; it has turns 1 to 4\n",
    });
  });
});

describe("doctor", () => {
  test("one line each, and what is wrong comes with what to do about it", async () => {
    const state = temporaryDirectory();
    const cwd = temporaryDirectory();
    const path = join(state, "sotto", "sotto.db");
    const env = { XDG_STATE_HOME: state };
    const well = await sottoHere(["doctor", "--json", "--cwd", cwd], { env });
    const { ok, findings } = JSON.parse(well.stdout);
    expect({ code: well.code, ok }).toEqual({ code: 0, ok: true });
    expect(findings.map(({ about }: { about: string }) => about)).toEqual(
      expect.arrayContaining(["node", "store", "sharp", "unpdf", "instructions", "ripgrep", "terminal"]),
    );

    await makeSession(path, "one");
    chmodSync(path, 0o644);
    mkdirSync(join(cwd, ".claude", "rules"), { recursive: true });
    writeFileSync(join(cwd, ".claude", "rules", "ui.md"), "---\npath: x\n---\nRule.\n");
    const ill = await runSotto(["doctor", "--cwd", cwd], { env: { ...env, PATH: "/nonexistent" } });
    expect(ill.code).toBe(1);
    const text = ill.stdout.replace(/\s+/gu, " ");
    expect(text).toMatch(/ok store \S+sotto\.db: 1 session, \d+ kB/u);
    expect(text).toContain(`problem store access others can read ${path} (644)`);
    expect(text).toContain(`→ chmod 600 ${path}`);
    expect(text).toContain("warning instructions .claude/rules/ui.md: ");
    expect(text).toContain("warning ripgrep not installed");
    expect(text).toMatch(/1 problem, \d+ warnings?\. $/u);
  });

  test("a config that is no readable text is named for what it is, with a remedy that fits", async () => {
    const text = "replace it with a text file, or remove it";
    const whole = "correct the file, or remove it";
    const server = createServer();
    const sorts: [make: (path: string) => unknown, is: string, fix: string][] = [
      [(path) => execFileSync("mkfifo", [path]), "it is a named pipe", text],
      [(path) => once(server.listen(path), "listening"), "it is a socket", text],
      [(path) => symlinkSync("/dev/null", path), "it is a device", text],
      [(path) => mkdirSync(path), "it is a directory", text],
      [(path) => writeFileSync(path, "x".repeat(300_000)), "it is larger than 262144 bytes", whole],
      [(path) => writeFileSync(path, new Uint8Array([0xff, 0xfe, 0xff])), "it is not UTF-8 text", whole],
      [(path) => symlinkSync(path, path), "ELOOP", "let this user read it, or remove it"],
    ];
    for (const [make, is, fix] of sorts) {
      const home = temporaryDirectory();
      const config = join(home, "config", "sotto");
      const cwd = join(home, "project");
      for (const path of [config, cwd]) mkdirSync(path, { recursive: true });
      for (const path of [join(config, "config.toml"), join(cwd, "sotto.toml")]) {
        await make(path);
        const env = { XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, "config") };
        const { stdout } = await sottoHere(["doctor", "--json", "--cwd", cwd], { env });
        const found = JSON.parse(stdout).findings.filter(({ status }: Finding) => status === "problem");
        expect(found).toEqual([
          {
            about: "config",
            status: "problem",
            fix,
            words: expect.stringContaining(`cannot be read: ${is}; ignored`),
          },
        ]);
        rmSync(path, { recursive: true });
        if (server.listening) await new Promise((resolve) => server.close(resolve));
      }
    }
  });

  test("a remedy fits its problem: a line, a variable, a file, trust", async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "sotto.toml"), "[system_reminder]\nenabled = 5\n");
    writeFileSync(join(cwd, ".mcp.json"), '{"mcpServers":{"trusted":{}}}');
    mkdirSync(join(cwd, ".sotto"));
    writeFileSync(
      join(cwd, ".sotto/hooks.json"),
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    );
    const env = { XDG_STATE_HOME: cwd, SOTTO_TIMEOUT_MS: "soon" };
    const { stdout } = await sottoHere(["doctor", "--json", "--cwd", cwd], { env });
    const findings = JSON.parse(stdout).findings as Finding[];
    const fixes = findings.flatMap(({ about, fix }) =>
      ["config", "mcp servers", "hooks"].includes(about) && fix !== undefined ? [[about, fix]] : [],
    );
    expect(fixes).toEqual([
      ["config", "correct SOTTO_TIMEOUT_MS, or unset it"],
      ["config", "fix the line"],
      ["hooks", "review it with sotto trust"],
      ["mcp servers", "correct the file, or remove it"],
    ]);
  });

  test("what is switched off is named", async () => {
    const env = { XDG_STATE_HOME: temporaryDirectory(), SOTTO_DISABLE: "1" };
    const { stdout } = await sottoHere(["doctor", "--cwd", temporaryDirectory()], { env });
    expect(stdout.replace(/\s+/gu, " ")).toContain("warning config everything is switched off");
  });

  test("a store that is no store is a problem, in the store's own words", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "sotto.db");
    writeFileSync(path, "no database", { mode: 0o600 });
    symlinkSync(path, join(directory, "link.db"));
    const { code, stdout } = await sottoHere(["doctor", "--json", "--store", join(directory, "link.db")]);
    expect(code).toBe(1);
    const store = JSON.parse(stdout).findings.find((one: { about: string }) => one.about === "store");
    expect(store).toMatchObject({
      status: "problem",
      words: expect.stringContaining("damaged or not a SQLite database"),
    });
  });
});
