// `sotto hook` killed at random moments, most of them between printing and the end. An agent drops the text of a hook
// that was killed: each text must be in the answer of a call that ended well, once.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createHookWorld, ended, type HookRan } from "../support/hook-program.ts";
import { times } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

const KILLS = times(60);

const wordsIn = ({ stdout }: Pick<HookRan, "stdout">) => stdout.match(/word-\d+\b/gu) ?? [];

interface Figures {
  kills: number;
  /** Whole on stdout when the kill came. */
  printed: number;
  lost: string[];
  doubled: string[];
}

/** `shows`: the agent keeps a transcript with the texts it was given, as Codex does. */
async function campaign(shows: boolean): Promise<Figures> {
  const world = createHookWorld();
  const transcript = join(world.cwd, "rollout.jsonl");
  const random = seeded(7);
  const heard: string[] = [];
  const figures: Figures = { kills: 0, printed: 0, lost: [], doubled: [] };
  const event = (index: number) => ({
    hook_event_name: "PostToolUse",
    session_id: "s1",
    cwd: world.cwd,
    ...(shows ? { transcript_path: transcript } : {}),
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_use_id: `c${index}`,
  });
  const take = (ran: HookRan) => {
    if (ran.signal !== null || ran.code !== 0) return [];
    const words = wordsIn(ran);
    heard.push(...words);
    if (ran.stdout === "") return words;
    const text = JSON.parse(ran.stdout).hookSpecificOutput.additionalContext;
    const payload = { type: "message", role: "developer", content: [{ type: "input_text", text }] };
    if (shows) appendFileSync(transcript, `${JSON.stringify({ type: "response_item", payload })}\n`);
    return words;
  };
  try {
    await world.happen("codex/s1", { type: "prompt_queued", id: "first", prompt: "word-0." });
    take(await world.call("codex", event(0)));
    for (let index = 1; index <= KILLS; index++) {
      await world.happen("codex/s1", { type: "prompt_queued", id: `w${index}`, prompt: `word-${index}.` });
      const child = world.start("codex", event(index));
      const result = ended(child);
      // As soon as something is printed, or a little later: that is where texts were lost.
      const printed = new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()));
      await Promise.race([printed, result]);
      await sleep(random.below(8));
      // Now and then one is let through, as in life: what was lost may come with it.
      if (random.below(4) > 0) child.kill("SIGKILL");
      const ran = await result;
      if (ran.signal !== null) figures.kills += 1;
      if (ran.signal !== null && wordsIn(ran).length > 0) figures.printed += 1;
      take(ran);
    }
    // Until all have come, or nothing has come for long enough that nothing will.
    const missing = () =>
      Array.from({ length: KILLS + 1 }, (_, n) => `word-${n}`).filter((w) => !heard.includes(w));
    for (let calm = 0, silent = 0; silent < 15 && missing().length > 0; calm++)
      silent = take(await world.call("codex", event(10_000 + calm))).length > 0 ? 0 : silent + 1;
    for (let calm = 0; calm < 3; calm++) take(await world.call("codex", event(20_000 + calm)));
    const counts = Map.groupBy(heard, (word) => word);
    return {
      ...figures,
      lost: missing(),
      doubled: [...counts].filter(([, all]) => all.length > 1).map(([word]) => word),
    };
  } finally {
    world.remove();
  }
}

test(`${KILLS} calls killed around their end, with a transcript: nothing is lost, nothing comes twice`, async () => {
  const figures = await campaign(true);
  console.log("with a transcript", figures);
  expect({ lost: figures.lost, doubled: figures.doubled }).toEqual({ lost: [], doubled: [] });
});

test(`${KILLS} calls killed around their end, without one: what is lost is counted`, async () => {
  const figures = await campaign(false);
  console.log("without a transcript", figures);
  expect(figures.doubled).toEqual([]);
  // Between the last write to the store and the end of the process nobody can tell: these kills all came there.
  expect(figures.lost.length).toBeLessThanOrEqual(figures.printed);
});
