// Agents and resources that a prompt mentions: said until heard, each once.

import { createMemoryStore, type SessionOptions } from "sotto";
import { recordAny } from "sotto/internal";
import type { ReadResource, ResourceReader } from "sotto/mcp";
import { describe, expect, it } from "vitest";
import { setDeadline } from "../support/deadlines.ts";
import { openEngine } from "../support/open-engine.ts";
import { answered, outcomeOf, textOf } from "../support/telling.ts";

function readerOf(read: ResourceReader["read"]): ResourceReader {
  return { servers: () => ["docs"], read };
}

const setup: ReadResource = { name: "Setup", contents: [{ text: "Run npm install." }] };

describe("an agent", () => {
  const open = (options: Partial<SessionOptions> = {}) =>
    openEngine({ mentions: { agents: ["Explore", "Plan"] }, ...options });

  it("that is known and mentioned is asked for", async () => {
    const turn = await open().turn({ userPrompt: "@agent-Explore, then @agent-Plan. And @agent-Nobody" });
    expect(turn.attachments.filter(({ type }) => type === "agent_mention")).toEqual([
      { type: "agent_mention", data: { agentType: "Explore" } },
      { type: "agent_mention", data: { agentType: "Plan" } },
    ]);
  });

  it("is no path: nobody looks for such a file", async () => {
    const turn = await open().turn({ userPrompt: "@agent-Explore" });
    expect(outcomeOf(turn, "file")).not.toContain("agent-Explore");
  });

  it("comes again where the turn was lost, and once where it was not", async () => {
    const session = open();
    await (await session.turn({ userPrompt: "@agent-Plan" })).abandon();
    const again = await session.turn();
    expect(textOf(again, "agent_mention")).toContain('"Plan"');
    await again.commit();
    await session.record({ type: "assistant_turn" });
    expect(outcomeOf(await session.turn(), "agent_mention")).toBe("nothing: no user input in this turn");
    expect(outcomeOf(await session.turn({ userPrompt: "thanks" }), "agent_mention")).toBe(
      "nothing: the prompt mentions no known agent",
    );
  });

  it("that is mentioned in a later prompt is asked for again", async () => {
    const session = open();
    await (await session.turn({ userPrompt: "@agent-Plan" })).commit();
    await session.record({ type: "assistant_turn" });
    expect(textOf(await session.turn({ userPrompt: "@agent-Plan once more" }), "agent_mention")).toContain(
      '"Plan"',
    );
  });

  it("AC-16 switched off, nothing of it is said or recorded", async () => {
    const session = open({ config: { attachments: { agent_mentions: false } } });
    const turn = await session.turn({ userPrompt: "@agent-Plan" });
    expect(outcomeOf(turn, "agent_mention")).toBe("off: switched off: attachments.agent_mention");
    await session.record({ type: "config_changed", config: { attachments: { agent_mentions: true } } });
    expect(outcomeOf(await session.turn(), "agent_mention")).toBe("nothing: no user input in this turn");
  });
});

describe("a resource", () => {
  it("of a connected server is read and shown", async () => {
    const asked: unknown[] = [];
    const resources = readerOf(async (resource) => {
      asked.push(resource);
      return setup;
    });
    const turn = await openEngine({ mentions: { resources } }).turn({
      userPrompt: "see @docs:docs://setup, @other:x",
    });
    expect(asked).toEqual([{ server: "docs", uri: "docs://setup" }]);
    expect(turn.attachments.find(({ type }) => type === "mcp_resource")?.data).toEqual({
      server: "docs",
      uri: "docs://setup",
      name: "Setup",
      content: { contents: [{ text: "Run npm install." }] },
    });
  });

  it("that cannot be read is told of in the trace, and the others come", async () => {
    const resources = readerOf(async ({ uri }) => {
      if (uri === "x://bad") throw new Error("no such resource");
      return uri === "x://junk" ? (7 as never) : setup;
    });
    const session = openEngine({ mentions: { resources } });
    const bad = await session.turn({ userPrompt: "@docs:x://bad" });
    expect(outcomeOf(bad, "mcp_resource")).toBe(
      "nothing: 1 mentioned, not shown: @docs:x://bad: cannot be read: no such resource",
    );
    const junk = await session.turn({ userPrompt: "@docs:x://junk @docs:x://good" });
    expect(textOf(junk, "mcp_resource")).toContain("Run npm install.");
  });

  it("that is slow comes with a later turn", async () => {
    let release = (_: ReadResource) => {};
    const resources = readerOf(() => new Promise((resolve) => (release = resolve)));
    const kept = { id: "slow", store: createMemoryStore() };
    const session = openEngine({ ...kept, mentions: { resources } });
    await setDeadline(session, 300);
    const first = await session.turn({ userPrompt: "@docs:x://slow" });
    // On a busy machine the source may be late as well.
    expect(outcomeOf(first, "mcp_resource")).toMatch(
      /^nothing: 1 mentioned, not shown: @docs:x:..slow: could not be read in time: it comes with a later turn$|^timed out: /u,
    );
    await first.commit();
    await setDeadline(session);
    release(setup);
    // Closing waits for what is still being read.
    await session.close();
    expect(textOf(await openEngine(kept).turn(), "mcp_resource")).toContain("Run npm install.");
  });

  it("the same in view is not said again; another version, or out of view, is", async () => {
    let text = "one";
    const resources = readerOf(async () => ({ contents: [{ text }] }));
    const session = openEngine({ mentions: { resources } });
    const mention = async () => {
      const turn = await session.turn({ userPrompt: "@docs:x://a" });
      await turn.commit();
      await session.record({ type: "assistant_turn" });
      return turn;
    };
    expect(textOf(await mention(), "mcp_resource")).toContain("one");
    expect(outcomeOf(await mention(), "mcp_resource")).toBe(
      "nothing: 1 mentioned, not shown: @docs:x://a: the same content is in view",
    );
    text = "two";
    expect(textOf(await mention(), "mcp_resource")).toContain("two");
    await session.record({ type: "compacted" });
    expect(outcomeOf(await answered(session), "mcp_resource")).toBe("nothing: no user input in this turn");
    expect(textOf(await mention(), "mcp_resource")).toContain("two");
  });

  it("handed in by the host is shown, its bytes are kept in a blob", async () => {
    const session = openEngine();
    await recordAny(session, {
      type: "resource_attached",
      server: "docs",
      uri: "x://a",
      contents: [{ blob: "aGVsbG8=", mimeType: "image/png" }],
    });
    const turn = await session.turn();
    const data = turn.attachments.find(({ type }) => type === "mcp_resource")?.data as {
      content: { contents: { blob: string }[] };
    };
    expect(data.content.contents[0]?.blob).not.toBe("aGVsbG8=");
    expect(textOf(turn, "mcp_resource")).toContain("[Binary content: image/png]");
  });
});
