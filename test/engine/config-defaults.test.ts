// What a host would have unless somebody says otherwise lies below the files; what it insists on lies above them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession, type SessionOptions } from "sotto";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

test.each<[Partial<SessionOptions>, string]>([
  [{ configFiles: { defaults: { critical_instruction: "host" } } }, "user"],
  [{ config: { critical_instruction: "host" } }, "host"],
  [
    { configFiles: { defaults: { critical_instruction: "low" } }, config: { critical_instruction: "high" } },
    "high",
  ],
])("%j beside the user's file: %s", async (options, said) => {
  const home = temporaryDirectory();
  mkdirSync(join(home, ".config/sotto"), { recursive: true });
  writeFileSync(
    join(home, ".config/sotto/config.toml"),
    '[system_reminder]\ncritical_instruction = "user"\ntimeout_ms = 20000\n',
  );
  const session = createSession({
    ...{ cwd: home, home, agent: { kind: "main" } },
    trust: { user: true },
    ...options,
  });
  const { reminders } = await session.turn();
  expect(reminders.map(({ text }) => text)).toEqual([`<system-reminder>\n${said}\n</system-reminder>`]);
});

test("a wrong default is the host's to hear, at once", () => {
  const defaults = { timeout: 5 } as never;
  expect(() => createSession({ cwd: "/", configFiles: { defaults } })).toThrow(
    'config: "timeout" is not known; did you mean "timeout_ms"?',
  );
});
