// ARCHITECTURE.md lists the steps of a turn: one real turn takes them, in that order.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
const section = page.split(/^## /mu).find((part) => part.startsWith("The way of a turn\n")) ?? "";
const steps = [...section.matchAll(/^\d+\. `([^`]+)` `([^`]+)`: /gmu)].map(([, file = "", name = ""]) => ({
  file,
  name,
}));

const sources = pathToFileURL(`${root}packages/sotto/src/`).href;
const CHANNEL = "turn-steps";
// Other files of this process have loaded the library as it is: this is a second copy, whose listed functions are wrapped.
const COPY = "?copy";
const WRAPPED = "?wrapped";
const importCopy = (file: string) => import(`${sources}${file}${COPY}`);

const calls: string[] = [];
const note = (call: unknown) => void calls.push(String(call));
subscribe(CHANNEL, note);

const hooks = registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const { search } = new URL(context.parentURL ?? "file:///");
    const isOfCopy = search === COPY || search === WRAPPED;
    return isOfCopy && resolved.url.startsWith(sources) && !resolved.url.includes("?")
      ? { ...resolved, url: `${resolved.url}${COPY}` }
      : resolved;
  },
  load(url, context, next) {
    const file = url.startsWith(sources) && url.endsWith(COPY) ? url.slice(sources.length, -COPY.length) : "";
    const names = steps.filter((step) => step.file === file).map(({ name }) => name);
    return names.length === 0
      ? next(url, context)
      : { format: "module", source: wrapper(file, names), shortCircuit: true };
  },
});

/** The module as it is, except that calls of its listed functions from other modules are noted. */
function wrapper(file: string, names: readonly string[]): string {
  const real = JSON.stringify(`${sources}${file}${WRAPPED}`);
  const wrapped = names.map(
    (name) => `export const ${name} = (...args) => {
      noted.publish(${JSON.stringify(`${file} ${name}`)});
      return real.${name}(...args);
    };`,
  );
  return [
    `import { channel } from "node:diagnostics_channel";`,
    `import * as real from ${real};`,
    `export * from ${real};`,
    `const noted = channel(${JSON.stringify(CHANNEL)});`,
    ...wrapped,
  ].join("\n");
}

afterAll(() => {
  hooks.deregister();
  unsubscribe(CHANNEL, note);
});

describe("the way of a turn", () => {
  it("has at most 25 steps, numbered from 1", () => {
    const numbers = [...section.matchAll(/^(\d+)\. /gmu)].map(([, number]) => Number(number));
    expect(numbers).toEqual(steps.map((_, index) => index + 1));
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.length).toBeLessThanOrEqual(25);
  });

  it("is taken by a real turn, in this order", async () => {
    const { createSession } = (await importCopy("create-session.ts")) as typeof import("sotto");
    const { anthropicMessages } = (await importCopy(
      "dialects/anthropic-messages.ts",
    )) as typeof import("sotto");
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
