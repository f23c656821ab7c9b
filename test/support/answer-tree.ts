// Requests that continue from any earlier answer by its id, at random; a provider keeps each answer with what led to it.

import { expect } from "vitest";
import { randomFrom } from "./odd-json.ts";

export interface KeptBody {
  input: unknown;
  previous_response_id?: string;
}

export function createKeptHistories() {
  const histories = new Map<string, string[]>();
  return {
    /** Returns the id of its answer. */
    keep({ input, previous_response_id: before = "" }: KeptBody): string {
      const id = `resp_${histories.size + 1}`;
      histories.set(id, [...(histories.get(before) ?? []), JSON.stringify(input)]);
      return id;
    },
    /** How often this was told on the way to an answer. */
    times: (id: string, answer: string) =>
      (histories.get(answer) ?? []).join().split(`Mind ${id}.`).length - 1,
  };
}

export interface AnswerTree {
  /** Returns the id of the answer, or undefined if it fails. */
  ask(words: string, before?: string, options?: { failing: boolean }): Promise<string | undefined>;
  /** Tells "Mind <id>." */
  tell(id: string): Promise<void>;
  times(id: string, answer: string): number;
}

/** On each way that goes on, each event is told once. */
export async function walkAnswers(seed: number, { ask, tell, times }: AnswerTree): Promise<void> {
  const random = randomFrom(seed);
  const any = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One;
  const answers = [(await ask("Begin.")) as string];
  const asked: [words: string, from: string][] = [];
  const events: string[] = [];
  for (let step = 0; step < 32; step++) {
    const pick = random();
    if (pick < 0.2) {
      await tell(`${seed}.${step}`);
      events.push(`${seed}.${step}`);
      continue;
    }
    const isAgain = pick < 0.4 && asked.length > 0;
    const isNew = [`Step ${step}.`, pick < 0.7 ? (answers.at(-1) as string) : any(answers)] as const;
    const [words, from] = isAgain ? any(asked) : isNew;
    asked.push([words, from]);
    if (random() < 0.3) {
      await ask(words, from, { failing: true });
      // The client may give up.
      if (random() < 0.5) continue;
    }
    const answer = (await ask(words, from)) as string;
    answers.push(answer);
    expect(
      events.map((id) => times(id, answer)),
      `seed ${seed}, step ${step}`,
    ).toEqual(events.map(() => 1));
  }
}
