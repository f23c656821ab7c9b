// A turn with a thousand things to say: what fits the budget now, the rest later, beside saying everything at once.

import { createSession, type Session } from "sotto";
import { type BenchRow, median } from "./row.ts";

const PENDING = 1000;
const ROUNDS = 9;
const BUDGET = 4000;

interface Prompt {
  id: string;
  text: string;
}

const prompts = Array.from({ length: PENDING }, (_, index): Prompt => {
  const id = `prompt-${index}`;
  return {
    id,
    text: `[${id}] Step ${index} is done: ${"the parser reads on, and <b>nothing</b> broke. ".repeat(3)}`,
  };
});

export async function rows(): Promise<BenchRow[]> {
  const times: number[] = [];
  const naive: number[] = [];
  let said = 0;
  let all = 0;
  let turns = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const session = await withPrompts();
    const from = performance.now();
    const turn = await session.turn();
    const tokens = turn.reminders.reduce((sum, one) => sum + one.tokens, 0);
    if (tokens > BUDGET || tokens < BUDGET / 2) throw new Error(`${tokens} tokens of ${BUDGET}`);
    times.push(performance.now() - from);
    said = tokens;
    await turn.commit();
    if (round === 0) turns = 1 + (await drain(session, turn.reminders.map(({ text }) => text).join("")));
    await session.close();
    all = everything(naive);
  }
  return [
    {
      name: `a turn with ${PENDING} prompts pending`,
      baseline: `all ${PENDING} rendered and sent at once`,
      ours: median(times),
      theirs: median(naive),
      unit: "ms",
      note: `${said} tokens, all of them within ${turns} turns; the baseline sends ${all}`,
    },
  ];
}

async function withPrompts(): Promise<Session> {
  const session = createSession({ cwd: "/repo", agent: { kind: "main" } });
  // The first turn of a session has more room.
  await (await session.turn()).commit();
  await Promise.all(
    prompts.map(({ id, text }) => session.record({ type: "prompt_queued", id, prompt: text })),
  );
  return session;
}

/** How many more turns it takes until every prompt was told, each once. */
async function drain(session: Session, first: string): Promise<number> {
  let heard = first;
  for (let turns = 0; turns < PENDING; turns++) {
    const told = prompts.filter(({ id }) => heard.includes(`[${id}]`)).length;
    if (told === PENDING && heard.split("[prompt-").length - 1 === PENDING) return turns;
    const turn = await session.turn();
    heard += turn.reminders.map(({ text }) => text).join("");
    await turn.commit();
  }
  throw new Error("prompts were lost, or came twice");
}

/** Each prompt escaped, in its tag, and counted. */
function everything(times: number[]): number {
  const from = performance.now();
  const text = prompts
    .map(({ text: words }) => {
      const safe = words.replaceAll("<", "&lt;");
      return `<system-reminder>\nThe user sent the following message:\n${safe}\n</system-reminder>`;
    })
    .join("\n");
  const tokens = Math.ceil(text.length / 4);
  if (!text.includes(`[prompt-${PENDING - 1}]`)) throw new Error("a prompt is missing");
  times.push(performance.now() - from);
  return tokens;
}
