// What happens around the sessions that are held through the providers' own clients, and what must be so in the end.

import type { Session } from "sotto";
import { expect } from "vitest";
import { type MeasuredWire, prefixOf } from "./prefix.ts";

export const TURNS = 12;

/** Every third answer calls two tools at once. */
export const script = (_body: unknown, index: number) =>
  index % 3 === 1
    ? {
        text: "Looking.",
        toolCalls: [
          { id: `call_${index}_a`, name: "Read", input: { file_path: "/repo/a.ts" } },
          { id: `call_${index}_b`, name: "Read", input: { file_path: "/repo/b.ts" } },
        ],
      }
    : { text: `Answer ${index}.` };

export async function happen(session: Session, turn: number): Promise<void> {
  if (turn === 1) await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
  if (turn === 3)
    await session.record({
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "Parser done.",
      timestamp: "2026-11-15T10:00:00Z",
    });
  if (turn === 5) await session.record({ type: "mode_changed", mode: "normal" });
  if (turn === 6)
    await session.record({ type: "task_finished", taskId: "t1", status: "failed", exitCode: 1 });
  if (turn === 8)
    await session.record({
      type: "prompt_queued",
      id: "p1",
      prompt: [
        { type: "text", text: "Like this:" },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
      ],
    });
}

export const config = { critical_instruction: "Run the tests before you commit.", timeout_ms: 60_000 };

export function expectSound(name: MeasuredWire, requests: readonly { body: unknown }[]): void {
  expect(requests).toHaveLength(TURNS);
  const prefixes = requests.map(({ body }) => prefixOf(name, body));
  prefixes.slice(1).forEach((prefix, index) => {
    expect(prefix.startsWith(prefixes[index] as string)).toBe(true);
  });
  expectSaid(requests.at(-1)?.body);
}

/** Everything once, and what is said every turn as often as there were turns. */
export function expectSaid(shown: unknown): void {
  const last = JSON.stringify(shown);
  for (const once of ["Plan mode is on.", "Parser done.", "## Exited Plan Mode", "Task t1", "Like this:"])
    expect(last.split(once)).toHaveLength(2);
  expect(last.split(config.critical_instruction)).toHaveLength(TURNS + 1);
}
