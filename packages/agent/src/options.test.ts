import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, createMemoryStore, createSession } from "sotto";
import { expect, it } from "vitest";
import { sessionOptions } from "./options.ts";
import { builtInAgents } from "./subagents/definitions.ts";

it("leaves out what the results of its tools say, unless the user's config asks for it", async () => {
  const warned = async (config?: Config) => {
    const cwd = mkdtempSync(join(tmpdir(), "sotto-empty-"));
    writeFileSync(join(cwd, "empty.ts"), "");
    const session = createSession(
      sessionOptions({ cwd, home: cwd, store: createMemoryStore(), config }, "one"),
    );
    await session.record({ type: "file_read", path: "empty.ts" });
    const { attachments } = await session.turn();
    await session.close();
    rmSync(cwd, { recursive: true });
    return attachments.map(({ type }) => type).includes("empty_file_warning");
  };
  expect(await warned()).toBe(false);
  expect(await warned({ attachments: { empty_file_warning: true } })).toBe(true);
});

it("a prompt can ask for every sub-agent there is, and for no other", async () => {
  const place = { cwd: "/nowhere", home: "/nowhere", store: createMemoryStore(), agents: builtInAgents };
  const session = createSession(sessionOptions(place, "one"));
  const turn = await session.turn({ userPrompt: "@agent-Explore or @agent-Plan, not @agent-Nobody" });
  expect(turn.attachments.filter(({ type }) => type === "agent_mention").map(({ data }) => data)).toEqual([
    { agentType: "Explore" },
    { agentType: "Plan" },
  ]);
  await session.close();
});
