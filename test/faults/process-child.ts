// One of several processes on the same sessions: it records events and takes turns until it is killed or told to end.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSession, createSqliteStore, type Session } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import { seeded } from "../support/seeded.ts";
import { canaryKinds, canaryWord, countCanaries, toEvent } from "./canaries.ts";
import { LEASE_MS, type Line, type ProcessLife } from "./process-life.ts";

const PATIENT_MS = 60_000;
const PAUSE_MS = 60;

const life = JSON.parse(process.argv[2] ?? "") as ProcessLife;
const random = seeded(life.seed);
const { machine } = life;
if (machine !== undefined) process.getBuiltinModule("node:os").hostname = () => machine;
const store = life.store.startsWith("postgres:")
  ? createPostgresStore({ connectionString: life.store, waitMs: PATIENT_MS, connections: 2 })
  : createSqliteStore({ path: life.store, lockWaitMs: PATIENT_MS });
const sessions = life.sessions.map((id) =>
  createSession({
    id,
    cwd: life.directory,
    agent: { kind: "main" },
    store,
    config: { timeout_ms: PATIENT_MS, critical_instruction: "Be brief.", claim_ttl_ms: LEASE_MS },
  }),
);
let turns = 0;
let canaries = 0;
let ending = life.drains;
process.on("SIGTERM", () => {
  ending = true;
});

process.stdout.write("ready\n");
if (life.drains) for (const session of sessions) await drain(session);
while (!ending) {
  const session = random.pick(sessions);
  if (random.chance(0.6)) await happen(session);
  await takeTurn(session, random.chance(0.15));
  await sleep(random.below(PAUSE_MS));
}
await Promise.all(sessions.map((session) => session.close()));
await store.close();

async function happen(session: Session): Promise<void> {
  const word = canaryWord(session.id, life.name, ++canaries);
  await session.record(toEvent({ word, kind: random.pick(canaryKinds) }));
  note({ kind: "acknowledged", word });
}

/** How many canaries it said. */
async function takeTurn(session: Session, fails: boolean): Promise<number> {
  const turn = await session.turn();
  if (turn.problem !== undefined) throw new Error(turn.problem);
  const said = turn.reminders
    .map(({ id, text }) => ({ id, words: [...countCanaries(text).entries()].flatMap(repeated) }))
    .filter(({ words }) => words.length > 0);
  const name = `${life.name}/${++turns}`;
  note({ kind: "sent", turn: name, at: now(), said });
  process.stdout.write("turn\n");
  if (random.chance(0.3)) await sleep(random.below(PAUSE_MS));
  if (fails) {
    note({ kind: "failed", turn: name, at: now() });
    await turn.abandon();
    return said.length;
  }
  await turn.commit();
  note({ kind: "committed", turn: name, at: now() });
  return said.length;
}

async function drain(session: Session): Promise<void> {
  while ((await takeTurn(session, false)) > 0);
}

/** A word that stands in a text twice counts twice. */
function repeated([word, count]: [string, number]): string[] {
  return Array.from({ length: count }, () => word);
}

function note(line: Line): void {
  appendFileSync(join(life.directory, `${life.name}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** Of the machine's clock, the same in every process. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
