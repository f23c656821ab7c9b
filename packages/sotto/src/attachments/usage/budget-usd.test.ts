import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { budgetUsd } from "./budget-usd.ts";

const config = { max_budget_usd: 10 };
const spend = (usedUsd?: number) =>
  ({
    type: "usage_reported",
    usedTokens: 1,
    totalTokens: 10,
    ...(usedUsd === undefined ? {} : { usedUsd }),
  }) as const;

/** The amounts that were said, of those reported one after the other. */
async function said(amounts: readonly number[], options: object = config): Promise<number[]> {
  const session = openSession({ config: options });
  const list: number[] = [];
  for (const amount of amounts) {
    await session.record(spend(amount));
    if (says(await answered(session), "budget_usd")) list.push(amount);
  }
  return list;
}

it("AC-2 says used, total and remaining with two decimals", () => {
  expect(examplesAsRead(budgetUsd)).toMatchInlineSnapshot(`
    "# half spent
    <system-reminder>
    USD budget: $2.51/$5.00; $2.49 remaining
    </system-reminder>"
  `);
  expect(asRead(budgetUsd, { used: 12, total: 10, remaining: 0 })).toContain(
    "USD budget: $12.00/$10.00; $0.00 remaining",
  );
});

it("speaks on crossing 50, 75, 90 and 95 %, once each, and again after a fall", async () => {
  expect(await said([1, 4.99, 5, 6, 7.5, 9.1, 9.2, 9.5, 11])).toEqual([5, 7.5, 9.1, 9.5]);
  expect(await said([6, 1, 6, 7])).toEqual([6, 6]);
});

it("notices a fall that no turn saw, and takes no notice of reports without an amount", async () => {
  const session = openSession({ config });
  for (const amount of [6, undefined]) await session.record(spend(amount));
  expect(says(await answered(session), "budget_usd")).toBe(true);
  for (const amount of [1, 6]) await session.record(spend(amount));
  expect(says(await answered(session), "budget_usd")).toBe(true);
  expect(outcomeOf(await answered(session), "budget_usd")).toBe(
    "nothing: 60% used, the 50% threshold was reported at 60%",
  );
});

it("speaks every turn where asked to, and at other thresholds", async () => {
  expect(await said([1, 2], { ...config, attachments: { budget_usd: { every_turn: true } } })).toEqual([
    1, 2,
  ]);
  expect(await said([1, 2, 3], { ...config, attachments: { budget_usd: { thresholds: [20] } } })).toEqual([
    2,
  ]);
});

it("says what keeps it silent", async () => {
  expect(outcomeOf(await openSession().turn(), "budget_usd")).toBe("nothing: max_budget_usd is not set");
  const session = openSession({ config });
  await session.record(spend());
  expect(outcomeOf(await answered(session), "budget_usd")).toBe("nothing: no spending was reported");
  await session.record(spend(1));
  expect(outcomeOf(await answered(session), "budget_usd")).toBe(
    "nothing: 10% used, the first threshold is 50%",
  );
});

it("AC-36 comes back after compaction, and AC-25 is not for sub-agents", async () => {
  const session = openSession({ config });
  await session.record(spend(6));
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "budget_usd")).toBe(true);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(spend(9));
  expect(says(await child.turn(), "budget_usd")).toBe(false);
});
