// What frameworks gave their extension points in real runs (`npm run test:frameworks` with SOTTO_RECORD_DIR), and what must come of it.

import { readFileSync } from "node:fs";
import { createMemoryStore, createSession, type Session } from "sotto";
import { expect } from "vitest";

const FOLDER = new URL("../../packages/sotto/src/integrations/fixtures/", import.meta.url);
const CRITICAL = "Run the tests before you commit.";

export function recordedCalls<Call>(name: string): Call[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
}

export function openSession(): Session {
  return createSession({
    cwd: "/project",
    agent: { kind: "main" },
    store: createMemoryStore(),
    config: { critical_instruction: CRITICAL },
  });
}

/** Between two calls, so that something is due in the middle. */
export async function happenBefore(session: Session, call: number): Promise<void> {
  const timestamp = "2026-11-15T10:00:00Z";
  if (call === 2)
    await session.record({
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "Parser done.",
      timestamp,
    });
}

/** `sent`: the messages of each call. */
export function expectSent(
  given: readonly (readonly unknown[])[],
  sent: readonly (readonly unknown[])[],
): void {
  const texts = sent.map((messages) => JSON.stringify(messages, withoutNotes).slice(0, -1));
  texts.slice(1).forEach((text, index) => {
    expect(text.startsWith(texts[index] as string), `call ${index + 1} begins with the one before`).toBe(
      true,
    );
  });
  expect(texts.map((text) => text.split(CRITICAL).length - 1)).toEqual(texts.map((_, index) => index + 1));
  expect(texts.map((text) => text.split("Parser done.").length - 1)).toEqual(
    texts.map((_, index) => (index < 2 ? 0 : 1)),
  );
  // What was given is there as the very objects, in their order.
  sent.forEach((messages, index) => {
    const known = new Set(given[index]);
    expect(messages.filter((message) => known.has(message))).toEqual(given[index]);
  });
}

export const broken = () => {
  throw new Error("no session today");
};

/** Mastra notes the time of the call there, and sends it to nobody. */
function withoutNotes(key: string, value: unknown): unknown {
  return key === "providerOptions" ? undefined : value;
}
