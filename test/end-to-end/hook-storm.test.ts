import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHookWorld, ended, type HookRan, type HookWorld } from "../support/hook-program.ts";
import { times } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

const KILLS = times(30);

let world: HookWorld;
beforeEach(() => {
  world = createHookWorld();
});
afterEach(() => world.remove());

const prompt = (word: string) => ({ type: "prompt_queued", id: word, prompt: `${word}.` }) as const;
const wordsIn = ({ stdout }: Pick<HookRan, "stdout">) => stdout.match(/word-\d+\b/gu) ?? [];
const tool = (index: number) => ({
  hook_event_name: "PostToolUse",
  session_id: "s1",
  cwd: world.cwd,
  tool_name: "Bash",
  tool_input: { command: "true" },
  tool_use_id: `c${index}`,
});

test("AC-38 tools side by side: each word is in one of the answers", async () => {
  await world.call("codex", { ...tool(0), hook_event_name: "SessionStart", source: "startup" });
  const heard: string[] = [];
  for (let round = 0; round < 3; round++) {
    await world.happen("codex/s1", ...[0, 1, 2].map((index) => prompt(`word-${round * 3 + index}`)));
    const ran = await Promise.all([1, 2, 3, 4].map((index) => world.call("codex", tool(round * 10 + index))));
    for (const { code, stderr } of ran) expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    heard.push(...ran.flatMap(wordsIn));
  }
  expect(heard.toSorted()).toEqual(Array.from({ length: 9 }, (_, index) => `word-${index}`));
});

test("AC-38 killed at random moments: nothing is lost, and nothing that came through comes twice", async () => {
  const random = seeded(7);
  const said: string[] = [];
  // Whole on stdout, but the process did not live to end by itself: agents differ in whether that counts.
  const doubtful = new Set<string>();
  const words: string[] = [];
  let usual = 400;
  for (let index = 0; index < KILLS; index++) {
    const word = `word-${index}`;
    words.push(word);
    await world.happen("codex/s1", prompt(word));
    const from = performance.now();
    const child = world.start("codex", tool(index));
    const result = ended(child);
    // Through all of its life, and now and then not at all.
    const moment = random.below(Math.ceil(usual * 1.25));
    const ran = await Promise.race([result, sleep(moment).then(() => child.kill("SIGKILL"))]).then(
      () => result,
    );
    if (ran.signal === null) {
      usual = Math.max(50, Math.min(1500, performance.now() - from));
      said.push(...wordsIn(ran));
    } else for (const one of wordsIn(ran)) doubtful.add(one);
  }
  // What has piled up may be more than the agent takes at once.
  for (let calm = 0; calm < 30; calm++) {
    const heard = wordsIn(await world.call("codex", tool(1000 + calm)));
    said.push(...heard);
    if (heard.length === 0) break;
  }
  const counts = Map.groupBy(said, (word) => word);
  expect(words.filter((word) => !counts.has(word) && !doubtful.has(word))).toEqual([]);
  expect([...counts].filter(([, all]) => all.length > 1).map(([word]) => word)).toEqual([]);
});
