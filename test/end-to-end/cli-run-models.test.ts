// What config says of models, in `sotto run`: the user's at once, a project's when it is trusted.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let state: string;
let server: ModelServer;
beforeEach(async () => {
  cwd = temporaryDirectory();
  state = temporaryDirectory();
  const script = () => ({ text: "Yes.", usage: { input: 1_000_000, output: 1_000_000 } });
  server = await startModelServer({ provider: "anthropic", script });
});
afterEach(() => server.close());

const sotto = (...args: string[]) =>
  sottoHere(args, {
    cwd,
    env: { HOME: state, XDG_STATE_HOME: state, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
  });
const run = (...args: string[]) =>
  sotto("run", "-p", "ok?", "--model", "anthropic/my-model", "--output-format", "json", ...args);
const models = (input: number) =>
  `[models."my-"]\nwindow = 4_000_000\nprice = { input = ${input}, output = 1 }\n`;

test("AC-50 the user's price and window count; a project's only when it is trusted", async () => {
  const bare = await run();
  expect(JSON.parse(bare.stdout)).not.toHaveProperty("costUsd");
  mkdirSync(join(state, ".config/sotto"), { recursive: true });
  writeFileSync(join(state, ".config/sotto/config.toml"), models(2));
  const { costUsd, sessionId } = JSON.parse((await run()).stdout);
  expect(costUsd).toBe(3);
  const logged = await sotto("log", sessionId, "--type", "usage_reported", "--json");
  expect(JSON.parse(logged.stdout).event).toMatchObject({ totalTokens: 4_000_000, usedUsd: 3 });
  writeFileSync(join(cwd, "sotto.toml"), models(100));
  const untrusted = await run();
  expect(JSON.parse(untrusted.stdout).costUsd).toBe(3);
  expect(untrusted.stderr).toContain("sotto.toml:1:2: [models] is ignored: it needs `sotto trust`");
  expect((await sotto("trust", "--list")).stdout).toContain('models = {"my-":{"window":4000000');
  await sotto("trust", "--yes");
  const trusted = await run();
  expect(JSON.parse(trusted.stdout).costUsd).toBe(101);
  expect(trusted.stderr).not.toContain("[models]");
  writeFileSync(join(cwd, "sotto.toml"), models(1000));
  expect((await run()).stderr).toContain("as the file has changed since it was trusted");
});

test("wrong keys are told with their line, by the agent and by the doctor", async () => {
  mkdirSync(join(state, ".config/sotto"), { recursive: true });
  writeFileSync(join(state, ".config/sotto/config.toml"), '[models."my-"]\nwindows = 5\n');
  const words = 'unknown key "windows"; did you mean "window"?';
  const { code, stderr } = await run();
  expect(code).toBe(0);
  expect(stderr).toContain(`config.toml:2:1: models."my-": ${words}`);
  expect((await sotto("doctor", "--json")).stdout).toContain(JSON.stringify(words).slice(1, -1));
});
