// The fetch integrations: a request that grows by one exchange each time.

import { createMemoryStore, createSession, type Session } from "sotto";
import { reminders } from "sotto/anthropic";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import {
  codeTalk,
  codeTalkOn,
  conversation,
  goOn,
  type Message,
  requestOf,
  talk,
  talkOn,
} from "../inputs/conversation.ts";

const CALLS = 15;
const ANCHORS = 10;
const REMINDER = "Keep the old reader for now";
const MB = 1_000_000;
const kinds = [
  { what: "1 MB, code", isLong: true, start: () => codeTalk(MB), more: codeTalkOn },
  { what: "1 MB, plain messages", isLong: true, start: () => talk(4_250), more: talkOn },
  { what: "1 MB, files that were read", isLong: true, start: () => conversation(6_800), more: goOn },
  { what: "100 KB, code", isLong: false, start: () => codeTalk(MB / 10), more: codeTalkOn },
];

export async function measure(bench: Bench): Promise<void> {
  for (const { what, isLong, start, more } of kinds) {
    const texts = textsOf(start(), more);
    const calls = () => ourCalls(start, more);
    for (let warmUp = 0; warmUp < 3; warmUp++) await calls();
    const name = `fetch, a body of ${what}, ten reminders in it`;
    await bench.row({
      ...{ name: `${name}, beside reading it once`, unit: "ms", baseline: "a loop over its characters" },
      ...(isLong ? { goal: { timesWorse: 1.1 } } : {}),
      ours: async () => (await calls()).whole,
      theirs: () => theirCalls(texts, readOnce),
    });
    await bench.row({
      ...{ name: `${name}, beside parsing`, unit: "ms", baseline: "JSON.parse and JSON.stringify of it" },
      ours: async () => (await calls()).whole,
      theirs: () => theirCalls(texts, parseAndWrite),
    });
    await bench.row({
      ...{ name: `${name}, without the turn, beside copying it`, unit: "ms" },
      baseline: "comparing it with the one before, and copying it with something put in",
      ours: async () => (await calls()).withoutTurn,
      theirs: () => theirCalls(texts, compareAndCopy),
    });
  }
}

/** Ten reminders on the way to the full length, then the calls that are measured. */
async function ourCalls(start: () => Message[], more: (messages: Message[]) => void) {
  const session = createSession({
    ...{ cwd: "/repo", home: "/repo/home", agent: { kind: "main" }, store: createMemoryStore() },
    config: { timeout_ms: 60_000 },
  });
  let inTurn = 0;
  const timed: Session = {
    ...session,
    async turn(options) {
      const from = performance.now();
      const turn = await session.turn(options);
      inTurn = performance.now() - from;
      return turn;
    },
  };
  const middleware = reminders(timed, {
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  const headers = new Headers();
  const call = async (messages: readonly Message[]) => {
    const body = JSON.stringify(requestOf(messages));
    const request = { url: "https://api.example/v1/messages", method: "POST", headers, body };
    let sent = "";
    const from = performance.now();
    await middleware(request, async (given) => {
      sent = given.body;
      return new Response("{}");
    });
    if (sent.length <= body.length || !sent.includes(`${REMINDER}: 1.`))
      throw new Error("a reminder is missing");
    const whole = performance.now() - from;
    return { whole, withoutTurn: whole - inTurn };
  };
  const history = start();
  for (let anchor = 1; anchor <= ANCHORS; anchor++) {
    await session.record({ type: "prompt_queued", id: `q${anchor}`, prompt: `${REMINDER}: ${anchor}.` });
    // It ends with the user's turn.
    await call(history.slice(0, 2 * Math.floor((history.length * anchor) / ANCHORS / 2) - 1));
  }
  const times: { whole: number; withoutTurn: number }[] = [];
  for (let turn = 0; turn < CALLS; turn++) {
    more(history);
    times.push(await call(history));
  }
  await session.close();
  return {
    whole: median(times.map(({ whole }) => whole)),
    withoutTurn: median(times.map(({ withoutTurn }) => withoutTurn)),
  };
}

function theirCalls(texts: readonly string[], run: (text: string, before: string) => void): number {
  const times = texts.slice(1).map((text, index) => {
    const from = performance.now();
    run(text, texts[index] as string);
    return performance.now() - from;
  });
  return median(times);
}

function textsOf(history: Message[], more: (messages: Message[]) => void): string[] {
  return Array.from({ length: CALLS + 1 }, () => {
    more(history);
    return JSON.stringify(requestOf(history));
  });
}

/** Where its strings begin and end. */
function readOnce(text: string): void {
  let quotes = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === 34) quotes++;
  if (quotes === 0) throw new Error("it has no strings");
}

/** The least that can be done: one pass in native code, and one text that is made. */
function compareAndCopy(text: string, before: string): void {
  const shared = before.length - 2;
  if (text.slice(0, shared) !== before.slice(0, shared)) throw new Error("it does not continue");
  const sent = `${text.slice(0, shared)},${REMINDER}: 1.${text.slice(shared)}`;
  if (!sent.includes(`${REMINDER}: 1.`)) throw new Error("it is another text");
}

function parseAndWrite(text: string): void {
  if (JSON.stringify(JSON.parse(text)) !== text) throw new Error("it is another text");
}
