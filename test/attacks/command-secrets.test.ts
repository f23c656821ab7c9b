// Secrets in the commands of an agent: nothing that is stored or sent has them, wherever in the command they stand.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { anthropicMessages, createSqliteStore } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

const OF_ENVIRONMENT = "canary/1234567890/abcdefgh";
// Put together here, so that nobody takes it for a key that leaked.
const OF_SERVICE = ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_");

let world: FileWorld;
let stores: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  stores = createFileWorld();
  world.write("src/a.ts", "export {};\n");
  process.env.COMMAND_TEST_TOKEN = OF_ENVIRONMENT;
});
afterEach(() => {
  delete process.env.COMMAND_TEST_TOKEN;
  world.remove();
  stores.remove();
});

/** What stands around a secret in commands that read, write, fetch and find. */
const forms: readonly ((secret: string) => string)[] = [
  (secret) => `cat ${secret}`,
  (secret) => `cat src/a.ts ${secret}`,
  (secret) => `head -n 5 ./${secret}`,
  (secret) => `sed -n 1,5p /etc/${secret}`,
  (secret) => `grep -rn TODO src/${secret}`,
  (secret) => `curl -s https://api.example.com/v1/x -H "X-Key: ${secret}"`,
  (secret) => `curl https://user:${secret}@example.com/x`,
  (secret) => `curl -o out/${secret}.json https://example.com`,
  (secret) => `SECRET=${secret} make build`,
  (secret) => `export KEY='${secret}' && ls src`,
  (secret) => `mysql -u root -p${secret} < src/a.ts`,
  (secret) => `echo ${secret} > src/${secret}`,
  (secret) => `cp src/a.ts ${secret}`,
  (secret) => `find src -name '${secret}'`,
  (secret) => `ls ${secret} && cat "${secret}"`,
];

/** One conversation in which the agent has run all of them. */
function body(commands: readonly string[]) {
  const messages = commands.flatMap((command, index) => [
    {
      role: "assistant" as const,
      content: [{ type: "tool_use" as const, id: `call-${index}`, name: "Bash", input: { command } }],
    },
    {
      role: "user" as const,
      content: [{ type: "tool_result" as const, tool_use_id: `call-${index}`, content: "done" }],
    },
  ]);
  const tools = [
    { name: "Bash", input_schema: { type: "object" as const, properties: { command: { type: "string" } } } },
  ];
  return {
    model: "m",
    max_tokens: 9,
    tools,
    messages: [{ role: "user" as const, content: "Go on." }, ...messages],
  };
}

const stored = () =>
  readdirSync(stores.root)
    .map((name) => readFileSync(join(stores.root, name), "latin1"))
    .join("");

it.each([
  ["a value of the environment", OF_ENVIRONMENT],
  ["the key of a service", OF_SERVICE],
])("AC-48 %s in a command is neither stored nor sent", async (_, secret) => {
  const store = createSqliteStore({ path: stores.at("sotto.db") });
  const session = openIn(world, { store });
  const commands = forms.map((form) => form(secret));
  const turn = await session.turn({ dialect: anthropicMessages, body: body(commands) });
  expect(turn.problem).toBeUndefined();
  await turn.commit();
  await session.record({
    type: "task_started",
    taskId: "t",
    taskType: "shell",
    description: "a server",
    command: `serve --key ${secret}`,
  });
  await session.record({ type: "task_finished", taskId: "t", status: "completed", exitCode: 0 });
  const paths = [secret, "src/a.ts"];
  await session.record({
    type: "tool_finished",
    toolName: "Bash",
    callId: "c",
    success: true,
    durationMs: 1,
    paths,
  });
  const next = await session.turn();
  const told = JSON.stringify([turn.reminders, next.reminders, turn.trace, next.trace]);
  expect(told.includes(secret)).toBe(false);
  await session.close();
  await store.close();
  // Otherwise nothing would be proved.
  expect(stored().includes("src/a.ts")).toBe(true);
  expect(stored().includes(secret)).toBe(false);
});

it("AC-48 a file that is there keeps its name, whatever that looks like", async () => {
  const name = `src/${OF_SERVICE}.ts`;
  world.write(name, "export {};\n");
  world.write("src/AGENTS.md", "Use tabs.\n");
  const store = createSqliteStore({ path: stores.at("sotto.db") });
  const session = openIn(world, { store });
  await (await session.turn({ dialect: anthropicMessages, body: body([`cat ${name}`]) })).commit();
  world.write(name, "export const a = 1;\n");
  const { reminders } = await session.turn();
  expect(reminders.map(({ text }) => text).join("")).toContain(name);
  await session.close();
  await store.close();
  rmSync(world.at(name));
});

it("AC-48 a secret where a long command is cut is not stored in part, nor is one in the command of a hook", async () => {
  const store = createSqliteStore({ path: stores.at("sotto.db") });
  const session = openIn(world, { store });
  for (let before = 1900; before < 2010; before += 3)
    await session.record({
      ...{ type: "command_ran", id: `c${before}` },
      command: `${"x".repeat(before)} --with ${before % 2 ? OF_SERVICE : OF_ENVIRONMENT}`,
    });
  await session.record({
    ...{ type: "hook_finished", hookName: "deploy", hookEvent: "Stop", outcome: "success", async: false },
    command: `deploy --key ${OF_SERVICE}`,
  });
  await session.close();
  await store.close();
  expect(stored()).toContain("deploy --key");
  for (const secret of [OF_SERVICE, OF_ENVIRONMENT]) expect(stored()).not.toContain(secret.slice(0, 10));
});
