// ARCHITECTURE.md lists the steps of a turn: one real turn takes them, in that order.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
const section = page.split(/^## /mu).find((part) => part.startsWith("The way of a turn\n")) ?? "";
const steps = [...section.matchAll(/^\d+\. `([^`]+)` `([^`]+)`: /gmu)].map(([, file = "", name = ""]) => ({
  file,
  name,
}));

const source = (file: string) => `${root}packages/sotto/src/${file}`;
const calls: string[] = [];

/** The module as it is, except that calls of its listed functions from other modules are noted. */
async function noted(file: string, load: () => Promise<Record<string, unknown>>) {
  const module = { ...(await load()) };
  for (const { name } of steps.filter((step) => step.file === file)) {
    const real = module[name];
    if (typeof real !== "function") throw new Error(`${file} exports no function ${name}`);
    module[name] = (...args: unknown[]) => {
      calls.push(`${file} ${name}`);
      return real(...args);
    };
  }
  return module;
}

beforeAll(() => {
  // Other files of this process have loaded them as they are.
  vi.resetModules();
  for (const file of new Set(steps.map((step) => step.file)))
    vi.doMock(source(file), (load) => noted(file, load as () => Promise<Record<string, unknown>>));
});

afterAll(() => void vi.resetModules());

describe("the way of a turn", () => {
  it("has at most 25 steps, numbered from 1", () => {
    const numbers = [...section.matchAll(/^(\d+)\. /gmu)].map(([, number]) => Number(number));
    expect(numbers).toEqual(steps.map((_, index) => index + 1));
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.length).toBeLessThanOrEqual(25);
  });

  it("is taken by a real turn, in this order", async () => {
    const { createSession } = (await import(source("create-session.ts"))) as typeof import("sotto");
    const { anthropicMessages } = await import("../packages/sotto/src/dialects/anthropic-messages.ts");
    const session = createSession({
      cwd: root,
      configFiles: { read: false },
      config: { timeout_ms: 60_000 },
    });
    await session.open();
    await session.record({ type: "prompt_queued", id: "q1", prompt: "And run the tests." });
    const messages = [
      { role: "user", content: "What is in a.ts?" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "a.ts" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "1" }] },
    ];
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    expect(turn.reminders.map(({ type }) => type)).toContain("queued_command");
    await turn.commit();
    await session.close();
    expect(outOfOrder(steps.map(({ file, name }) => `${file} ${name}`))).toEqual([]);
  });
});

/** The steps that were not called after the ones before them. */
function outOfOrder(names: readonly string[]): string[] {
  let from = 0;
  return names.filter((name) => {
    const at = calls.indexOf(name, from);
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}
