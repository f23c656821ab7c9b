// `sotto turn` whose stdout is closed or thrown away: only what somebody can have read counts as sent.

import { spawn } from "node:child_process";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { finished, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const messages = [{ role: "user", content: "hi" }];
const queued = { type: "prompt_queued", id: "q1", prompt: "one" };

function turnIn(home: string, redirection: string, input: object) {
  const args = [
    "-c",
    `exec "$@" ${redirection}`,
    "sh",
    process.execPath,
    built().main,
    "turn",
    "--session",
    "s",
  ];
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, SOTTO_TIMEOUT_MS: "60000" };
  const child = spawn("sh", args, { cwd: home, env });
  child.stdin.end(JSON.stringify(input));
  return finished(child);
}

describe.skipIf(process.platform === "win32")("what a turn of which stdout is … had", () => {
  test.each([
    [">&-", 1, true],
    ["1<>/dev/null", 1, true],
    [">/dev/null", 0, false],
    [">>/dev/null", 0, false],
    [">out.json", 0, false],
    ["| cat", 0, false],
  ])("%s: exit code %i, still due: %s", async (redirection, code, isDue) => {
    const home = temporaryDirectory();
    const first = await turnIn(home, redirection, { messages, events: [queued] });
    const words = "sotto: stdout is closed: nobody gets this turn, so its reminders stay due\n";
    expect([first.code, first.stderr]).toEqual([code, isDue ? words : ""]);
    const { stdout } = await turnIn(home, "", { messages });
    const { reminders } = JSON.parse(stdout);
    expect(reminders.map(({ type }: { type: string }) => type)).toEqual(isDue ? ["queued_command"] : []);
  });
});
