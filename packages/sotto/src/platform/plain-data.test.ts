import { describe, expect, it } from "vitest";
import { copyOf } from "./plain-data.ts";

describe("a copy of plain data", () => {
  it("shares nothing, and has what is there twice twice as one", () => {
    const shared = { list: [1, { two: 2 }] };
    const value = { one: shared, again: shared, when: new Date(0) };
    const copy = copyOf(value);
    expect(copy).toEqual(value);
    expect(copy.one).not.toBe(shared);
    expect(copy.one.list[1]).not.toBe(shared.list[1]);
    expect(copy.again).toBe(copy.one);
    expect(copy.when).toBe(value.when);
  });

  it("has a field called __proto__ as a field", () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"a":1},"b":2}') as object);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1},"b":2}');
  });
});
