import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { createRedact } from "./redact.ts";

const SHOWN = "[secret]";

/** What programs make of a text when they print it. */
const writings: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "as JSON": (text) => JSON.stringify(text).slice(1, -1),
  "as JSON, slashes escaped": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "as JSON in ASCII": (text) => [...text].map(fourDigits).join(""),
  "as JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  "in a URL": (text) => encodeURIComponent(text),
  "in a URL, every byte": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "in a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "in HTML": (text) => text.replace(/[&<>"']/gu, (one) => `&#${one.codePointAt(0)};`),
  "in HTML, by name": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  "in JSON in a URL": (text) => encodeURIComponent(JSON.stringify(text)),
  "as hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in base64, behind a name": (text) => Buffer.from(`user:${text}`).toString("base64"),
  "in base64, between": (text) => Buffer.from(`a ${text} b`).toString("base64url"),
  "broken over lines": (text) =>
    [...text].flatMap((one, at) => (at % 7 === 6 ? [one, "\n"] : [one])).join(""),
  "broken over lines, in base64": (text) =>
    Buffer.from(text)
      .toString("base64")
      .replace(/(.{9})/gu, "$1\r\n  "),
};

const alphabet = fc.constantFrom(...'abcdefXYZ0123456789+/="\\&<>%$!? .-_:@é€😀\t');
const secrets = fc
  .array(alphabet, { minLength: 8, maxLength: 60 })
  .map((characters) => characters.join(""))
  // What is all white space at an end is not told from the text around it.
  .filter((secret) => secret.trim() === secret && new Set(secret).size > 3);

describe("a secret is taken out", () => {
  it.each(Object.entries(writings))("%s", (_, write) => {
    fc.assert(
      fc.property(secrets, fc.constantFrom("before ", '{"a":"', "x=", ""), (secret, before) => {
        const clean = createRedact([{ value: secret, shown: SHOWN }])(`${before}${write(secret)} and after`);
        expect(clean).toContain(SHOWN);
        expect(clean).toContain("and after");
        for (const undo of Object.values(writings)) expect(clean).not.toContain(undo(secret));
      }),
      runs(200),
    );
  });

  it("whatever part of the text was cut off before", () => {
    const secret = "sk-live-0123456789abcdef0123456789";
    const redact = createRedact([{ value: secret, shown: SHOWN }]);
    for (let length = 12; length < secret.length; length++) {
      expect(redact(`Error: ${secret.slice(0, length)}`)).toBe(`Error: ${SHOWN}`);
      expect(redact(`${secret.slice(-length)} was refused`)).toBe(`${SHOWN} was refused`);
    }
  });

  it("and what stands around it stays, also where it is encoded", () => {
    const redact = createRedact([{ value: "abcdef/123", shown: SHOWN }]);
    expect(redact('{"url":"https:\\/\\/x\\/abcdef\\/123\\/y","n":"a\\u0041"}')).toBe(
      `{"url":"https:\\/\\/x\\/${SHOWN}\\/y","n":"a\\u0041"}`,
    );
  });
});

it("a text without any is the same text", () => {
  const redact = createRedact([{ value: "0123456789abcdef", shown: SHOWN }]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      fc.pre(!text.includes("0123456789ab"));
      expect(redact(text)).toBe(text);
    }),
    runs(300),
  );
});

it("the longest of two that overlap stands for both", () => {
  const redact = createRedact([
    { value: "abcdefgh", shown: "[A]" },
    { value: "abcdefghijkl", shown: "[B]" },
  ]);
  expect(redact("abcdefghijkl abcdefgh")).toBe("[B] [A]");
});

function fourDigits(one: string): string {
  return [...Array(one.length).keys()]
    .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0").toUpperCase()}`)
    .join("");
}
