// The Claude Agent SDK with the Claude Code it brings along, against a model on loopback.

import { expect, test } from "vitest";
import { prefixOf } from "../../support/prefix.ts";
import type { Script } from "../../support/servers/model-server.ts";
import { openStage, recordingOf } from "./stage.ts";

const CRITICAL = "Run the tests before you commit.";
const SUBAGENT = "Look around.";

test("AC-37 reminders come with prompts and with what tools gave, once, also to a sub-agent", async (context) => {
  const script: Script = (body, index) => ({ thinking: "Hm.", ...(index === 0 ? reading() : asking(body)) });
  const reading = () => ({
    toolCalls: [{ name: "Read", input: { file_path: `${stage.project}/src/notes.txt` } }],
  });
  const stage = await openStage("claude-agent-sdk", context, { provider: "anthropic", script });
  await stage.write("src/notes.txt", "one note\n");
  await stage.write(
    ".sotto/rules/notes.md",
    `---\npaths: ["src/**"]\n---\nNotes are in the present tense.\n`,
  );
  await stage.write(".sotto/reminders/notes.md", `---\npaths: ["src/**"]\n---\nA note ends with a stop.\n`);
  const { code, stdout, stderr } = await stage.run("test/clients/frameworks/scenarios/claude-agent-sdk.ts", {
    ...recordingOf("claude-agent-sdk", "hooks"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Fields of its own that the API takes only with them.
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
  });
  const { requests, violations } = stage.server;
  expect({ code, violations }, `${stdout}\n${stderr}`).toEqual({ code: 0, violations: [] });
  const { problems, answers } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(problems).toEqual([]);
  expect(new Set(answers)).toEqual(new Set(["Done."]));

  const counts = (raw: string) => (words: string) => raw.split(words).length - 1;
  const subs = requests.filter(({ raw }) => raw.includes(SUBAGENT) && !raw.includes("Read the notes."));
  const mains = requests.filter((request) => !subs.includes(request));
  const prefixes = mains.map(({ body }) => prefixOf("anthropic-messages", body));
  expect(prefixes.slice(1).map((prefix, at) => prefix.startsWith(prefixes[at] ?? ""))).not.toContain(false);
  expect(mains.length).toBeGreaterThanOrEqual(6);
  // One word of the kind that is said every turn for each call of the model, and the rest once.
  expect(mains.map(({ raw }) => counts(raw)(CRITICAL))).toEqual(mains.map((_, index) => index + 1));
  expect(subs.map(({ raw }) => counts(raw)(CRITICAL))).toEqual([1]);
  const once = ["Notes are in the present tense.", "A note ends with a stop.", "Parser done."];
  expect(mains.slice(0, 3).map(({ raw }) => once.map(counts(raw)))).toEqual([
    [0, 0, 0],
    [1, 1, 0],
    [1, 1, 1],
  ]);
  expect(once.map(counts(mains.at(-1)?.raw ?? ""))).toEqual([1, 1, 1]);
  // Claude Code's own tags are around it, ours are not inside.
  expect(mains[1]?.raw).toContain("hook additional context: Contents of");
});

function asking(body: Record<string, unknown>) {
  const last = JSON.stringify((body.messages as unknown[]).at(-1));
  if (!last.includes("Ask somebody.")) return { text: "Done." };
  const input = { description: "look", prompt: SUBAGENT, subagent_type: "general-purpose" };
  return { toolCalls: [{ name: "Agent", input }] };
}
