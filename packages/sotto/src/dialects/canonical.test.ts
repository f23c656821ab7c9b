import { expect, test } from "vitest";
import { canonical } from "./canonical.ts";

test.each([
  ['{"a":[{"d":null}],"b":1}', { b: 1, a: [{ d: null, c: undefined }] }],
  ['"\\"quoted\\""', '"quoted"'],
  ["null", undefined],
  ["12", 12n],
  ['{"a":{"bytes":2,"ends":[7,8,7,8]}}', { a: new Uint8Array([7, 8]) }],
  ['{"bytes":4,"ends":[1,0,2,0,1,0,2,0]}', new Uint16Array([1, 2])],
  ['{"bytes":1,"ends":[7,7]}', new Uint8Array([7]).buffer],
])("gives %s", (json, value) => {
  expect(canonical(value)).toBe(json);
});

test("long texts are written like others, also after a host has changed them", () => {
  const data = `${"a".repeat(200_000)}"\n`;
  const value = { z: 1, image: { type: "png", data }, list: [data, { data }, 2] };
  const json = JSON.stringify(data);
  const expected = `{"image":{"data":${json},"type":"png"},"list":[${json},{"data":${json}},2],"z":1}`;
  expect(canonical(value)).toBe(expected);
  expect(canonical(value)).toBe(expected);
  value.image.data = data.replace("a", "b");
  expect(canonical(value)).toBe(expected.replace('{"data":"a', '{"data":"b'));
});

test("ends, however deep the value goes", () => {
  const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  expect(canonical(deep).length).toBeLessThan(2000);
});

test("the same object in two places is written twice", () => {
  const shared = { x: 1 };
  expect(canonical([shared, shared])).toBe('[{"x":1},{"x":1}]');
});

test("what contains itself is refused, once or twice", () => {
  const once: Record<string, unknown> = {};
  once.inner = once;
  const twice: Record<string, unknown> = {};
  twice.left = twice;
  twice.right = [twice];
  for (const value of [once, twice]) expect(() => canonical(value)).toThrow("an object that contains itself");
});

test("a few objects that are written out without end are refused", () => {
  let fan: unknown = "leaf";
  for (let level = 0; level < 60; level++) fan = { left: fan, right: fan };
  expect(() => canonical(fan)).toThrow("the request has more than 200000 values in one block");
});
