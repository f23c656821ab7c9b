import fc from "fast-check";
import { expect, it } from "vitest";
import type { FoldContext } from "./slice.ts";
import { lowestSince, lowestUsdSince, usage } from "./usage.ts";

const context = (seq: number): FoldContext => ({ seq, at: "", turns: 0, supersede: () => undefined });

it("knows how low usage fell since any entry, and keeps no more than it needs for that", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 60 }), (percents) => {
      const fact = usage.initial();
      for (const [index, percent] of percents.entries())
        usage.apply(
          fact,
          { type: "usage_reported", usedTokens: percent, totalTokens: 100 },
          context(2 * index),
        );
      for (let seq = 0; seq <= 2 * percents.length; seq++) {
        const since = percents.filter((_, index) => 2 * index >= seq);
        expect(lowestSince(fact, seq)).toBe(since.length === 0 ? undefined : Math.min(...since));
      }
      expect(fact.lows.length).toBeLessThanOrEqual(101);
    }),
  );
});

it("an empty window is not used at all", () => {
  const fact = usage.initial();
  usage.apply(fact, { type: "usage_reported", usedTokens: 5, totalTokens: 0 }, context(1));
  expect(fact).toEqual({
    reported: { usedTokens: 5, totalTokens: 0 },
    lows: [{ seq: 1, percent: 0 }],
    fallsUsd: [],
  });
});

it("knows how low spending fell, and keeps nothing while it grows", () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(amounts, (spent) => {
      const fact = usage.initial();
      for (const [seq, usedUsd] of spent.entries())
        usage.apply(fact, { type: "usage_reported", usedTokens: 0, totalTokens: 0, usedUsd }, context(seq));
      expect(fact.spentUsd).toBe(spent.at(-1));
      for (let seq = 0; seq < spent.length; seq++) {
        const falls = spent.filter((usd, index) => index >= seq && usd < (spent[index - 1] ?? 0));
        expect(lowestUsdSince(fact, seq)).toBe(falls.length === 0 ? undefined : Math.min(...falls));
      }
    }),
  );
});

it("what was added since the last report is added to the total, and a total replaces it", () => {
  const reports = fc.array(fc.record({ isTotal: fc.boolean(), cents: fc.nat(500) }), { minLength: 1 });
  fc.assert(
    fc.property(reports, (all) => {
      const fact = usage.initial();
      let cents = 0;
      for (const [seq, report] of all.entries()) {
        const usd = report.isTotal ? { usedUsd: report.cents / 100 } : { addedUsd: report.cents / 100 };
        usage.apply(fact, { type: "usage_reported", usedTokens: 0, totalTokens: 0, ...usd }, context(seq));
        cents = report.isTotal ? report.cents : cents + report.cents;
        expect(fact.spentUsd).toBeCloseTo(cents / 100, 6);
        expect(fact.reported?.usedUsd).toBe(fact.spentUsd);
      }
    }),
  );
});

it("what was reported before a compaction is outdated until the next report; what was spent is not", () => {
  const fact = usage.initial();
  const report = { type: "usage_reported", usedTokens: 50, totalTokens: 100, usedUsd: 1 } as const;
  usage.apply(fact, { type: "compacted" }, context(1));
  expect(fact.outdated).toBeUndefined();
  usage.apply(fact, report, context(2));
  usage.apply(fact, { type: "compacted" }, context(3));
  expect({ outdated: fact.outdated, spent: fact.spentUsd }).toEqual({ outdated: true, spent: 1 });
  usage.apply(fact, report, context(4));
  expect(fact.outdated).toBeUndefined();
});
