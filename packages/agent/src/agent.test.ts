// The loop against a strict server on loopback, through the real SDK.

import { createAnthropic } from "@ai-sdk/anthropic";
import type { Session } from "sotto";
import { afterEach, describe, expect, it } from "vitest";
import { prefixOf } from "../../../test/support/prefix.ts";
import {
  type ModelServer,
  type Script,
  startModelServer,
} from "../../../test/support/servers/model-server.ts";
import { openSession } from "../../../test/support/telling.ts";
import type { AgentOptions } from "./agent.ts";
import { createAgent } from "./agent.ts";
import type { AgentEvent } from "./agent-events.ts";
import { mainPrompt, subagentPrompt } from "./system-prompt.ts";
import { look } from "./tools/testing.ts";
import type { Tool } from "./tools/tool.ts";

const open: { server: ModelServer; session: Session }[] = [];
afterEach(async () => {
  for (const { server, session } of open.splice(0)) {
    await session.close();
    await server.close();
  }
});

async function start(script: Script, options: Partial<AgentOptions> = {}) {
  const server = await startModelServer({ provider: "anthropic", script });
  const session = openSession({ cwd: "/nowhere", home: "/nowhere" });
  open.push({ server, session });
  const events: AgentEvent[] = [];
  const agent = createAgent({
    session,
    model: createAnthropic({ apiKey: "k", baseURL: `${server.url}/v1` })("claude-test"),
    system: () => "You are a test.",
    tools: [look as unknown as Tool],
    window: 100_000,
    listen: (event) => events.push(event),
    execute: async ({ input }) => look.run(input as { path: string }, undefined as never),
    wait: async () => undefined,
    ...options,
  });
  const bodies = () => server.requests.filter(({ status }) => status === 200).map(({ body }) => body);
  return { agent, session, server, events, bodies };
}

const run = (agent: { run: ReturnType<typeof createAgent>["run"] }, prompt: string) =>
  agent.run(prompt, new AbortController().signal);
const call = (path: string) => ({ toolCalls: [{ name: "Look", input: { path } }] });

describe("the system prompt", () => {
  const definition = { type: "Explore", description: "", prompt: "Explore." };
  const prompts: [string, AgentOptions["system"]][] = [
    ["the agent's", (tag) => mainPrompt({ cwd: "/repo", tag })],
    ["a sub-agent's", (tag) => subagentPrompt(definition, { cwd: "/repo", tag })],
  ];
  it.each(prompts)(
    "%s names the tag that config gives reminders, also where it changes",
    async (_whose, system) => {
      const { agent, session, bodies } = await start([{ text: "A" }, { text: "B" }], { system });
      await run(agent, "Hi.");
      await session.record({ type: "config_changed", config: { tags: { "system-reminder": "note" } } });
      await run(agent, "Hi again.");
      const [before, after] = bodies().map((body) => JSON.stringify((body as { system: unknown }).system));
      expect(before).toContain("otes in <system-reminder> tags");
      expect(after).toContain("otes in <note> tags");
      expect(after).not.toContain("system-reminder");
    },
  );
});

