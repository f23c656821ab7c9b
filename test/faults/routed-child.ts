// A process behind a load balancer: it takes a turn of whichever session is routed to it.

import process from "node:process";
import { type AnthropicBody, anthropicMessages, createSession, type Session } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import { toEvent } from "./canaries.ts";
import type { Routed } from "./routing.ts";

const [url = "", directory = "", machine = ""] = process.argv.slice(2);
process.getBuiltinModule("node:os").hostname = () => machine;
const store = createPostgresStore({ connectionString: url, connections: 2, waitMs: 60_000 });
const sessions = new Map<string, Session>();

function sessionOf(id: string): Session {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const made = createSession({
    id,
    cwd: directory,
    agent: { kind: "main" },
    store,
    config: { timeout_ms: 60_000, critical_instruction: "Be brief." },
  });
  sessions.set(id, made);
  return made;
}

async function take({ session: id, word, body, commits }: Routed): Promise<AnthropicBody> {
  const session = sessionOf(id);
  if (word !== undefined) await session.record(toEvent({ word, kind: "message" }));
  const turn = await session.turn({ dialect: anthropicMessages, body });
  if (turn.problem !== undefined) throw new Error(turn.problem);
  if (commits) await turn.commit();
  return turn.body;
}

process.on("message", (routed: Routed) => {
  take(routed).then(
    (body) => process.send?.({ number: routed.number, body }),
    (error: unknown) => process.send?.({ number: routed.number, error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.({ number: 0 });
