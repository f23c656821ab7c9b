import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { changed, moverOf, type Print } from "../log/hunks.ts";
import { align, hunksOf, sharedIn } from "./align.ts";

/** `ut:words`, `ac:words#id=does`: a kind, what the block holds, and for calls what stays of them. */
function print(block: string): Print {
  const [, kind = "", words = "", rest = ""] = /^(..):([^#=]*)(.*)$/u.exec(block) ?? [];
  return `${kind}${words.padEnd(12, "_").slice(0, 12)}${rest}`;
}
const prints = (...blocks: string[]): Print[] => blocks.map(print);
const to = (before: Print[], now: Print[], edited = 0) => [...align(before, now, edited).to];

const history = prints(
  "ut:fix",
  "at:ok",
  "ac:read#1=r",
  "ur:text#1",
  "ac:edit#2=e",
  "ur:done#2",
  "at:all",
  "ut:ty",
);

describe("a client that edits", () => {
  test("nothing finds every block where it was", () => {
    expect(to(history, [...history, print("at:more")])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
  test("a tool result keeps it by the call's id", () => {
    const now = [...history];
    now[3] = print("ur:cleared#1");
    now[5] = print("ur:cleared#2");
    expect(to(history, now)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
  test("all ids keeps calls by what they do, and results by their neighbours", () => {
    const now = prints("ut:fix", "at:ok", "ac:x#7=r", "ur:x#7", "ac:y#8=e", "ur:y#8", "at:all", "ut:ty");
    expect(to(history, now)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
  test("the first message keeps it", () => {
    expect(to(history, [print("ut:other"), ...history.slice(1)])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
  test("its last message keeps it where an answer follows, and not where none does", () => {
    const [before, now] = [
      prints("ut:a", "at:b", "ut:c+env"),
      prints("ut:a", "at:b", "ut:c", "at:d", "ut:e"),
    ];
    expect(to(before, now, 1)).toEqual([0, 1, 2]);
    expect(to(before, now.slice(0, 3), 1)).toEqual([0, 1, -1]);
    expect(to(before, now, 0)).toEqual([0, 1, -1]);
  });
  test("one message, or puts one in, keeps the others, however often the same words are said", () => {
    const words = fc.constantFrom("go", "yes");
    const exchanges = fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 8 });
    const ends = fc.constantFrom("go", "yes", "well");
    fc.assert(
      fc.property(exchanges, ends, fc.nat(), fc.boolean(), (said, last, place, isEdit) => {
        const middle = said.flatMap(([one, other]) => [`ut:${one}`, `at:${other}`]);
        const before = prints("ut:go", "at:first", ...middle, `ut:${last}`);
        const at = place % before.length;
        const now = [...before, ...prints("at:so", "ut:and")];
        now.splice(at, isEdit ? 1 : 0, print(at % 2 === 0 ? "ut:new" : "at:new"));
        const moved = before.map((_, index) => index + (!isEdit && index >= at ? 1 : 0));
        expect(to(before, now, 2)).toEqual(moved);
      }),
      runs(1000),
    );
  });
});

describe("a client that drops", () => {
  test("a call with its result keeps the rest", () => {
    expect(to(history, [...history.slice(0, 2), ...history.slice(4)])).toEqual([0, 1, -1, -1, 2, 3, 4, 5]);
  });
  test("the oldest blocks keeps the rest", () => {
    expect(to(history, history.slice(4))).toEqual([-1, -1, -1, -1, 0, 1, 2, 3]);
  });
  test("most of it for a summary does not take the summary for one of the blocks", () => {
    expect(to(history, [print("ut:summary"), ...history.slice(6)])).toEqual([-1, -1, -1, -1, -1, -1, 1, 2]);
  });
});

describe("places", () => {
  const move = (before: Print[], now: Print[]) =>
    moverOf(before.length, hunksOf(before, now, align(before, now)));
  test("stay behind the block they were behind, edited or not", () => {
    const now = [...history];
    now[3] = print("ur:cleared#1");
    expect([3, 4, 5].map(move(history, now))).toEqual([3, 4, 5]);
  });
  test("stay before the block behind them where the one before is gone", () => {
    const now = [...history.slice(0, 2), ...history.slice(4)];
    expect([2, 3, 4].map(move(history, now))).toEqual([2, undefined, 2]);
  });
  test("are nowhere when both neighbours are gone", () => {
    expect([1, 3, 4].map(move(history, history.slice(4)))).toEqual([undefined, undefined, 0]);
  });
});

const chains = fc.array(
  fc.constantFrom(...prints("ut:a", "ut:b", "at:a", "ac:a#1=x", "ac:b#2=x", "ur:a#1", "ur:b#2", "at:c")),
  { maxLength: 30 },
);

test("the changes lead from any history to any other", () => {
  fc.assert(
    fc.property(chains, chains, fc.nat(5), (before, now, edited) => {
      const alignment = align(before, now, edited);
      expect(changed(before, hunksOf(before, now, alignment))).toEqual(now);
    }),
    runs(3000),
  );
});

test("blocks never change their order, and none stands for two", () => {
  fc.assert(
    fc.property(chains, chains, fc.nat(5), (before, now, edited) => {
      const places = to(before, now, edited).filter((at) => at >= 0);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    }),
    runs(3000),
  );
});

test("a place moves to where its neighbour went, as the changes are kept", () => {
  fc.assert(
    fc.property(chains, chains, (before, now) => {
      const alignment = align(before, now);
      const moved = moverOf(before.length, hunksOf(before, now, alignment));
      for (let place = 1; place <= before.length; place++) {
        const [left = -1, right = -1] = [alignment.to[place - 1], alignment.to[place]];
        expect(moved(place)).toBe(left >= 0 ? left + 1 : right >= 0 ? right : undefined);
      }
    }),
    runs(3000),
  );
});

test("a history made of the same few blocks over and over is aligned in bounded time", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => print(`ut:${index % 7}`));
  const now = Array.from({ length: 20_000 }, (_, index) => print(`at:${(index * 3) % 11}`));
  const shifted = before.map((_, index) => before[(index * 5) % 20_000] as Print);
  expect(to(before, now)).toHaveLength(20_000);
  expect(to(before, shifted)).toHaveLength(20_000);
});

describe("what two histories share", () => {
  const shared = (now: Print[]) => [...sharedIn(align(history, now))];

  test("is every block that was found", () => {
    expect(shared(history.slice(0, 4))).toEqual([1, 2, 3, 4, 4, 4, 4, 4]);
  });

  test("includes edited blocks only up to one that was found", () => {
    const now = [...history];
    now[1] = print("at:edited");
    expect(shared(now)).toEqual([1, 1, 3, 4, 5, 6, 7, 8]);
  });

  test("is less by each block that came between them", () => {
    const now = [...history.slice(0, 6), ...prints("at:new", "ut:new"), ...history.slice(6)];
    expect(shared(now)).toEqual([1, 2, 3, 4, 5, 6, 5, 6]);
  });

  test("is never more than the earlier one has: a branch that stands in it unchanged need not be aligned", () => {
    const block = fc.constantFrom("ut:a", "at:b", "ac:c#1=x", "ac:c#2=x", "ur:d#1=y", "ut:e#1=z").map(print);
    const list = fc.array(block, { maxLength: 12 });
    fc.assert(
      fc.property(list, list, fc.nat(4), (before, now, edited) => {
        const most = Math.max(0, ...sharedIn(align(before, now, edited)));
        expect(most).toBeLessThanOrEqual(before.length);
        expect(Math.max(0, ...sharedIn(align(before, [...before, ...now], edited)))).toBeLessThanOrEqual(
          before.length,
        );
      }),
      runs(1000),
    );
  });
});
