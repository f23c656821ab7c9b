import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Attachment, Tier } from "../attachments/attachment.ts";
import { catalogue } from "../attachments/catalogue.ts";
import { resolveSettings } from "../config/schema.ts";
import { spendBudget, type Verdict, type Weighed } from "./budget.ts";

const settings = resolveSettings(
  { max_tokens_per_turn: 1000, max_context_tokens: 3000, max_prompt_tokens: 2000 },
  catalogue,
);
const item = (tokens: number, tier: Tier = "core", rest: Partial<Attachment> = {}): Weighed => ({
  attachment: { type: `${tier}_${JSON.stringify(rest)}`, tier, ...rest } as Attachment,
  tokens,
});
const critical = (tokens: number) => item(tokens, "core", { whenTooLong: "send" });
const spend = (items: Weighed[], opening = false) => spendBudget(items, settings, opening);

describe("what fits", () => {
  it("is sent", () => {
    expect(spend([item(400), item(600, "main_agent")])).toEqual(["send", "send"]);
    expect(spend([])).toEqual([]);
  });

  it("may be more when much comes back at once", () => {
    expect(spend([item(2500)], true)).toEqual(["send"]);
    expect(spend([item(2500)])).toEqual([{ cutTo: 1000 }]);
    expect(spend([item(2500, "user_prompt")], true)).toEqual(["send"]);
    expect(spend([item(2500, "user_prompt")])).toEqual([{ cutTo: 2000 }]);
  });

  it("has a budget of its own for the user's prompt, and by class", () => {
    expect(spend([item(1900, "user_prompt"), item(900), item(9000, "core", { budget: "memory" })])).toEqual([
      "send",
      "send",
      "send",
    ]);
  });
});

describe("what does not fit", () => {
  it("AC-42 waits, by priority: user_prompt, one-shot, core, main_agent", () => {
    const order = [
      item(400, "main_agent"),
      item(400, "core"),
      item(400, "main_agent", { repeat: "never" }),
      item(400, "event"),
    ];
    expect(spend(order).map((verdict) => (verdict === "send" ? "send" : "waits"))).toEqual([
      "waits",
      "waits",
      "send",
      "send",
    ]);
  });

  it("AC-42 says how much was left, and of what", () => {
    expect(spend([item(700), item(400, "main_agent")])).toEqual([
      "send",
      { putOff: "400 tokens, 300 of 1000 left for this turn" },
    ]);
    expect(spend([item(1900, "user_prompt"), item(300, "user_prompt", { repeat: "never" })])[1]).toEqual({
      putOff: "300 tokens, 100 of 2000 left for this turn's prompt",
    });
  });

  it("AC-42 is not overtaken by others of its type", () => {
    expect(spend([item(700), item(500), item(10), item(20, "main_agent")])).toEqual([
      "send",
      { putOff: "500 tokens, 300 of 1000 left for this turn" },
      { putOff: "behind an earlier core_{} that was put off" },
      "send",
    ]);
  });

  it("AC-42 is cut when it is larger than the whole budget, once at least half of it is free", () => {
    expect(spend([item(5000)])).toEqual([{ cutTo: 1000 }]);
    expect(spend([item(300), item(5000, "main_agent")])).toEqual(["send", { cutTo: 700 }]);
    expect(spend([item(600), item(5000, "main_agent")])[1]).toEqual({
      putOff: "5000 tokens, 400 of 1000 left for this turn",
    });
  });

  it("AC-4 AC-42 what is cut leaves half to the others, and takes what they leave", () => {
    expect(spend([item(5000), item(300, "main_agent"), item(100, "main_agent")])).toEqual([
      { cutTo: 600 },
      "send",
      "send",
    ]);
    expect(spend([item(5000), item(4000, "main_agent")])).toEqual([{ cutTo: 500 }, { cutTo: 500 }]);
  });

  it("AC-42 is cut as well when what is said every turn leaves too little for it, ever", () => {
    expect(spend([critical(600), item(500)])).toEqual(["send", { cutTo: 400 }]);
    expect(spend([critical(600), item(300), item(500, "main_agent")])[2]).toEqual({
      putOff: "500 tokens, 100 of 1000 left for this turn",
    });
  });
});

describe("what is never cut", () => {
  it("AC-42 is counted first and always sent, even alone over the budget", () => {
    expect(spend([item(500), critical(800)])).toEqual([{ cutTo: 200 }, "send"]);
    expect(spend([item(10), critical(5000)])).toEqual([
      { putOff: "10 tokens, 0 of 1000 left for this turn" },
      "send",
    ]);
  });
});

const weighed = fc
  .record({
    tokens: fc.integer({ min: 1, max: 4000 }),
    tier: fc.constantFrom<Tier>("event", "user_prompt", "core", "main_agent"),
    oneShot: fc.boolean(),
    uncut: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
  })
  .map(({ tokens, tier, oneShot, uncut }) =>
    item(tokens, tier, {
      ...(oneShot ? { repeat: "never" } : {}),
      ...(uncut ? { whenTooLong: "send" } : {}),
    }),
  );

it("AC-42 never over it, and whatever is put off alone in its queue goes out in some later turn", () => {
  fc.assert(
    fc.property(fc.array(weighed, { maxLength: 12 }), (items) => {
      let waiting = items.filter(({ attachment }) => attachment.whenTooLong !== "send");
      const always = items.filter(({ attachment }) => attachment.whenTooLong === "send");
      const fixed = always.filter(({ attachment }) => attachment.tier !== "user_prompt");
      const fixedPrompt = always.filter(({ attachment }) => attachment.tier === "user_prompt");
      if (sum(fixed) >= 1000 || sum(fixedPrompt) >= 2000) return;
      for (let turn = 0; waiting.length > 0; turn++) {
        expect(turn).toBeLessThanOrEqual(items.length);
        const all = [...always, ...waiting];
        const verdicts = spend(all);
        const spent = (prompt: boolean) =>
          all.reduce(
            (total, { attachment, tokens }, index) =>
              (attachment.tier === "user_prompt") === prompt ? total + cost(tokens, verdicts[index]) : total,
            0,
          );
        expect(spent(false)).toBeLessThanOrEqual(1000);
        expect(spent(true)).toBeLessThanOrEqual(2000);
        waiting = waiting.filter((_, index) => isPutOff(verdicts[always.length + index]));
      }
    }),
  );
});

function sum(items: Weighed[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}

function cost(tokens: number, verdict: Verdict | undefined): number {
  if (verdict === "send") return tokens;
  return verdict !== undefined && "cutTo" in verdict ? verdict.cutTo : 0;
}

function isPutOff(verdict: Verdict | undefined): boolean {
  return typeof verdict === "object" && "putOff" in verdict;
}
