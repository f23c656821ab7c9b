// Skills as `sotto run` has them: named to the model, given when asked for, said again after compaction.

import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMemoryStore } from "sotto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDenyAsker } from "../../packages/agent/src/face/askers.ts";
import { openRun } from "../../packages/agent/src/open-run.ts";
import { createPermissions } from "../../packages/agent/src/tools/permissions.ts";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { setEnvironment } from "../support/environment.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = realpathSync(temporaryDirectory());
  setEnvironment({ ANTHROPIC_API_KEY: "k", HOME: temporaryDirectory() });
});
afterEach(() => server?.close());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

async function open(script: Script, denyRead: string[] = []) {
  server = await startModelServer({ provider: "anthropic", script });
  return openRun({
    cwd,
    model: "anthropic/claude-test",
    baseUrl: server.url,
    usualScenario: "",
    store: createMemoryStore(),
    permissions: createPermissions("ask"),
    extraDirectories: [],
    denyRead,
    listen: () => undefined,
    asker: createDenyAsker(),
  });
}

const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const { signal } = new AbortController();
const bodies = () => (server?.requests ?? []).map(({ body }) => JSON.stringify(body));

test("AC-44 a skill is named, given when it is asked for, and comes back once after compaction", async () => {
  write(
    ".claude/skills/release/SKILL.md",
    "---\nname: release\ndescription: How to publish.\n---\nTag, then publish.\n",
  );
  write(".sotto/skills/broken/SKILL.md", "---\ndescription: d\n---\n");
  const opened = await open((body, index) => {
    if (JSON.stringify(body).includes("You summarise")) return { text: "They released." };
    if (index === 0) return call("Skill", { skill: "releese" });
    return index === 1
      ? call("Skill", { skill: "release", args: "version 2" })
      : { text: `Answer ${index}.` };
  });
  expect(opened.problems).toEqual([`${cwd}/.sotto/skills/broken/SKILL.md: it has no text`]);
  await opened.agent.run("Publish it", signal);
  await opened.agent.compact(signal);
  await opened.agent.run("Go on", signal);
  await opened.agent.run("And on", signal);
  await opened.close();
  const [first, second, third, , after, last] = bodies();
  expect(first).toContain('- release: of this project, which says of it \\"How to publish.\\"');
  expect(second).toContain('There is no skill \\"releese\\"; available: release');
  expect(third).toContain("Tag, then publish.\\n\\nApply it to: version 2");
  expect(after).toContain("### Skill: release");
  expect(after?.match(/Tag, then publish\./gu)).toHaveLength(1);
  expect(last?.match(/Tag, then publish\./gu)).toHaveLength(1);
  expect(server?.violations).toEqual([]);
});

test("without skills there is no tool for them, nor with those that may not be read", async () => {
  const without = await open([{ text: "Fine." }]);
  await without.agent.run("go", signal);
  await without.close();
  expect(bodies()[0]).not.toContain('"name":"Skill"');
  await server?.close();
  write(".sotto/skills/secret/SKILL.md", "---\ndescription: canary\n---\nText.\n");
  const denied = await open([{ text: "Fine." }], [".sotto/skills"]);
  await denied.agent.run("go", signal);
  await denied.close();
  expect(bodies()[0]).not.toContain("canary");
});
