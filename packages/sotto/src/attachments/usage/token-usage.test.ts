import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { tokenUsage } from "./token-usage.ts";

const enabled = { enable_token_usage: true };

/** The shares that were said, of the shares reported one after the other. */
async function said(percents: readonly number[], config: object = enabled): Promise<number[]> {
  const session = openSession({ config });
  const list: number[] = [];
  for (const percent of percents) {
    await session.record({ type: "usage_reported", usedTokens: percent * 2000, totalTokens: 200_000 });
    if (says(await answered(session), "token_usage")) list.push(percent);
  }
  return list;
}

it("AC-2 says used, total and remaining", () => {
  expect(examplesAsRead(tokenUsage)).toMatchInlineSnapshot(`
    "# half used
    <system-reminder>
    Token usage: 100500/200000; 99500 remaining
    </system-reminder>"
  `);
});

describe("token_usage, when", () => {
  it("is off by default", async () => {
    expect(await said([10, 60, 99], {})).toEqual([]);
    expect(outcomeOf(await openSession().turn(), "token_usage")).toBe(
      "off: switched off: attachments.token_usage",
    );
  });

  it("is switched on by its own switch or by enable_token_usage; its own has the last word", async () => {
    expect(await said([60], { attachments: { token_usage: true } })).toEqual([60]);
    expect(await said([60], { ...enabled, attachments: { token_usage: {} } })).toEqual([60]);
    expect(await said([60], { ...enabled, attachments: { token_usage: false } })).toEqual([]);
  });

  it("speaks on crossing 50, 75, 90 and 95 %, once each", async () => {
    expect(await said([10, 49.9, 50, 51, 74, 75, 76, 89, 91, 94, 95, 99, 100])).toEqual([50, 75, 91, 95]);
  });

  it("takes the first sight above a threshold for a crossing, and several crossed at once for one", async () => {
    expect(await said([80, 81, 96])).toEqual([80, 96]);
  });

  it("speaks again when it fell below and crosses again", async () => {
    expect(await said([76, 60, 70, 78, 79, 40, 60, 80])).toEqual([76, 78, 60, 80]);
  });

  it("notices a fall that no turn saw", async () => {
    const session = openSession({ config: enabled });
    const report = (percent: number) =>
      session.record({ type: "usage_reported", usedTokens: percent, totalTokens: 100 });
    await report(76);
    await answered(session);
    await report(30);
    await report(76);
    expect(says(await answered(session), "token_usage")).toBe(true);
    expect(outcomeOf(await answered(session), "token_usage")).toBe(
      "nothing: 76% used, the 75% threshold was reported at 76%",
    );
  });

  it("speaks again after compaction when a new report is still above a threshold, and not by the old one", async () => {
    const session = openSession({ config: enabled });
    await session.record({ type: "usage_reported", usedTokens: 60, totalTokens: 100 });
    await answered(session);
    await session.record({ type: "compacted" });
    expect(outcomeOf(await answered(session), "token_usage")).toBe(
      "nothing: no usage was reported since the conversation was summarised",
    );
    await session.record({ type: "usage_reported", usedTokens: 80, totalTokens: 100 });
    expect(says(await answered(session), "token_usage")).toBe(true);
  });

  it("speaks every turn where asked to, and at other thresholds", async () => {
    const every = { attachments: { token_usage: { enabled: true, every_turn: true } } };
    expect(await said([1, 2, 3], every)).toEqual([1, 2, 3]);
    const own = { attachments: { token_usage: { enabled: true, thresholds: [80, 20] } } };
    expect(await said([10, 20, 50, 81, 90], own)).toEqual([20, 81]);
    expect(await said([10, 99], { attachments: { token_usage: { enabled: true, thresholds: [] } } })).toEqual(
      [],
    );
  });

  it("says what keeps it silent", async () => {
    const session = openSession({ config: enabled });
    expect(outcomeOf(await answered(session), "token_usage")).toBe("nothing: no usage was reported");
    await session.record({ type: "usage_reported", usedTokens: 10, totalTokens: 0 });
    expect(outcomeOf(await answered(session), "token_usage")).toBe(
      "nothing: the size of the window is not known",
    );
    await session.record({ type: "usage_reported", usedTokens: 10, totalTokens: 100 });
    expect(outcomeOf(await answered(session), "token_usage")).toBe(
      "nothing: 10% used, the first threshold is 50%",
    );
  });

  it("has nothing remaining when more is used than there is", async () => {
    const session = openSession({ config: enabled });
    await session.record({ type: "usage_reported", usedTokens: 120, totalTokens: 100 });
    expect((await session.turn()).attachments).toEqual([
      { type: "token_usage", data: { used: 120, total: 100, remaining: 0 } },
    ]);
  });

  it("AC-25 is not for sub-agents", async () => {
    const session = openSession({ config: enabled });
    const child = session.subagent({ agentType: "Explore" });
    await child.record({ type: "usage_reported", usedTokens: 90, totalTokens: 100 });
    expect(outcomeOf(await child.turn(), "token_usage")).toBe(
      "nothing: for the main agent only, this is a sub-agent",
    );
  });
});
