import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addChecksum, checkChecksum } from "./checksum.ts";

const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), {
  minKeys: 1,
});

describe("a text with a checksum", () => {
  it("is read as it was written, at its place", () => {
    fc.assert(
      fc.property(objects, fc.string(), fc.string(), (object, place, other) => {
        const text = JSON.stringify(object);
        const sealed = addChecksum(text, place);
        expect(JSON.parse(sealed)).toMatchObject(object);
        expect(checkChecksum(sealed, place)).toEqual({ text, isSealed: true });
        if (other !== place) expect(checkChecksum(sealed, other)).toHaveProperty("problem");
      }),
      { seed: 1 },
    );
  });

  it("is noticed when any one character of it is another", () => {
    fc.assert(
      fc.property(objects, fc.nat(), fc.constantFrom("0", "f", "}", '"', "é"), (object, at, other) => {
        const sealed = addChecksum(JSON.stringify(object), "a#1");
        const index = at % sealed.length;
        const damaged = sealed.slice(0, index) + other + sealed.slice(index + 1);
        fc.pre(damaged !== sealed && damaged.endsWith("}"));
        const read = checkChecksum(damaged, "a#1");
        // Or it is no JSON any more.
        if (!("problem" in read)) expect(() => JSON.parse(read.text)).toThrow();
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("is noticed when two of its words change places", () => {
    const words = Array.from({ length: 64 }, (_, at) => `w${String(at).padStart(2, "0")} `);
    const sealed = addChecksum(JSON.stringify({ text: words.join("") }), "a#1");
    for (let one = 0; one < words.length; one++)
      for (let two = one + 1; two < words.length; two++) {
        const [first, second] = [words[one], words[two]] as [string, string];
        const swapped = sealed.replace(first, "----").replace(second, first).replace("----", second);
        expect(checkChecksum(swapped, "a#1")).toHaveProperty("problem");
      }
  });

  it("is still read with the shorter checksum of earlier versions", () => {
    const sealed = '{"v":1,"n":"é","sum":"1997e1dcc6dd02"}';
    expect(checkChecksum(sealed, "a#1")).toEqual({ text: '{"v":1,"n":"é"}', isSealed: true });
    expect(checkChecksum(sealed.replace("é", "e"), "a#1")).toHaveProperty("problem");
  });
});
