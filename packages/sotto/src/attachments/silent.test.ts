import { describe, expect, it } from "vitest";
import { asRead } from "../../../../test/support/reading.ts";
import { silentTypes } from "./silent.ts";

const nothingSent = { count: 0, keys: [], about: () => ({ count: 0 }) };
const none = { pending: [], settled: [] };

describe.each(silentTypes.map((one) => [one.type, one] as const))("%s", (type, one) => {
  const [{ data }] = one.examples;

  it("AC-2 is recorded, and nothing is sent", () => {
    expect(one.examples.map((example) => asRead(one, example.data))).toEqual([""]);
  });

  it("covers what the host noted, and is skipped with a reason without it", () => {
    const notes = { ...none, pending: [{ id: "notes/1", type, data }] };
    const trigger = (noted: object) => one.trigger({ hooks: none, notes: noted } as never, nothingSent, {});
    expect(trigger(notes)).toEqual([{ data, covers: ["notes/1"] }]);
    expect(trigger(none)).toEqual({ skip: expect.stringMatching(/^(?:no|the host noted no) /u) });
  });
});
