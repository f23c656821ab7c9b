// `sotto run` killed in the middle of a turn, and resumed: nothing lost, nothing doubled.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSotto, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { prefixOf } from "../support/prefix.ts";
import { type ModelServer, startModelServer } from "../support/servers/model-server.ts";

type Body = { messages: { role: string; content: unknown }[] };

async function requested(server: ModelServer, count: number): Promise<void> {
  while (server.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("AC-38 kill -9 while the model answers, then --resume", async () => {
  const cwd = temporaryDirectory();
  const state = temporaryDirectory();
  writeFileSync(join(cwd, "a.txt"), "one\n");
  writeFileSync(join(cwd, "AGENTS.md"), "Be brief.\n");
  const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
  const server = await startModelServer({
    provider: "anthropic",
    script: [
      call("Read", { file_path: "a.txt" }),
      call("Bash", { command: "echo done", description: "Talk", run_in_background: true }),
      call("TaskOutput", { task_id: "b1" }),
      // Asked, never answered: the process is killed meanwhile.
      { text: "Nobody hears this.", delayMs: 600_000 },
      call("Read", { file_path: "a.txt" }),
      { text: "All done." },
    ],
  });
  const env = {
    HOME: temporaryDirectory(),
    XDG_STATE_HOME: state,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.url,
  };
  const options = ["--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "all"];
  try {
    const killed = startSotto(["run", "-p", "go", ...options], { cwd, env });
    killed.stdin.end();
    await requested(server, 3);
    writeFileSync(join(cwd, "a.txt"), "two\n");
    await requested(server, 4);
    killed.kill("SIGKILL");
    await new Promise((resolve) => killed.once("close", resolve));

    const resumed = await runSotto(["run", "-p", "go on", "--resume", ...options], { cwd, env });
    expect(resumed.stdout).toBe("All done.\n");
    expect(resumed.code).toBe(0);
    expect(server.violations).toEqual([]);
    const bodies = server.requests.map(({ body }) => body as Body);
    expect(bodies).toHaveLength(6);
    const last = JSON.stringify(bodies[5]);
    for (const once of [
      /\(status: completed\)/gu,
      /was modified outside this conversation/gu,
      /Be brief\./gu,
    ])
      expect(last.match(once), String(once)).toHaveLength(1);
    // What was asked and not answered stands where it stood.
    const prefixes = bodies.map((body) => prefixOf("anthropic-messages", body));
    for (const at of [1, 2, 5])
      expect(prefixes[at]?.startsWith(prefixes[at - 1] as string), `request ${at + 1}`).toBe(true);
    const blocks = (body: Body | undefined) =>
      (body?.messages ?? [])
        .flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
        .map(bare);
    expect(blocks(bodies[4]).slice(0, blocks(bodies[3]).length)).toEqual(blocks(bodies[3]));
  } finally {
    await server.close();
  }
});

function bare(block: unknown): string {
  const { cache_control: _mark, ...rest } = block as Record<string, unknown>;
  return JSON.stringify(rest);
}
