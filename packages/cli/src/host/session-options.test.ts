import { createMemoryStore, createSession } from "sotto";
import { expect, it } from "vitest";
import { sessionOptions } from "./session-options.ts";
import { builtInAgents } from "./subagents/definitions.ts";

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