describe("the loop", () => {
  it("AC-1 works until nothing more is asked for, with reminders in the request before the model is called", async () => {
    const { agent, session, server, events, bodies } = await start([call("a"), { text: "Done." }]);
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/nowhere/plan.md" });
    expect(await run(agent, "go")).toMatchObject({ text: "Done.", turns: 2 });
    expect(server.violations).toEqual([]);
    expect(JSON.stringify(bodies()[0])).toContain("## Plan Workflow");
    const [first, second] = bodies().map((body) => prefixOf("anthropic-messages", body));
    expect(second?.startsWith(first as string)).toBe(true);
    expect(events.filter(({ type }) => type === "reminder")).toHaveLength(1);
  });

  it("makes a failed call again with the same bytes, and loses no reminder", async () => {
    const { agent, session, server, events } = await start([
      { status: 529, error: "overloaded" },
      { status: 429, error: "slow down", headers: { "retry-after": "0" } },
      { text: "Done." },
    ]);
    await session.record({ type: "task_started", taskId: "t1", taskType: "shell", description: "tests" });
    await session.record({ type: "task_finished", taskId: "t1", status: "completed", exitCode: 0 });
    expect((await run(agent, "go")).text).toBe("Done.");
    const bodies = server.requests.map(({ raw }) => raw);
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain("Task t1");
    expect(events.filter(({ type }) => type === "retrying")).toHaveLength(2);
    // However often it was sent, it is shown once.
    expect(events.filter(({ type }) => type === "reminder")).toHaveLength(1);
  });

  it("forgets the conversation when it is cleared, and adds up what was used", async () => {
    const { agent, session, server } = await start([{ text: "One." }, { text: "Two." }]);
    await run(agent, "first words");
    await agent.clear();
    expect(agent.messages).toEqual([]);
    await run(agent, "second words");
    expect(server.requests[1]?.raw).not.toContain("first words");
    expect(agent.spent.calls).toBe(2);
    expect(agent.spent.usage.output).toBeGreaterThan(0);
    expect((await session.state()).mode).toBe("normal");
  });

  it("says in one line what cannot be mended, goes on, and counts nothing as delivered", async () => {
    const { agent, session, events, bodies } = await start([
      { status: 401, error: "bad key" },
      { text: "Now." },
    ]);
    await session.record({ type: "prompt_queued", id: "q", prompt: "hear me" });
    expect((await run(agent, "go")).problem).toContain("401");
    expect(events).toContainEqual({ type: "failed", message: expect.stringContaining("bad key") });
    expect((await run(agent, "again")).text).toBe("Now.");
    expect(JSON.stringify(bodies()[0])).toContain("hear me");
  });

  it("stops when it is told to, in the middle of a call, with its state intact", async () => {
    const { agent, server, bodies } = await start([
      { text: "Never heard.", delayMs: 60_000 },
      { text: "Fine." },
    ]);
    const ending = new AbortController();
    const running = agent.run("go", ending.signal);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    ending.abort();
    expect((await running).problem).toBe("aborted");
    expect((await run(agent, "once more")).text).toBe("Fine.");
    expect(bodies().at(-1)).toMatchObject({ messages: [{ role: "user" }] });
  });

  it("tells what was typed meanwhile with the next call, and works off what comes at the end", async () => {
    const { agent, bodies } = await start((_, index) => {
      if (index === 0) agent.queue("by the way");
      if (index === 1) agent.queue("and then this");
      return index === 0 ? call("a") : { text: `answer ${index}` };
    });
    expect((await run(agent, "go")).turns).toBe(3);
    expect(JSON.stringify(bodies()[1])).toContain("The user sent the following message:\\nby the way");
    expect(JSON.stringify(bodies()[2])).toContain('"text":"and then this"');
  });

  it("AC-35 AC-36 makes room by a summary without reminders, and goes on with everything in force", async () => {
    let looks = 0;
    const script: Script = (body) => {
      if (JSON.stringify(body).includes("You summarise")) return { text: "They looked at a." };
      looks += 1;
      return looks <= 2 ? call(`a path that is long, number ${looks} `.repeat(40)) : { text: "Done." };
    };
    const { agent, session, server, events, bodies } = await start(script, { window: 900 });
    await session.record({ type: "todos_written", items: [{ content: "Look", status: "in_progress" }] });
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/nowhere/plan.md" });
    await run(agent, "go");
    expect(server.violations).toEqual([]);
    expect(events.some(({ type }) => type === "compacted")).toBe(true);
    const summary = bodies().find((body) => JSON.stringify(body).includes("You summarise"));
    expect(JSON.stringify(summary)).not.toContain("<system-reminder>");
    const after = JSON.stringify(bodies().at(-1));
    expect(after).toContain("They looked at a.");
    expect(after).toContain("## Plan Workflow");
    expect(after).toContain("[1. [in_progress] Look]");
  });

  it("AC-35 keeps a prompt that is not answered yet out of the summary, and in the conversation", async () => {
    const script: Script = (body) =>
      JSON.stringify(body).includes("You summarise")
        ? { text: "They talked." }
        : { text: "A long answer about nothing in particular. ".repeat(30) };
    const { agent, bodies } = await start(script, { window: 500 });
    await run(agent, "first");
    await run(agent, "the second question");
    const [, summary, last] = bodies().map((body) => JSON.stringify(body));
    expect(summary).not.toContain("the second question");
    expect(last).toContain("They talked.");
    expect(last).toContain("the second question");
  });

  it("goes back to the end of a turn", async () => {
    const { agent, bodies } = await start([{ text: "one" }, { text: "two" }, { text: "three" }]);
    await run(agent, "first");
    await run(agent, "second");
    expect(await agent.rewind(1)).toBe(true);
    expect(await agent.rewind(99)).toBe(false);
    await run(agent, "other");
    const last = JSON.stringify(bodies().at(-1));
    expect([last.includes("first"), last.includes("second"), last.includes("other")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("stops after so many turns", async () => {
    const { agent } = await start(() => call("a"), { maxTurns: 3 });
    expect((await run(agent, "go")).problem).toContain("stopped after 3 turns");
  });
});
