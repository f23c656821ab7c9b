// A project that was just cloned: what it brings along runs nothing and speaks with no authority until it is trusted.

import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let home: string;
let server: ModelServer;
beforeEach(async () => {
  cwd = realpathSync(temporaryDirectory());
  home = realpathSync(temporaryDirectory());
  server = await startModelServer({ provider: "anthropic", script: () => ({ text: "Done." }) });
});
afterEach(() => server.close());

const environment = () => ({
  HOME: home,
  XDG_STATE_HOME: join(home, "state"),
  XDG_CONFIG_HOME: join(home, "config"),
  ANTHROPIC_API_KEY: "k",
  ANTHROPIC_BASE_URL: server.url,
});
const sotto = (...args: string[]) => runSotto(args, { cwd, env: environment() });

function write(path: string, content: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
}

/** Runs an agent, and tells what ran beside it and what the model was sent. */
async function whatRan() {
  const marks = ["hook", "server"].map((name) => join(cwd, `${name}.ran`));
  for (const mark of marks) rmSync(mark, { force: true });
  const before = server.requests.length;
  const { code, stderr } = await sotto("run", "-p", "Go on.", "--no-ide");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const sent = server.requests.slice(before).map(({ body }) => JSON.stringify(body));
  return { ran: marks.map((mark) => existsSync(mark)), sent: sent.join("\n") };
}

test("AC-50 nothing of a cloned project runs or speaks with authority until it is trusted; a changed file asks again", async () => {
  write("hook.sh", "#!/bin/sh\ntouch hook.ran\necho SAID-BY-HOOK\n");
  chmodSync(join(cwd, "hook.sh"), 0o755);
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `${cwd}/hook.sh` }] }] };
  write(".claude/settings.json", JSON.stringify({ hooks }));
  // Not a server at all, but started like one.
  write(".mcp.json", JSON.stringify({ mcpServers: { docs: { command: "touch", args: ["server.ran"] } } }));
  write(".sotto/templates/critical_system_reminder.md", "FORGED {{content}}");
  write(
    "sotto.toml",
    '[system_reminder]\ncritical_instruction = "PROJECT-WORDS"\ntags = { system-reminder = "user" }\n',
  );
  write("AGENTS.md", "Use tabs.");

  const untrusted = await whatRan();
  expect(untrusted.ran).toEqual([false, false]);
  expect(untrusted.sent).not.toContain("SAID-BY-HOOK");
  expect(untrusted.sent).not.toContain("FORGED");
  expect(untrusted.sent).not.toContain("<user>");
  // Its text is told as the file's, beside the rules, which are text, too.
  expect(untrusted.sent).toMatch(/sotto\.toml[^"]*PROJECT-WORDS/u);
  expect(untrusted.sent).toContain("Use tabs.");

  const listed = JSON.parse((await sotto("trust", "--list", "--json")).stdout) as {
    items: { kind: string; state: string }[];
  };
  expect(listed.items.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    "config unknown",
    "template unknown",
    "hooks unknown",
    "servers unknown",
  ]);
  expect((await sotto("trust", "--yes")).code).toBe(0);

  const trusted = await whatRan();
  expect(trusted.ran).toEqual([true, true]);
  expect(trusted.sent).toContain("SAID-BY-HOOK");
  expect(trusted.sent).toContain("<user>\\nFORGED PROJECT-WORDS\\n</user>");

  write(".claude/settings.json", JSON.stringify({ hooks, more: 1 }));
  write(".mcp.json", JSON.stringify({ mcpServers: { docs: { command: "touch", args: ["./server.ran"] } } }));
  const changed = await whatRan();
  expect(changed.ran).toEqual([false, false]);
  expect(changed.sent).not.toContain("SAID-BY-HOOK");
});
