// Reads a long history in a process that has not seen it: the turn, and a parse of the same text.

import { readFileSync } from "node:fs";
import process from "node:process";
import { anthropicMessages, createSession, createSqliteStore, type Session } from "sotto";
import { requestOf, talk } from "../inputs/conversation.ts";

const [file = "", database = "", expected = ""] = process.argv.slice(2);

export interface FirstRead {
  turnMs: number;
  parseMs: number;
}

const store = createSqliteStore({ path: database });
const open = (id: string) =>
  createSession({ id, cwd: "/repo", home: "/repo/home", agent: { kind: "main" }, store });

// The engine is loaded and has run once: this is about the history.
const other = open("other");
await take(other, requestOf(talk(10)));
await other.close();

const text = readFileSync(file, "utf8");
const parseFrom = performance.now();
const body = JSON.parse(text) as ReturnType<typeof requestOf>;
const parseMs = performance.now() - parseFrom;

const session = open("long");
const turnFrom = performance.now();
const sent = await take(session, body);
const before = JSON.stringify(sent.messages.slice(0, 20));
if (!before.includes(expected)) throw new Error("what was sent before was not put back");
const turnMs = performance.now() - turnFrom;
await session.close();
await store.close();
console.log(JSON.stringify({ turnMs, parseMs } satisfies FirstRead));

async function take(on: Session, request: ReturnType<typeof requestOf>) {
  const turn = await on.turn({ dialect: anthropicMessages, body: request as never });
  if (turn.problem !== undefined) throw new Error(turn.problem);
  await turn.commit();
  return turn.body as ReturnType<typeof requestOf>;
}
