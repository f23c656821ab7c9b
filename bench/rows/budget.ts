// A turn with a thousand things to say: what fits the budget now, the rest later, beside saying everything at once.

import { createSession, type Session } from "sotto";
import type { Bench } from "../bench.ts";

const PENDING = 1000;
const BUDGET = 4000;
const WARM_UP = 3;

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

export async function measure(bench: Bench): Promise<void> {
  let about = { said: 0, all: 0, turns: 0 };
  for (let round = 0; round < WARM_UP; round++) await (await withPrompts()).turn();
  await bench.row({
    name: `a turn with ${PENDING.toLocaleString("en")} prompts pending`,
    unit: "ms",
    baseline: "all of them rendered and sent at once",
    ours: async () => {
      const session = await withPrompts();
      const from = performance.now();
      const turn = await session.turn();
      const said = turn.reminders.reduce((sum, one) => sum + one.tokens, 0);
      if (said > BUDGET || said < BUDGET / 2) throw new Error(`${said} tokens of ${BUDGET}`);
      const took = performance.now() - from;
      await turn.commit();
      if (about.turns === 0) {
        const heard = turn.reminders.map(({ text }) => text).join("");
        about = { ...about, said, turns: 1 + (await drain(session, heard)) };
      }
      await session.close();
      return took;
    },
    theirs: () => {
      const from = performance.now();
      about.all = everything();
      return performance.now() - from;
    },
    note: () =>
      `${about.said} tokens, all of them within ${about.turns} turns; the baseline sends ${about.all}`,
  });
}

async function withPrompts(): Promise<Session> {
  const session = createSession({
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    config: { max_prompt_tokens: BUDGET },
  });
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
function everything(): number {
  const text = prompts
    .map(({ text: words }) => {
      const safe = words.replaceAll("<", "&lt;");
      return `<system-reminder>\nThe user sent the following message:\n${safe}\n</system-reminder>`;
    })
    .join("\n");
  const tokens = Math.ceil(text.length / 4);
  if (!text.includes(`[prompt-${PENDING - 1}]`)) throw new Error("a prompt is missing");
  return tokens;
}
