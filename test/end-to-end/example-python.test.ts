// examples/python/agent.py with the real python3, the real program, and a provider on loopback.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { finished, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type Script, startModelServer } from "../support/servers/model-server.ts";

const example = fileURLToPath(new URL("../../examples/python/agent.py", import.meta.url));
const isThere = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const why = isThere ? "" : " (skipped; to get python3 3.9 or later: apt-get install python3)";
const test = it.skipIf(!isThere);

test(`the model gets the reminder, and what was said stays where it was${why}`, async () => {
  const { ran, server } = await runExample([{ text: "A plan." }, { text: "More." }], ["Plan it.", "Go on."]);
  expect(ran).toEqual({ code: 0, stdout: "A plan.\nMore.\n", stderr: "" });
  expect(server.violations).toEqual([]);
  const [first, second] = server.requests.map(({ body }) => (body as { messages: object[] }).messages);
  expect(first).toEqual([
    { role: "user", content: "Plan it." },
    {
      role: "user",
      content: [{ type: "text", text: expect.stringMatching(/^<system-reminder>\nPlan mode is on\./u) }],
    },
  ]);
  expect(second?.slice(0, 3)).toEqual([
    ...(first ?? []),
    { role: "assistant", content: [expect.objectContaining({ type: "text", text: "A plan." })] },
  ]);
  expect(second?.[3]).toEqual({ role: "user", content: "Go on." });
});

test(`a call that fails ends it, and Sotto with it${why}`, async () => {
  const { ran } = await runExample([{ status: 529 }], ["Plan it."]);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining("HTTP Error 529") });
});

async function runExample(script: Script, prompts: readonly string[]) {
  const server = await startModelServer({ provider: "anthropic", script });
  onTestFinished(() => server.close());
  const child = spawn("python3", [example, ...prompts], {
    cwd: temporaryDirectory(),
    env: {
      ...{ PATH: process.env.PATH, HOME: temporaryDirectory() },
      ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "of-nobody" },
      SOTTO: `"${process.execPath}" "${built().main}"`,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { ran: await finished(child), server };
}
