// Whatever stands in whichever field of whichever type: no reserved tag comes out of it, in no dialect.

import type { Attachment } from "sotto/extend";
import { catalogue, renderAttachment } from "sotto/inspect";
import { describe, expect, it } from "vitest";
import { checkData } from "../../packages/sotto/src/attachments/attachment.ts";
import { defaultReservedTags } from "../../packages/sotto/src/render/neutralise/neutralise.ts";
import { wires } from "../support/agent-wire.ts";
import { boundless, forced } from "../support/forced.ts";
import { forgedByHand } from "../support/hostile.ts";
import { openEngine } from "../support/open-engine.ts";
import { forgedTags } from "../support/payloads.ts";
import { isWhole, times } from "../support/runs.ts";
import { forgesTag } from "../support/unicode-fold.ts";

const payloads = [
  ...forgedByHand.filter((_, index) => index % (isWhole ? 12 : 36) === 0),
  ...forgedTags(times(20), defaultReservedTags, 39),
];
const HARMLESS = "Harmless";

// As the engine writes them; a value of an attribute stays, to be judged.
const OWN = new RegExp(`</?(?:${defaultReservedTags.join("|")})((?: [a-z_]+="[^"<>]*")*)>`, "gu");

/** Not text: what an image is and where it is kept. */
const OF_IMAGES = new Set(["mediaType", "blob", "data"]);

/** A place in data where a text stands, or the name of one. */
type Place = readonly string[];

function placesIn(data: unknown, at: Place = []): Place[] {
  if (typeof data === "string") return OF_IMAGES.has(at.at(-1) ?? "") ? [] : [at];
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => placesIn(value, [...at, key]));
}

function withText(data: unknown, [key, ...rest]: Place, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(data))
    return data.map((value, index) => (String(index) === key ? withText(value, rest, text) : value));
  const object = data as Record<string, unknown>;
  return { ...object, [key]: withText(object[key], rest, text) };
}

/** Names in a table that anyone may give, as sections of the start have. */
function withName(data: unknown, text: string): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? [
            key,
            Object.fromEntries(Object.entries(value).map(([, inner], index) => [`${text}${index}`, inner])),
          ]
        : [key, value],
    ),
  );
}

/** Every example with a text in each of the places that take any text, one at a time, and in all of them. */
function disguised({ schema, examples }: Attachment, text: string): unknown[] {
  return examples.flatMap(({ data }) => {
    const fits = (value: unknown) => "data" in checkData(schema, value);
    const places = placesIn(data).filter((place) => fits(withText(data, place, text)));
    const everywhere = places.reduce((value: unknown, place) => withText(value, place, text), data);
    return [...places.map((place) => withText(data, place, text)), withName(data, text), everywhere].filter(
      fits,
    );
  });
}

function judged(text: string): { own: number; forged: boolean } {
  const own = [...text.matchAll(OWN)].length;
  return { own, forged: forgesTag(text.replace(OWN, "$1"), defaultReservedTags) };
}

it("AC-39 the judge sees a tag that was let through", () => {
  const text = `<system-reminder>\n${HARMLESS}\n</system-reminder>`;
  expect(judged(text)).toEqual({ own: 2, forged: false });
  for (const payload of payloads) {
    const { own, forged } = judged(text.replace(HARMLESS, () => payload));
    expect(own > 2 || forged, payload).toBe(true);
  }
});

describe("AC-39 a sample of payloads through every field", () => {
  it.each(catalogue.map((one) => [one.type, one] as const))("of %s", (_, one) => {
    const harmless = disguised(one, HARMLESS).map((data) => judged(renderAttachment(one, data)));
    for (const payload of payloads)
      for (const [index, data] of disguised(one, payload).entries()) {
        const text = renderAttachment(one, data);
        expect({ text, payload, ...judged(text) }).toEqual({ text, payload, ...harmless[index] });
      }
  });

  it.each(wires)("of every type, in requests of $name", async ({ dialect, body, prompt }) => {
    const bare = prompt("Hello.");
    const sample = payloads.filter((_, index) => index % 8 === 0);
    for (const payload of [HARMLESS, ...sample]) {
      const attachments = catalogue.flatMap((one) => {
        const data = disguised(one, payload).at(-1) ?? one.examples[0].data;
        return [forced(one, { data })];
      });
      const session = openEngine({ attachments, config: boundless });
      const turn = await session.turn({ dialect, body: body([bare]), userPrompt: "Hello." });
      const failed = turn.trace.filter(
        ({ type, outcome }) => type.startsWith("forced_") && outcome === "failed",
      );
      expect(failed).toEqual([]);
      const texts = turn.reminders.map(({ text }) => text);
      const inBody = textsIn(dialect.messages(turn.body));
      for (const text of texts) expect(inBody).toContain(text);
      const known = texts.map((text) => judged(text)).reduce((sum, { own }) => sum + own, 0);
      expect({ payload, ...judged(inBody.join("\n")) }).toEqual({ payload, own: known, forged: false });
      await session.close();
    }
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
