// Sessions are told apart by agent, conversation and sub-agent.

import { expect, it } from "vitest";
import { sessionName } from "./read-event.ts";

it("has the agent's name, the conversation's id, and the sub-agent's behind it", () => {
  const input = { event: "Stop", sessionId: "0199-ab" };
  expect(sessionName("codex", input, 1)).toEqual({ main: "codex/0199-ab" });
  expect(sessionName("claude-code", { ...input, agentId: "a7" }, 1)).toEqual({
    main: "claude-code/0199-ab",
    sub: "claude-code/0199-ab/a7",
  });
});

it("without an id goes by directory, transcript and the agent's process", () => {
  const input = { event: "Stop", cwd: "/repo", transcriptPath: "/t" };
  const { main } = sessionName("codex", input, 1);
  expect(main).toMatch(/^codex\/unnamed-[0-9a-f]{16}$/u);
  expect(sessionName("codex", input, 1)).toEqual({ main });
  for (const other of [
    { ...input, cwd: "/other" },
    { ...input, transcriptPath: "/u" },
  ])
    expect(sessionName("codex", other, 1).main).not.toBe(main);
  expect(sessionName("codex", input, 2).main).not.toBe(main);
});

it.each(["a/b", "../x", "a b", "x".repeat(121), "\u0000"])(
  "an id like %j gets a name of its own",
  (sessionId) => {
    const { main } = sessionName("codex", { event: "Stop", sessionId }, 1);
    expect(main).toMatch(/^codex\/odd-[0-9a-f]{16}$/u);
  },
);
