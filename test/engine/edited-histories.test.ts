// Clients that edit their history, some conversations for each kind of edit; test/long/edits.long.ts plays more.

import { expect, test } from "vitest";
import { examples, runKind, table } from "../long/edits/campaign.ts";
import { faults } from "../long/edits/judge.ts";
import { beyondKnown, leftInQuickRun } from "../long/edits/known.ts";
import { kinds } from "../long/edits/plan.ts";
import { isWhole } from "../support/runs.ts";

test.each(kinds)("AC-51 nothing is lost, doubled or moved: %s", async (kind) => {
  const count = await runKind(kind, { conversations: isWhole ? 20 : 8, from: 190 });
  const more = beyondKnown(count, leftInQuickRun[kind]);
  if (more.length > 0) console.log([table([count]), ...(await examples(count, faults))].join("\n"));
  expect(more).toEqual([]);
});
