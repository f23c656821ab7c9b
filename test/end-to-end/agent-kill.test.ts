// `sotto run` killed in the middle of a turn, and resumed: nothing lost, nothing doubled.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSotto, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { blocksOf, prefixOf } from "../support/prefix.ts";
import { type ModelServer, startModelServer } from "../support/servers/model-server.ts";

type Body = { messages: { role: string; content: unknown }[] };

async function requested(server: ModelServer, count: number): Promise<void> {
  while (server.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
}

const options = ["--model", "anthropic/claude-sonnet-4-5", "--permission-mode", "all"];

function environment({ url }: ModelServer, state: string): Record<string, string> {
  return {
    HOME: temporaryDirectory(),
    XDG_STATE_HOME: state,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: url,
  };
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
  const env = environment(server, state);
  try {
    const killed = startSotto(["run", "-p", "go", ...options], { cwd, env });
    killed.stdin.end();
    await requested(server, 3);
    writeFileSync(join(cwd, "a.txt"), "two\n");
    await requested(server, 4);
    // A second process would write into the same conversation.
    const second = await runSotto(["run", "-p", "go on", "--resume", ...options], { cwd, env });
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toMatch(/(run-\S+) is open in another `sotto run`; .* sotto run --fork \1\n/u);
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

test("AC-38 kill -9 while tools run, then --resume twice", async () => {
  const cwd = temporaryDirectory();
  const bash = (command: string) => ({ name: "Bash", input: { command, description: "Work" } });
  const server = await startModelServer({
    provider: "anthropic",
    script: [
      // The second ends with its directory, after the process was killed.
      {
        toolCalls: [
          bash("echo quick"),
          bash("touch started; while [ -e started ]; do sleep 0.1; done"),
          bash("echo never run"),
        ],
      },
      { text: "One." },
      { text: "Two." },
    ],
  });
  const env = environment(server, temporaryDirectory());
  try {
    const killed = startSotto(["run", "-p", "go", ...options], { cwd, env });
    killed.stdin.end();
    while (!existsSync(join(cwd, "started"))) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.kill("SIGKILL");
    await new Promise((resolve) => killed.once("close", resolve));

    for (const [prompt, answer] of [
      ["first resume", "One.\n"],
      ["second resume", "Two.\n"],
    ] as const) {
      const resumed = await runSotto(["run", "-p", prompt, "--resume", ...options], { cwd, env });
      expect([resumed.code, resumed.stdout], resumed.stderr).toEqual([0, answer]);
    }
    expect(server.violations).toEqual([]);
    const blocks = server.requests.map(({ body }) => blocksOf("anthropic-messages", body));
    expect(blocks).toHaveLength(3);
    const [first = [], second = [], third = []] = blocks;
    expect(second.slice(0, first.length)).toEqual(first);
    expect(third.slice(0, second.length)).toEqual(second);
    const last = third.join("\n");
    // What had ended by then was kept.
    expect(third.filter((block) => /tool_result.*quick/su.test(block))).toHaveLength(1);
    expect(last.match(/The session ended before the answer was kept/gu)).toHaveLength(2);
    for (const prompt of ["first resume", "second resume"]) expect(last.split(prompt)).toHaveLength(2);
  } finally {
    await server.close();
  }
});

function bare(block: unknown): string {
  const { cache_control: _mark, ...rest } = block as Record<string, unknown>;
  return JSON.stringify(rest);
}
