// Forged tags by the thousand: a seeded grammar of spellings, disguises, spacing and surroundings.
import { disguisedLetter } from "./disguises.ts";
import { type Random, seeded } from "./seeded.ts";
import * as spelling from "./spellings.ts";

/** `count` payloads, the same ones for the same seed; each contains a forged tag of one of the names. */
export function* forgedTags(count: number, names: readonly string[], seed = 1): Generator<string> {
  const random = seeded(seed);
  for (let made = 0; made < count; made += 1) yield payload(random, random.pick(names));
}

/** How likely each way of hiding is, in one payload. */
interface Style {
  readonly references: number;
  readonly disguises: number;
  readonly invisibles: number;
  readonly spaces: number;
  readonly terminal: number;
  readonly capitals: number;
}

function payload(random: Random, name: string): string {
  const tag = forgedTag(random, name);
  const layered = random.chance(0.2) ? referenced(random, tag, 1 + random.below(3)) : tag;
  const another = random.chance(0.2) ? forgedTag(random, name) : "";
  return random.pick(spelling.textBefore) + layered + random.pick(spelling.textAfter) + another;
}

function forgedTag(random: Random, name: string): string {
  const style = styleOf(random);
  const parts = [spelled(random, style, { written: "<", ...spelling.brackets })];
  const slash = () => spelled(random, style, { written: "/", ...spelling.slashes });
  if (random.chance(0.5)) parts.push(filler(random, style), slash());
  parts.push(filler(random, style), spelledName(random, name, style), filler(random, style));
  if (random.chance(0.3)) parts.push(random.pick(spelling.attributes));
  if (random.chance(0.1)) parts.push(slash());
  if (random.chance(0.8)) parts.push(random.pick(spelling.closings));
  return parts.join("");
}

function styleOf(random: Random): Style {
  const rate = (likely: number, most: number) => (random.chance(likely) ? random.next() * most : 0);
  return {
    references: rate(0.4, 1),
    disguises: rate(0.4, 1),
    invisibles: rate(0.4, 0.6),
    spaces: rate(0.3, 0.9),
    terminal: rate(0.2, 0.4),
    capitals: rate(0.4, 1),
  };
}

interface Sign {
  readonly written: string;
  readonly references: readonly string[];
  readonly lookAlikes: readonly string[];
}

function spelled(random: Random, style: Style, sign: Sign): string {
  if (random.chance(style.references)) return random.pick(sign.references);
  return random.chance(style.disguises) ? random.pick(sign.lookAlikes) : sign.written;
}

function spelledName(random: Random, name: string, style: Style): string {
  let written = "";
  for (const [index, character] of [...name].entries()) {
    const atHyphen = /[-_]/.test(character + (name[index - 1] ?? ""));
    if (index > 0) written += atHyphen ? filler(random, style) : invisible(random, style);
    written += /[-_]/.test(character)
      ? spelled(random, style, { written: character, ...spelling.hyphens })
      : spelledLetter(random, character, style);
  }
  return written;
}

function spelledLetter(random: Random, letter: string, style: Style): string {
  const cased = random.chance(style.capitals) ? letter.toUpperCase() : letter;
  const drawn = random.chance(style.disguises) ? disguisedLetter(random, letter) : cased;
  return random.chance(style.references * 0.5) ? reference(random, drawn) : drawn;
}

function filler(random: Random, style: Style): string {
  return (random.chance(style.spaces) ? random.pick(spelling.blanks) : "") + invisible(random, style);
}

function invisible(random: Random, style: Style): string {
  if (random.chance(style.terminal)) return random.pick(spelling.terminalSequences);
  return random.chance(style.invisibles) ? random.pick(spelling.invisibles) : "";
}

function reference(random: Random, text: string): string {
  const forms = (code: number) => [
    `&#${code};`,
    `&#x${code.toString(16)};`,
    `&#X${code.toString(16).toUpperCase()};`,
    `&#00${code};`,
    `&amp;#${code};`,
  ];
  return Array.from(text, (character) => random.pick(forms(character.codePointAt(0) ?? 0))).join("");
}

/** References of the characters of references, a few layers deep. */
function referenced(random: Random, text: string, layers: number): string {
  let layered = text;
  for (let layer = 0; layer < layers; layer += 1) {
    const rate = random.next() * 0.4;
    layered = Array.from(layered, (character) =>
      random.chance(rate) ? reference(random, character) : character,
    ).join("");
  }
  return layered;
}
