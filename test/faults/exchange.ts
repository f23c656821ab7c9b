// One exchange of a host with its provider: a turn asked for, sent, answered or failed, kept and settled.

import type { Turn } from "sotto";
import { type Ask, badAsks, goodAsks, toLabel } from "./asks.ts";
import { call } from "./call.ts";
import { type Host, happen, isAbout, reopen } from "./host.ts";
import type { Message } from "./wire.ts";

const MOST_TRIES = 4;

/** One answered call, failed tries before it included; how many reminders it said. */
export async function exchange(host: Host): Promise<number> {
  if (!host.last && host.random.chance(0.08)) await reopen(host);
  await happen(host, host.last ? 0 : host.random.below(3));
  const next = nextMessage(host);
  for (let attempt = 1; ; attempt++) {
    const input = attempt > 1 && host.random.chance(0.3) ? putAnotherWay(host, next, attempt) : [next];
    const said = await tryOnce(host, input, attempt);
    if (said !== undefined) return said;
    if (host.random.chance(0.5)) await happen(host, 1);
  }
}

async function tryOnce(host: Host, input: Message[], attempt: number): Promise<number | undefined> {
  const { wire, random, reach, disk } = host;
  const ask = chooseAsk(host, attempt);
  reach("before-turn");
  const { turn, messages, placed, degraded } = await askForTurn(host, input);
  const label = toLabel({ session: host.session, life: host.number, call: ++host.calls, ask, degraded });
  const stream = ask.startsWith("cut-") || random.chance(0.5);
  const body = { ...wire.request(messages), ...wire.label(label), stream };
  reach("before-send");
  let answer: Message;
  try {
    answer = await call(body, { wire, url: host.url, ask, reach });
  } catch (error) {
    if (host.last || !(badAsks as readonly Ask[]).includes(ask)) throw error;
    disk.fault(`call ${ask}`);
    await fail(host, turn);
    return undefined;
  }
  reach("after-answer");
  host.kept = {
    messages: [...(host.mode === "anchored" ? [...host.kept.messages, ...input] : messages), answer],
    placed,
  };
  disk.save(host.kept);
  reach("after-save");
  if (!host.last && random.chance(0.2)) await happen(host, 1);
  await settle(host, turn);
  return turn.reminders.length;
}

async function askForTurn(host: Host, input: Message[]) {
  const { wire, engine, kept, mode } = host;
  const messages = [...kept.messages, ...input];
  if (mode !== "placed") {
    const body = wire.request(marked(host, messages));
    const turn = await engine.turn({ dialect: wire.dialect, body: body as never });
    const filled = turn.body as typeof body;
    return {
      turn,
      messages: filled.messages,
      placed: [],
      degraded: turn.problem !== undefined && filled === body,
    };
  }
  const turn = await engine.turn();
  const fresh = turn.reminders.filter(({ id }) => !kept.placed.includes(id));
  const placed = [...kept.placed, ...fresh.map(({ id }) => id)];
  return {
    turn,
    messages: [...messages, ...fresh.map(({ text }) => wire.user(text))],
    placed,
    degraded: turn.problem !== undefined,
  };
}

async function settle({ mode, last, random, reach, kill, engine }: Host, turn: Turn): Promise<void> {
  reach("before-commit");
  const mustCommit = last || isAbout({ kill }, "commit");
  // A history that goes on confirms by itself; so does, without one, the word that the model has answered.
  if (!mustCommit && random.chance(0.2)) {
    if (mode === "placed" && turn.problem === undefined)
      await engine.record({ type: "assistant_turn" }).catch(() => undefined);
    return;
  }
  const done = turn.commit();
  reach("inside-commit");
  await done;
  reach("after-commit");
}

async function fail({ random, reach, kill }: Host, turn: Turn): Promise<void> {
  reach("before-abandon");
  if (!isAbout({ kill }, "abandon") && random.chance(0.3)) return;
  const done = turn.abandon();
  reach("inside-abandon");
  await done;
  reach("after-abandon");
}

function nextMessage({ wire, kept }: Host): Message {
  const last = kept.messages.at(-1);
  const [waiting] = last?.role === "assistant" ? wire.calls(last) : [];
  const step = kept.messages.filter(({ role }) => role === "assistant").length + 1;
  return waiting === undefined ? wire.user(`Prompt ${step}.`) : wire.result(waiting, `Result ${step}.`);
}

/**
 * After a failed call a user may say it differently, or add a word: another history, or a longer one. Never in the
 * same words twice: a history that was offered for, and never sent, would come back as if it had been.
 */
function putAnotherWay({ wire, random, number }: Host, next: Message, attempt: number): Message[] {
  const isPrompt = JSON.stringify(next).includes("Prompt");
  if (isPrompt && random.chance(0.5)) return [wire.user(`The same in other words, ${number}.${attempt}.`)];
  return [next, wire.user(`And please hurry, ${number}.${attempt}.`)];
}

function chooseAsk(host: Host, attempt: number): Ask {
  const { random, last, kill } = host;
  if (last || attempt >= MOST_TRIES) return "words";
  const wanted = attempt === 1 && isAbout({ kill }, "abandon");
  if (wanted || random.chance(0.45)) return random.pick(badAsks);
  return random.pick(goodAsks);
}

/** Hosts ask for caching up to the end of what they send, and move that mark along. */
function marked({ mode, dialect }: Host, messages: Message[]): Message[] {
  const last = messages.at(-1);
  if (mode !== "anchored" || dialect !== "anthropic-messages" || last === undefined) return messages;
  const content = last.content as Record<string, unknown>[];
  const end = { ...content.at(-1), cache_control: { type: "ephemeral" } };
  return [...messages.slice(0, -1), { ...last, content: [...content.slice(0, -1), end] }];
}
