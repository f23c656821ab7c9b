// Clients that edit their history, twenty conversations for each kind of edit; test/long/edits.long.ts plays more.

import { expect, test } from "vitest";
import { examples, faultsIn, runKind, table } from "../long/edits/campaign.ts";
import { faults } from "../long/edits/judge.ts";
import { kinds } from "../long/edits/plan.ts";

test.each(kinds)("nothing is lost, doubled or moved: %s", async (kind) => {
  const count = await runKind(kind, { conversations: 20, from: 190 });
  if (faultsIn(count) > 0) console.log([table([count]), ...(await examples(count, faults))].join("\n"));
  expect(faultsIn(count)).toBe(0);
});
