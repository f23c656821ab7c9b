// Plays a plan: a client with a history of its own, a session, and a judge who looks at the requests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, createSession, createSqliteStore, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { recordAny } from "sotto/internal";
import { align } from "./align.ts";
import { bodyFor } from "./bodies.ts";
import { chosen, edits, userMessage, windowed } from "./edits.ts";
import { eventOf } from "./events.ts";
import { createJudge, type Finding, type Judge } from "./judge.ts";
import type { Answer, Plan, Step } from "./plan.ts";
import { listing, type Message, type Talk } from "./talk.ts";
import { type WireMessage, type WireName, type Written, wires } from "./wires.ts";

export interface Outcome {
  events: number;
  requests: number;
  findings: readonly Finding[];
  missingAtEnd: string[];
}

interface Game {
  plan: Plan;
  judge: Judge;
  talk: Talk;
  wire: WireName;
  session: Session;
  newKey(): string;
  /** Bodies made before, for clients that pass the same objects again. */
  made: Map<string, WireMessage>;
  requests: number;
  events: number;
  say(...lines: string[]): void;
}

export async function play(plan: Plan, say: (...lines: string[]) => void = () => {}): Promise<Outcome> {
  const shelf = openShelf(plan.habits.store);
  let keys = 0;
  const game: Game = {
    plan,
    judge: createJudge(),
    talk: { system: "You write code.", messages: [] },
    wire: plan.wire,
    session: openSession(shelf.store()),
    newKey: () => `k${++keys}`,
    made: new Map(),
    requests: 0,
    events: 0,
    say,
  };
  try {
    for (const step of plan.steps) {
      if (step.do === "reopen") {
        await game.session.close();
        game.session = openSession(shelf.reopened());
        say("# a new process goes on with the session");
      } else await take(game, step);
    }
  } finally {
    await game.session.close();
    shelf.clear();
  }
  const { judge, requests, events } = game;
  return { events, requests, findings: judge.findings, missingAtEnd: judge.missingAtEnd() };
}

async function take(game: Game, step: Exclude<Step, { do: "reopen" }>): Promise<void> {
  const { talk, judge, newKey, say } = game;
  switch (step.do) {
    case "event": {
      const event = eventOf(step.marker, step.shape);
      await recordAny(game.session, event);
      judge.expect(step.marker);
      game.events++;
      return say(`# event ${JSON.stringify(event)}`);
    }
    case "prompt":
      talk.messages.push(userMessage(step.texts, newKey));
      return;
    case "edit":
      edits[step.edit](talk, { ...step, leads: judge.leads(), newKey });
      return say(`# edit ${step.edit} at ${step.at.toFixed(2)} size ${step.size}`);
    case "dialect":
      game.wire = step.to;
      return say(`# the conversation goes on in ${step.to}`);
    case "window":
      talk.messages = windowed(talk, step.size);
      judge.dropped("window");
      return say(`# the oldest messages are dropped, ${step.size} are left`);
    case "compact":
      talk.messages = [
        userMessage([`Summary of what was before request ${game.requests + 1}.`], newKey),
      ].concat(step.keep > 0 ? windowed(talk, step.keep) : []);
      if (step.said) await game.session.record({ type: "compacted" });
      judge.dropped(step.said ? "said" : "compaction");
      return say(`# compacted, ${step.said ? "said" : "unsaid"}, ${step.keep} messages kept`);
    case "quote": {
      const text = chosen(judge.texts(), step.at);
      if (text !== undefined) talk.messages.push(userMessage([text], newKey));
      return;
    }
    case "aside":
      return aside(game, step);
    case "call":
      return call(game, step);
  }
}

/** A request beside the conversation: few messages, the same each time, or the conversation and one more. */
async function aside(game: Game, { name, commit }: Extract<Step, { do: "aside" }>): Promise<void> {
  const { talk, plan, judge, say } = game;
  let keys = 0;
  const newKey = () => `${name}${++keys}`;
  const user = (text: string) => userMessage([text], newKey);
  const answer: Message = {
    role: "assistant",
    id: newKey(),
    pieces: [{ key: newKey(), is: "text", text: "Yes." }],
  };
  const asked = {
    title: [user("Write a title for a conversation that begins with: Please make the tests pass.")],
    topic: [user("Is this a new topic?"), answer, user("Which one?")],
    summary: [...talk.messages, user("Summarise the conversation.")],
  }[name];
  const wire = wires[game.wire];
  const beside = { ...talk, messages: asked };
  const written = bodyFor({ wire, talk: beside, habits: plan.habits, made: game.made, seed: plan.seed });
  const turn = await game.session.turn({ dialect: wire.dialect, body: written.body });
  say(`# beside the conversation: ${name}${commit ? ", committed" : ""}`, ...listing(beside).slice(-3));
  say(...addedTo(written, turn.body[wire.field] as WireMessage[]));
  const anyOrder = plan.habits.bodies === "reordered";
  judge.lookAside(name, { wire: game.wire, written, sent: turn.body, field: wire.field, anyOrder });
  if (commit) await turn.commit();
}

