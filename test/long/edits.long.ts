// Clients that edit their history, 240 conversations for some kinds of edit and 80 for the others, judged by a
// harness that shares no code with the engine. `SOTTO_SEED=cleared:44` plays one conversation in words, made as short as
// it gets; `SOTTO_CONVERSATIONS=480` plays as many of every kind.

import { afterAll, describe, expect, test } from "vitest";
import { type Count, examples, runKind, table } from "./edits/campaign.ts";
import { faults } from "./edits/judge.ts";
import { beyondKnown, leftInCampaign } from "./edits/known.ts";
import { type Kind, kinds, makePlan } from "./edits/plan.ts";
import { play } from "./edits/play.ts";
import { shrink } from "./edits/shrink.ts";

const asMany = process.env.SOTTO_CONVERSATIONS;
const PLAYED_MORE: readonly Kind[] = ["cleared", "ids", "first", "trimmed", "quoted"];
const asked = process.env.SOTTO_SEED?.split(":");

// Only one of the two is there: a test that is skipped counts as a failure in .ci/run.
if (asked) playOne(asked as [Kind, string]);
else playAll();

function playAll(): void {
  describe("AC-51 nothing is lost, doubled or moved when a client edits its history", () => {
    const counts: Count[] = [];
    afterAll(() => console.log(table(counts)));

    test.each(kinds)("%s", async (kind) => {
      const conversations = Number(asMany ?? (PLAYED_MORE.includes(kind) ? 240 : 80));
      const count = await runKind(kind, { conversations });
      counts.push(count);
      const more = beyondKnown(count, leftInCampaign[kind]);
      if (more.length > 0) console.log((await examples(count, faults)).join("\n"));
      expect(more).toEqual([]);
    });
  });
}

function playOne([kind, seed]: [Kind, string]): void {
  test("one conversation", async () => {
    const plan = makePlan(kind, Number(seed));
    const { findings } = await play(plan);
    const [first] = findings;
    const lines: string[] = [];
    await play(first ? await shrink(plan, first.fault) : plan, (...said) => void lines.push(...said));
    console.log(lines.join("\n"));
    expect(findings).toEqual([]);
  });
}
