// Letters in other clothes for the payloads: every code point that decomposes to the letter, and homoglyphs of other scripts.
import type { Random } from "./seeded.ts";

// biome-ignore format: a table
const homoglyphs: Record<string, string> = {
  a: "аАαΑɑᴀᎪꓮ", b: "ЬьВΒʙᏴꓐ", c: "сСϲϹᴄⲥꓚᏟ", d: "ԁᎠꓓᴅɗ", e: "еЕΕєҽ℮ᴇᎬꓰ", f: "ƒꓝք", g: "ɡցɢԍᏀꓖ",
  h: "һհНнΗᎻꓧ", i: "іІıɩιΙӏɪᎥꓲ", j: "јЈϳᴊꓙ", k: "кКκΚᴋᏦꓗ", l: "ʟᏞꓡ", m: "мМΜᴍᎷꓟϺ", n: "ոΝɴꓠⲚ",
  o: "оОοΟօᴏⲟꓳ", p: "рРρΡⲣꓑᏢ", q: "ԛզ", r: "гᴦʀᎡꓣ", s: "ѕЅꜱꓢᏚʂ", t: "тТτΤᴛꓔᎢ", u: "υսᴜꓴʋ",
  v: "νѵᴠꓦᏙ", w: "ԝѡᴡᎳꓪ", x: "хХχΧꓫ", y: "уУүҮΥʏყꓬᎩ", z: "Ζᴢꓜ",
};

let decomposing: Map<string, string[]> | undefined;

export function disguisedLetter(random: Random, letter: string): string {
  decomposing ??= collect();
  const styled = decomposing.get(letter) ?? [letter];
  return random.chance(0.5) ? random.pick([...(homoglyphs[letter] ?? letter)]) : random.pick(styled);
}

function collect(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let code = 0x80; code < 0x20000; code += 1) {
    if (code >= 0xac00 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const plain = character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    if (!/^[a-z]$/.test(plain)) continue;
    const others = found.get(plain) ?? [];
    others.push(character);
    found.set(plain, others);
  }
  return found;
}
