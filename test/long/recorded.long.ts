// Conversations that others have recorded, replayed turn by turn by all kinds of clients, with the same judge.

import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { type Count, countOf, examples, table } from "./edits/campaign.ts";
import { faults } from "./edits/judge.ts";
import { beyondKnown, leftInRecorded } from "./edits/known.ts";
import { kinds, planFor } from "./edits/plan.ts";
import { inParts, readRecorded, sharedFolder } from "./edits/recorded.ts";

/** Enough to be long, short enough to be played in every way. */
const PART = 40;

describe("AC-51 recorded conversations lose nothing when their client edits them", () => {
  const counts: Count[] = [];
  afterAll(() => console.log(table(counts)));
  const parts = readRecorded(sharedFolder).flatMap((recorded) => inParts(recorded, PART));

  test.each(kinds)("%s", async (kind) => {
    if (!existsSync(sharedFolder)) {
      console.info(
        `no recorded conversations at ${sharedFolder}: nothing to replay; SOTTO_SHARED names another place`,
      );
      return;
    }
    expect(parts.length).toBeGreaterThan(0);
    const plans = parts.map(({ exchanges }, at) => planFor(kind, at, exchanges));
    const count = await countOf(kind, plans);
    counts.push(count);
    const more = beyondKnown(count, leftInRecorded[kind]);
    if (more.length > 0) console.log((await examples(count, faults)).join("\n"));
    expect(more).toEqual([]);
  });
});
