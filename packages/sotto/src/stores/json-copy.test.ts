// A copy holds what JSON would give back, whatever is copied.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frozen } from "../platform/plain-data.ts";
import { jsonCopy, lastingCopy } from "./json-copy.ts";

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

describe.each([
  ["jsonCopy", jsonCopy],
  ["lastingCopy", lastingCopy],
])("%s", (_name, copyOf) => {
  it("gives what JSON gives back, with its keys in the same order", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withDate: true,
          withNullPrototype: true,
          withObjectString: true,
          withTypedArray: true,
          withBoxedValues: true,
          withSparseArray: true,
          withMap: true,
        }),
        (value) => {
          const copy = copyOf(value);
          expect(copy).toStrictEqual(throughJson(value));
          expect(JSON.stringify(copy)).toBe(JSON.stringify(throughJson(value)));
        },
      ),
    );
  });

  it("shares no object and no list with the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value);
        change(copyOf(value));
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it.each([
    ["a negative zero", { a: -0, b: [-0] }],
    ["numbers that JSON cannot write", { a: Number.NaN, b: [Number.POSITIVE_INFINITY] }],
    ["what is absent", { a: undefined, b: [undefined], c: () => 1, d: Symbol("d") }],
    ["a key that is a symbol", { a: 1, [Symbol("b")]: 2 }],
    ["what says itself how it is written", { a: { toJSON: () => "other" }, b: new Date(0) }],
    ["a list with such a word", Object.assign([1], { toJSON: () => "other" })],
    [
      "an instance of a class",
      {
        a: new (class Point {
          x = 1;
        })(),
        b: new Map([[1, 2]]),
      },
    ],
    ["a key of its own that names the prototype", JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown],
    ["what is frozen", frozen({ a: [1, { b: 2 }], c: { d: undefined, e: -0 } })],
  ])("takes %s as JSON does", (_what, value) => {
    const copy = copyOf(value);
    expect(copy).toStrictEqual(throughJson(value));
    expect(Object.keys(copy as object)).toEqual(Object.keys(throughJson(value) as object));
  });

  it("throws for what JSON cannot write", () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    for (const value of [circle, { a: 1n }]) expect(() => copyOf(value)).toThrow(TypeError);
  });
});

describe("lastingCopy", () => {
  it("is the value itself where nothing in it can change", () => {
    const outcome = frozen({ outcome: "nothing", reason: "there is nothing to say" });
    const copy = lastingCopy({ list: [outcome], v: 1 }) as { list: unknown[] };
    expect(copy.list[0]).toBe(outcome);
    const list = frozen([outcome, 1]);
    expect(lastingCopy(list)).toBe(list);
  });

  it("is not what a getter may change, nor what is frozen on its surface only", () => {
    let now = 1;
    const live = Object.freeze({
      get now() {
        return now;
      },
    });
    const surface = Object.freeze({ list: [1] });
    const copies = lastingCopy([live, surface]);
    now = 2;
    surface.list.push(2);
    expect(copies).toEqual([{ now: 1 }, { list: [1] }]);
  });
});

function change(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) change(inner);
  for (const key of Object.keys(value)) (value as Record<string, unknown>)[key] = "changed";
}
