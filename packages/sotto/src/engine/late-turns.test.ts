// A turn that is late or fails says nothing new, but what was sent before stays where it was sent.

import { describe, expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { type AnthropicMessage, anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Store } from "../log/entries.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSessionFrom } from "./session.ts";

type Trouble = "none" | "hangs" | "fails";

/** A store that stops working when it is told to. */
function troubled(): { store: Store; trouble: { append: Trouble; read: Trouble } } {
  const inner = createMemoryStore();
  const trouble: { append: Trouble; read: Trouble } = { append: "none", read: "none" };
  const meet = <T>(what: Trouble, go: () => Promise<T>): Promise<T> => {
    if (what === "hangs") return new Promise(() => undefined);
    return what === "fails" ? Promise.reject(new Error("the disk is gone")) : go();
  };
  const store: Store = {
    ...inner,
    append: (...given) => meet(trouble.append, () => inner.append(...given)),
    read: (...given) => meet(trouble.read, () => inner.read(...given)),
  };
  return { store, trouble };
}

describe("what was sent before stays in its place", () => {
  it.each<["append" | "read", Trouble]>([
    ["append", "hangs"],
    ["append", "fails"],
    ["read", "hangs"],
    ["read", "fails"],
  ])("if %s %s", async (part, what) => {
    const { store, trouble } = troubled();
    const parts = { platform: nodePlatform, catalogue, sources: () => [], store };
    const session = createSessionFrom(parts, {
      id: "s",
      cwd: "/repo",
      agent: { kind: "main" },
      config: { timeout_ms: 500 },
    });
    await session.record({ type: "prompt_queued", id: "one", prompt: "Mind the tests." });
    let messages: AnthropicMessage[] = [{ role: "user", content: "Begin." }];
    const ask = () => session.turn({ dialect: anthropicMessages, body: { messages } });
    const first = await ask();
    await first.commit();
    expect(JSON.stringify(first.body)).toContain("Mind the tests.");

    await session.record({ type: "prompt_queued", id: "two", prompt: "And the docs." });
    messages = [...messages, { role: "assistant", content: "Yes." }, { role: "user", content: "Next." }];
    trouble[part] = what;
    const second = await ask();
    expect(second.problem).toBeDefined();
    const sent = first.body.messages;
    expect(second.body.messages.slice(0, sent.length)).toEqual(sent);
    expect(JSON.stringify(second.body)).not.toContain("And the docs.");

    trouble[part] = "none";
  });
});
