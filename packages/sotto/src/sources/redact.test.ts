import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { createNeutraliser } from "../render/neutralise/neutralise.ts";
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
  "as hexadecimal in pairs": (text) => bytesOf(text).join(" "),
  "as hexadecimal with colons": (text) => bytesOf(text).join(":").toUpperCase(),
  "as hexadecimal in fours": (text) =>
    bytesOf(text)
      .join("")
      .replace(/(.{4})(?=.)/gu, "$1 "),
  "in octal": (text) =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join(""),
  "with eight digits": (text) =>
    [...text].map((one) => `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`).join(""),
  "in quoted-printable": (text) =>
    bytesOf(text)
      .map((byte, at) => `=${byte.toUpperCase()}${at % 9 === 8 ? "=\r\n" : ""}`)
      .join(""),
};

/** What a text can hold that is taken out, replaced or not seen where it is shown. */
const notShown: Record<string, readonly string[]> = {
  "control characters": [..."\0\x01\x07\b\v\f\x0e\x1a\x1f\x7f\x80\x85\x8d\x99\x9c"],
  colours: ["\x1b[31m", "\x1b[0m", "\x1b[1;38;5;9m", "\x9b31m", "\x1b[0K", "\x1b[?25l"],
  "titles and links": ["\x1b]0;x\x07", "\x1b]8;;https://x\x1b\\", "\x9d0;x\x9c", "\x1bP1$r\x1b\\"],
  "other escapes": ["\x1b(B", "\x1b=", "\x1b7", "\x1bM"],
  "tag characters": ["\u{e0061}", "\u{e0001}", "\u{e007f}"],
  "a lone carriage return": ["\r"],
  "marks of direction": [..."\u202a\u202e\u2066\u2069\u200e\u200f\u061c"],
  "characters of no width": [..."\u200b\u200c\u200d\u2060\ufeff\u034f\u180e\u2061"],
  "soft hyphens": ["\u00ad"],
  "variation selectors": ["\ufe0f", "\ufe00", "\u{e0100}"],
  fillers: [..."\u3164\u115f\uffa0"],
  "what was no text": ["\ufffd", "\ufff9"],
  "separators of lines": [..."\u2028\u2029"],
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

  it.each(Object.entries(notShown))("with %s inside, before the text is cleaned", (_, hidden) => {
    const { text: show } = createNeutraliser();
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...hidden)), { minLength: 1, maxLength: 40 }),
        fc.constantFrom("as it is", "as JSON", "in a URL", "in base64", "as hexadecimal"),
        (secret, inserted, writing) => {
          const written = writings[writing]?.(secret) ?? "";
          const characters = [...written];
          for (const [at, one] of inserted) {
            const place = 1 + (at % (characters.length - 1));
            characters[place] = one + characters[place];
          }
          const redact = createRedact([{ value: secret, shown: SHOWN }]);
          const said = show(redact(`before ${characters.join("")} and after`));
          // The last characters of base64 belong to what follows as well.
          if (writing === "in base64") expect(said).toContain(`before ${SHOWN}`);
          else expect(said).toBe(`before ${SHOWN} and after`);
          expect(said.replace(/[^!-~]/gu, "")).not.toContain(written.replace(/[^!-~]/gu, ""));
        },
      ),
      runs(200),
    );
  });

  it("when one of its own characters looks like the end of a terminal sequence", () => {
    const secret = "mcD0=n7>H8cZmc6789";
    const said = createRedact([{ value: secret, shown: SHOWN }])(`x ${[...secret].join("\x1b")} y`);
    expect(said).toBe(`x ${SHOWN} y`);
    expect(createRedact([{ value: secret, shown: SHOWN }])(`x \x1b[${secret} y`)).toContain(SHOWN);
  });

  it("when a colour inside it was cut in the middle", () => {
    const redact = createRedact([{ value: "sk-live-0123456789abcdef", shown: SHOWN }]);
    expect(redact("Error: sk-live-\x1b[31m01234567\x1b[3")).toMatch(/^Error: \[secret\]/u);
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

function bytesOf(text: string): string[] {
  return [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0"));
}

function fourDigits(one: string): string {
  return [...Array(one.length).keys()]
    .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0").toUpperCase()}`)
    .join("");
}