async function call(game: Game, step: Extract<Step, { do: "call" }>): Promise<void> {
  const { plan, talk, judge, newKey, say } = game;
  game.requests++;
  const goesOn = step.fromAnswer && game.wire !== "anthropic";
  const needsPrompt = talk.messages.length === 0 || (talk.messages.at(-1)?.role === "assistant" && !goesOn);
  if (needsPrompt) talk.messages.push(userMessage([`Next, ${game.requests}.`], newKey));
  for (const name of plan.habits.always)
    edits[name](talk, { at: 0.9, size: game.requests, leads: judge.leads(), newKey });
  const wire = wires[game.wire];
  const written = bodyFor({
    wire,
    talk,
    habits: plan.habits,
    made: game.made,
    seed: plan.seed + game.requests,
  });
  const turn = await game.session.turn({ dialect: wire.dialect, body: written.body });
  const sent = turn.body;
  const before = judge.findings.length;
  judge.look({
    wire: game.wire,
    written,
    sent,
    field: wire.field,
    anyOrder: plan.habits.bodies === "reordered",
  });
  say(
    `# request ${game.requests} in ${game.wire}, ${step.fate}${step.commit ? ", committed" : ""}`,
    ...listing(talk),
  );
  say(...addedTo(written, sent[wire.field] as WireMessage[]));
  for (const finding of judge.findings.slice(before)) say(`!! ${JSON.stringify(finding)}`);
  if (turn.problem !== undefined) throw new Error(turn.problem);
  if (step.fate === "failed") await turn.abandon();
  if (step.fate !== "answered") return;
  if (step.commit) await turn.commit();
  if (plan.habits.keeps) keep(game, written, sent[wire.field] as WireMessage[]);
  const answer = answerMessages(step.answer, newKey);
  judge.answered(answer.flatMap(({ pieces }) => pieces));
  talk.messages.push(...answer);
}

/** The client takes what was added into its own history. */
function keep({ talk, newKey, wire }: Game, written: Written, sent: readonly WireMessage[]): void {
  const { blocks } = align(written.messages, sent);
  let after = 0;
  for (const { piece, text, at } of blocks) {
    const home = piece && talk.messages.findIndex(({ pieces }) => pieces.includes(piece));
    if (home !== undefined && home >= 0) after = home + 1;
    if (piece !== undefined) continue;
    const said = JSON.parse(text.slice(text.indexOf(" ") + 1)) as { text: string };
    const alone = blocks.filter((block) => block.at === at).length === 1;
    const kept = { wire, message: alone ? sent[at] : undefined };
    talk.messages.splice(after++, 0, { ...userMessage([said.text], newKey), kept });
  }
}

function answerMessages({ text, thinking, calls }: Answer, newKey: () => string): Message[] {
  const made = calls.map((call) => ({ id: `c${newKey()}`, ...call }));
  const answer: Message = { role: "assistant", id: newKey(), pieces: [] };
  if (thinking !== undefined) answer.pieces.push({ key: newKey(), is: "thinking", text: thinking });
  if (text !== undefined || made.length === 0)
    answer.pieces.push({ key: newKey(), is: "text", text: text ?? "Well." });
  for (const { id, name, input } of made) answer.pieces.push({ key: newKey(), is: "call", id, name, input });
  const results: Message = { role: "tool", id: newKey(), pieces: [] };
  for (const { id, name, output } of made)
    results.pieces.push({ key: newKey(), is: "result", id, name, output });
  return made.length > 0 ? [answer, results] : [answer];
}

function addedTo(written: Written, sent: readonly WireMessage[]): string[] {
  const { blocks } = align(written.messages, sent);
  return blocks.flatMap(({ piece, text }, at) => {
    if (piece !== undefined) return [];
    const before =
      blocks.slice(0, at).findLast((block) => block.piece !== undefined)?.piece?.key ?? "the start";
    return [`   + after ${before}: ${text.slice(0, 200)}`];
  });
}

function openSession(store: Store): Session {
  return createSession({
    id: "talk",
    cwd: "/repo",
    agent: { kind: "main" },
    store,
    configFiles: { read: false },
    config: { max_tokens_per_turn: 1_000_000, timeout_ms: 60_000 },
  });
}

interface Shelf {
  store(): Store;
  /** What a new process would open. */
  reopened(): Store;
  clear(): void;
}

function openShelf(kind: "memory" | "sqlite"): Shelf {
  if (kind === "memory") {
    const store = createMemoryStore();
    return { store: () => store, reopened: () => store, clear: () => {} };
  }
  const directory = mkdtempSync(join(tmpdir(), "sotto-edits-"));
  const open = () => createSqliteStore({ path: join(directory, "store.db") });
  return { store: open, reopened: open, clear: () => rmSync(directory, { recursive: true, force: true }) };
}
