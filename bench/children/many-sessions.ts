// Opens sessions and keeps them open, step by step: what each costs in time and heap.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate, setTimeout } from "node:timers/promises";
import { anthropicMessages, createMemoryStore, createSession, createSqliteStore, type Session } from "sotto";
import { declaredTools, goOn, type Message, requestOf } from "../inputs/conversation.ts";

export interface Step {
  sessions: number;
  /** The mean of the sessions of this step: to open one and take its turns. */
  ms: number;
  heapKb: number;
  /** To parse the same requests. */
  parseMs: number;
  /** Of its messages alone. */
  messagesKb: number;
}

const [storeKind = "", turnsText = "", state = "", toolsText = "", ...counts] = process.argv.slice(2);
const turns = Number(turnsText);
const tools = declaredTools(Number(toolsText));
// Those that are to be awake stay so for longer than all of this takes.
const idleAfterMs = state === "asleep" ? 1000 : 0;
const directory = mkdtempSync(join(tmpdir(), "sotto-bench-sessions-"));
const shared = storeKind === "sqlite" ? createSqliteStore({ path: join(directory, "sotto.db") }) : undefined;
const sessions: Session[] = [];
const texts = requests();

try {
  // Whatever is loaded, compiled and cached once is no session's own.
  for (let index = 0; index < 50; index++) await (await opened(`warm-${index}`)).close();
  const steps: Step[] = [];
  for (const count of counts.map(Number)) steps.push(await step(count - sessions.length));
  // Each one still works.
  for (const session of [sessions[0], sessions.at(-1)]) await take(session as Session, texts[0] as string);
  for (const session of sessions) await session.close();
  console.log(JSON.stringify(steps));
} finally {
  await shared?.close();
  rmSync(directory, { recursive: true });
}

async function step(more: number): Promise<Step> {
  const heap = await heapKb();
  const from = performance.now();
  for (let index = 0; index < more; index++) sessions.push(await opened(`session-${sessions.length}`));
  const ms = (performance.now() - from) / more;
  if (state === "asleep") await allAsleep();
  const ours = ((await heapKb()) - heap) / more;
  return { sessions: sessions.length, ms, heapKb: ours, ...(await messagesAlone(more)) };
}

/** Once the heap no longer falls. */
async function allAsleep(): Promise<void> {
  await setTimeout(2 * idleAfterMs);
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const now = await heapKb();
    if (now > before - 100) return;
    before = now;
    await setTimeout(idleAfterMs);
  }
}

async function messagesAlone(count: number) {
  const heap = await heapKb();
  const from = performance.now();
  const kept = Array.from({ length: count }, () => texts.map((text) => JSON.parse(text)).at(-1));
  const parseMs = (performance.now() - from) / count;
  const messagesKb = ((await heapKb()) - heap) / count;
  if (kept.length !== count) throw new Error("messages were lost");
  return { parseMs, messagesKb };
}

async function opened(id: string): Promise<Session> {
  const session = createSession({
    id,
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    store: shared ?? createMemoryStore(),
    // A collection of the whole heap may take longer than a turn may.
    config: { timeout_ms: 60_000 },
    idleAfterMs,
  });
  for (const text of texts) await take(session, text);
  return session;
}

async function take(session: Session, text: string): Promise<void> {
  const turn = await session.turn({ dialect: anthropicMessages, body: JSON.parse(text) });
  if (turn.problem !== undefined) throw new Error(turn.problem);
  await turn.commit();
}

/** The requests of a conversation, one exchange more each, with the tools that they declare. */
function requests(): string[] {
  const messages: Message[] = [{ role: "user", content: "Mend the parser." }];
  return Array.from({ length: turns }, () => {
    goOn(messages);
    return JSON.stringify({ ...requestOf(messages), ...(tools.length === 0 ? {} : { tools }) });
  });
}

/** What is released only after a collection is collected by the next one. */
async function heapKb(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    if (global.gc === undefined) throw new Error("needs --expose-gc");
    global.gc();
    await setImmediate();
  }
  return process.memoryUsage().heapUsed / 1000;
}
