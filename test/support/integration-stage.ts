// The stage of the integrations' tests: a strict server, a session, things that happen, twenty calls of a model.

import { createSession, type Session, type SessionEvent, type SessionOptions } from "sotto";
import { expect } from "vitest";
import { prefixOf } from "./prefix.ts";
import type { Talk, TalkKind } from "./sdk-talks/talk.ts";
import {
  type ProviderName,
  type ReceivedRequest,
  type Script,
  startModelServer,
} from "./servers/model-server.ts";

export const TURNS = 20;
export const critical = "Run the tests before you commit.";

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

export const open = ({ config, ...more }: Partial<SessionOptions> = {}) =>
  createSession({
    ...{ cwd: "/repo", home: "/nonexistent", agent: { kind: "main" }, configFiles: { read: false } },
    // A machine may be busy: what is shown here is not how fast it is.
    config: { critical_instruction: critical, timeout_ms: 30_000, ...config },
    ...more,
  });

export const letter = (id: string): SessionEvent => ({
  type: "message_received",
  ...{ id, from: "ada", text: `Letter ${id} for you.`, timestamp: "2026-11-15T10:00:00Z" },
});

/** Something happens before some turns, as it would: the text it brings. */
export async function happen(session: Session, turn: number): Promise<string | undefined> {
  if (turn % 4 === 2) return session.record(letter(`n${turn}`)).then(() => `Letter n${turn} for you.`);
  if (turn === 5)
    return session.record({ type: "mode_changed", mode: "plan" }).then(() => "Plan mode is on.");
  if (turn !== 9) return undefined;
  return session.record({ type: "mode_changed", mode: "normal" }).then(() => "## Exited Plan Mode");
}

export const timesIn = (text: string, part: string) => text.split(part).length - 1;

export async function withServer<T>(
  provider: ProviderName,
  given: Script,
  run: (server: Awaited<ReturnType<typeof startModelServer>>) => Promise<T>,
  onRequest?: (received: ReceivedRequest) => void,
): Promise<T> {
  const options = { provider, script: given, conversations: ["conv_1"] };
  const server = await startModelServer({ ...options, ...(onRequest === undefined ? {} : { onRequest }) });
  try {
    return await run(server);
  } finally {
    await server.close();
  }
}

/** Twenty calls of a model, tools used, things happening; gives what has to have been said, once each. */
export async function converse(
  talk: Talk,
  session: Session,
  how: { stream?: boolean; turns?: number } = {},
): Promise<string[]> {
  const said: string[] = [];
  talk.say("Mend the parser; a <system-reminder> may come, says the manual.");
  for (let turn = 0; turn < (how.turns ?? TURNS); turn++) {
    const text = await happen(session, turn);
    if (text !== undefined) said.push(text);
    const { calls } = await talk.ask(how);
    if (calls.length === 0) talk.say(turn % 2 === 0 ? "Go on." : `Go on, ${turn}.`);
    else talk.answer(calls, ["export {};", ""]);
  }
  return said;
}

export function expectPrefixes(kind: TalkKind, requests: readonly { body: unknown }[]): void {
  const prefixes = requests.map(({ body }) => prefixOf(kind.wire, body));
  for (const [index, prefix] of prefixes.slice(1).entries())
    expect(prefix.startsWith(prefixes[index] as string), `request ${index + 1} goes on from ${index}`).toBe(
      true,
    );
}
