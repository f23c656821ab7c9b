// What happens around an agent in a scenario: one session, one file that somebody else changes, events that come once.

import { readFile, writeFile } from "node:fs/promises";
import { createMemoryStore, createSession, type Profile } from "sotto";
import { explain } from "sotto/inspect";

const { SCENARIO_URL: url = "", SCENARIO_PROVIDER: provider = "" } = process.env;

export { provider, url };
export const PROMPTS = 14;
// A few calls say all that a fast test needs.
const RECORDED = 6;

/** What this agent's only tool means. */
const profile: Profile = {
  name: "scenario",
  title: "The agent of the scenario",
  tools: { Read: { does: "read", path: "path" } },
  alreadySends: {},
  names: { Read: "Read" },
};

export const problems: string[] = [];
export const onProblem = (problem: string) => void problems.push(problem);

const store = createMemoryStore();
export const session = createSession({
  id: "one",
  store,
  cwd: process.cwd(),
  agent: { kind: "main" },
  profile,
  config: { critical_instruction: "Run the tests before you commit." },
});

/** What the framework gave, call by call: `SCENARIO_RECORD` names a file for it. */
const recorded: unknown[] = [];
export function recording<Call>(plain: (call: Call) => unknown) {
  return (call: Call) => {
    recorded.push(structuredClone(plain(call)));
    return session;
  };
}

export const read = ({ path }: { path: string }): Promise<string> => readFile(path, "utf8");

export async function happen(prompt: number): Promise<void> {
  const timestamp = "2026-11-15T10:00:00Z";
  if (prompt === 2) await session.record({ type: "mode_changed", mode: "plan", planFilePath: "plan.md" });
  if (prompt === 3)
    await session.record({
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "Parser done.",
      timestamp,
    });
  if (prompt === 4) await writeFile("notes.txt", "one note\nanother note\n");
  if (prompt === 6)
    await session.record({ type: "task_finished", taskId: "t1", status: "failed", exitCode: 1 });
  if (prompt === 8)
    await session.record({
      type: "prompt_queued",
      id: "p1",
      prompt: [
        { type: "text", text: "Like this:" },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
      ],
    });
}

/** `kept`: what the framework itself has of the conversation in the end. */
export async function end(kept: unknown): Promise<void> {
  const turns = explain((await store.read("one", 0)).entries);
  const states = turns.flatMap(({ deliveries }) => deliveries.map(({ state }) => state));
  const unconfirmed = states.filter((state) => state !== "confirmed").length;
  await session.close();
  const { SCENARIO_RECORD: file = "" } = process.env;
  if (file !== "") await writeFile(file, JSON.stringify(recorded.slice(0, RECORDED)));
  const inKept = JSON.stringify(kept).match(/<(system-reminder|teammate-message)/g)?.length ?? 0;
  console.log(JSON.stringify({ problems, inKept, unconfirmed }));
}
