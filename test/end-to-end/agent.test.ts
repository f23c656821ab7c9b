// The reference agent with its real tools, against a strict server on loopback, through the real SDK.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { type Config, createMemoryStore } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentEvent } from "../../packages/agent/src/agent-events.ts";
import { noTranscript } from "../../packages/agent/src/conversation/transcript.ts";
import { createDenyAsker } from "../../packages/agent/src/face/askers.ts";
import { openHost } from "../../packages/agent/src/open-host.ts";
import type { Host } from "../../packages/agent/src/options.ts";
import { builtInAgents } from "../../packages/agent/src/subagents/definitions.ts";
import { createPermissions } from "../../packages/agent/src/tools/permissions.ts";
import { prefixOf } from "../support/prefix.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let closing: (() => Promise<unknown>)[];
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-agent-")));
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(cwd, { recursive: true, force: true });
});

type Body = { system?: unknown; messages: { role: string; content: unknown }[] };

interface Staged extends Host {
  server: ModelServer;
  events: AgentEvent[];
  bodies(): Body[];
  /** Requests of the main agent, of a kind of sub-agent, or of the summariser. */
  of(who: string): Body[];
}

async function stage(
  script: Script,
  { config, window = 100_000 }: { config?: Config; window?: number } = {},
): Promise<Staged> {
  const server = await startModelServer({ provider: "anthropic", script });
  const events: AgentEvent[] = [];
  const host = openHost({
    cwd,
    home: join(cwd, ".home"),
    sessionId: "s",
    store: createMemoryStore(),
    model: createAnthropic({ apiKey: "k", baseURL: `${server.url}/v1` })("claude-test"),
    window,
    listen: (event) => events.push(event),
    asker: { ...createDenyAsker(), permit: async () => "yes", approvePlan: async () => ({ approved: true }) },
    permissions: createPermissions("ask"),
    extraDirectories: [],
    agents: [...builtInAgents, { type: "general", description: "Anything.", prompt: "Do it." }],
    transcript: noTranscript,
    stateDirectory: join(cwd, ".state"),
    wait: async () => undefined,
    ...(config === undefined ? {} : { config }),
  });
  closing.push(
    () => server.close(),
    () => host.close(),
  );
  const bodies = () => server.requests.filter(({ status }) => status === 200).map(({ body }) => body as Body);
  const of = (who: string) => bodies().filter(({ system }) => JSON.stringify(system).includes(who));
  return { ...host, server, events, bodies, of };
}

const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const run = ({ agent }: Host, prompt: string) => agent.run(prompt, new AbortController().signal);
const systemOf = (body: Record<string, unknown>) => JSON.stringify(body.system);

/** What the first messages say, as texts. */
function texts({ messages }: Body): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? [content]
      : (content as { text?: string }[]).flatMap(({ text }) => text ?? []),
  );
}

describe("the agent", () => {
  it("AC-1 AC-30 reads, edits, and is told before the next call what someone else changed", async () => {
    writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
    const host = await stage((_, index) => {
      if (index === 0) return call("Read", { file_path: "a.txt" });
      if (index === 1) {
        writeFileSync(join(cwd, "a.txt"), "one\n2\n");
        // What changes right before a command could be its work.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
        return call("Bash", { command: "echo hello > b.txt", description: "Write a file" });
      }
      return index === 2
        ? call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" })
        : { text: "Done." };
    });
    expect((await run(host, "go")).text).toBe("Done.");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("1\n2\n");
    expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe("hello\n");
    expect(host.server.violations).toEqual([]);
    const [, , third, fourth] = host.bodies();
    expect(JSON.stringify(third)).toContain("was modified outside this conversation");
    expect(JSON.stringify(fourth).match(/was modified outside/gu)).toHaveLength(1);
    const prefixes = host.bodies().map((body) => prefixOf("anthropic-messages", body));
    for (const [index, prefix] of prefixes.slice(1).entries())
      expect(prefix.startsWith(prefixes[index] as string), `request ${index + 1}`).toBe(true);
  });

  it.each(["Explore", "Plan"])(
    "AC-26 AC-27 the built-in %s hears that it only reads, behind its system prompt and before its prompt",
    async (type) => {
      const host = await stage((body) => {
        if (systemOf(body).includes("sub-agent")) return { text: "Found it." };
        return JSON.stringify(body).includes("Found it.")
          ? { text: "Thanks." }
          : call("Task", { subagent_type: type, description: "Look", prompt: "Where is it?" });
      });
      expect((await run(host, "go")).text).toBe("Thanks.");
      const [first] = host.of(`You are the ${type} sub-agent`);
      const said = texts(first as Body);
      expect(said[0]).toMatch(/^<system-reminder>\n.*only reads/su);
      expect(said.findIndex((text) => text.includes("Where is it?"))).toBeGreaterThan(0);
      expect(host.server.violations).toEqual([]);
    },
  );

  it("plan mode holds in sub-agents, too", async () => {
    let asked = 0;
    const host = await stage((body) => {
      if (!systemOf(body).includes("sub-agent"))
        return asked === 0
          ? call("Task", { subagent_type: "general", description: "Write", prompt: "Write it." })
          : { text: "Over." };
      asked += 1;
      return asked === 1 ? call("Write", { file_path: "x.txt", content: "no" }) : { text: "It was refused." };
    });
    await host.session.record({ type: "mode_changed", mode: "plan", planFilePath: join(cwd, "plan.md") });
    await run(host, "go");
    expect(JSON.stringify(host.bodies())).toMatch(/plan mode is on/iu);
    expect(existsSync(join(cwd, "x.txt"))).toBe(false);
  });

  it("AC-20 a critical instruction is heard every turn, by sub-agents, and after compaction", async () => {
    let turns = 0;
    const host = await stage(
      (body) => {
        if (systemOf(body).includes("You summarise")) return { text: "They looked." };
        if (systemOf(body).includes("sub-agent")) return { text: "Found." };
        turns += 1;
        if (turns === 1)
          return call("Task", { subagent_type: "Explore", description: "Look", prompt: "Look." });
        return turns < 4
          ? call("Bash", { command: `echo ${"a long line of output ".repeat(120)}`, description: "Talk" })
          : { text: "Done." };
      },
      { config: { critical_instruction: "Keep the tests green." }, window: 4200 },
    );
    expect((await run(host, "go")).text).toBe("Done.");
    expect(host.events.some(({ type }) => type === "compacted")).toBe(true);
    const heard = (body: Body | undefined) => JSON.stringify(body).includes("Keep the tests green.");
    expect(host.of("You are a coding agent").every(heard)).toBe(true);
    expect(host.of("sub-agent").every(heard)).toBe(true);
    expect(host.of("You summarise").some(heard)).toBe(false);
    expect(host.server.violations).toEqual([]);
  });

  it("a task that ended is told once, with what it wrote at hand", async () => {
    const talk = { command: "echo from the background", description: "Talk", run_in_background: true };
    const host = await stage([
      call("Bash", talk),
      call("TaskOutput", { task_id: "b1" }),
      call("Glob", { pattern: "*" }),
      { text: "Done." },
    ]);
    await run(host, "go");
    const last = JSON.stringify(host.bodies().at(-1));
    expect(last.match(/Task b1 \(type: shell\) \(status: completed\)/gu)).toHaveLength(1);
    expect(last).toContain("from the background");
    expect(host.server.violations).toEqual([]);
  });
});
