// An independent judge of forged tags: folds text in every way it can be read and looks for reserved tags. Shares nothing with the engine.

/** True when some reading of the text contains a reserved tag: opening, closing, self-closing or cut off. */
export function forgesTag(text: string, reserved: readonly string[]): boolean {
  const pattern = tagPattern(reserved);
  // Without an ampersand the two ways to read references are the same.
  const used = /[&＆﹠]/.test(text) ? orders : orders.filter((steps) => !steps.includes(strictReferences));
  return used.some((steps) => someReading(text, steps, pattern));
}

type Step = (text: string) => string;

const orders: readonly (readonly Step[])[] = [
  [withoutTerminal, looseReferences, compatible, withoutInvisible, withoutMarks, plainCharacters],
  [withoutTerminal, strictReferences, compatible, withoutInvisible, withoutMarks, plainCharacters],
  [plainCharacters, withoutInvisible, withoutTerminal, looseReferences, withoutMarks, compatible],
  [plainCharacters, withoutInvisible, withoutTerminal, strictReferences, withoutMarks, compatible],
  [
    withoutTerminal,
    withoutEscapes,
    looseReferences,
    withoutEscapes,
    visibleSoftHyphens,
    compatible,
    withoutInvisible,
    withoutMarks,
    plainCharacters,
  ],
];

const mostRounds = 24;

function someReading(text: string, steps: readonly Step[], pattern: RegExp): boolean {
  let reading = text;
  if (pattern.test(reading)) return true;
  for (let round = 0; round < mostRounds; round += 1) {
    const before = reading;
    for (const step of steps) {
      const next = step(reading);
      if (next !== reading && pattern.test(next)) return true;
      reading = next;
    }
    if (reading === before) break;
  }
  return pattern.test(lettersForDigits(reading));
}

const patterns = new Map<readonly string[], RegExp>();

function tagPattern(reserved: readonly string[]): RegExp {
  const known = patterns.get(reserved);
  if (known !== undefined) return known;
  const spelled = (letter: string) =>
    /[-_]/.test(letter) ? "[-_\\s]+" : letter.replace(/[^a-z0-9]/, "\\$&");
  const names = reserved.map((name) => Array.from(name.toLowerCase(), spelled).join("\\s*")).join("|");
  const start = "<[\\s/\\\\!?|]*(?:(?:[\\w.][\\w.-]{0,39})?:)?\\s*";
  const pattern = new RegExp(`${start}(?:${names})(?![-_]*[a-z0-9])`, "i");
  patterns.set(reserved, pattern);
  return pattern;
}

function withoutTerminal(text: string): string {
  if (!/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/.test(text)) return text;
  return text
    .replace(
      /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g,
      "",
    )
    .replace(/(?:\u001b\[|\u009b)[\d;:?<=>!]*[ -/]*[A-Za-z@~`{|}^_]/g, "")
    .replace(/\u001b[ -/]+[0-~]|\u001b[0-9=>DEHMNOZcno|}~]/g, "")
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, "");
}

/** Case folding by way of capitals spells out sharp s and ligatures. */
function compatible(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}

function withoutEscapes(text: string): string {
  const character = (whole: string, ...digits: (string | undefined)[]) => {
    const code = Number.parseInt(digits.slice(0, 6).find((one) => one !== undefined) ?? "", 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  };
  return text
    .replace(/(?:%[89a-f][\da-f])+/gi, utf8)
    .replace(
      /\\u(000[01][\da-f]{4})|[\\%]u([\da-f]{4})|\\u\{([\da-f]+)\}|\\x([\da-f]{2})|%([2-7][\da-f])/gi,
      character,
    )
    .replace(/\\([0-3][0-7]{2}|[0-7]{2})/g, (_, octal: string) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    )
    .replace(/\\(?=[-_\n<>\\])/g, "");
}

function utf8(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function visibleSoftHyphens(text: string): string {
  return text.replaceAll("\u00ad", "-");
}

function lettersForDigits(text: string): string {
  return text.replace(/[013457$@]/g, (digit) => "oieastsa"["013457$@".indexOf(digit)] ?? digit);
}

function withoutInvisible(text: string): string {
  return text
    .replace(/[\u2800\u2420-\u2424\u2409-\u240d]/g, " ")
    .replace(/\[U\+[0-9A-F]{4,5}\]|\[\d+(?:;\d+)*m/gi, "")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cn}\p{Co}\ufffe]/gu, "");
}

function withoutMarks(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

// biome-ignore format: a table
const entityNames: Record<string, string> = {
  lt: "<", LT: "<", Lt: "<", nlt: "<", lang: "<", langle: "<", laquo: "<", lsaquo: "<", Lang: "<", prec: "<", ll: "<", LeftAngleBracket: "<", Precedes: "<", langd: "<", NotLess: "<", NestedLessLess: "<", middot: "-", centerdot: "-", percnt: "%",
  gt: ">", GT: ">", amp: "&", AMP: "&", quot: '"', QUOT: '"', apos: "'", semi: ";", num: "#", colon: ":",
  sol: "/", frasl: "/", bsol: "\\", hyphen: "-", dash: "-", ndash: "-", mdash: "-", minus: "-", horbar: "-", lowbar: "_", UnderBar: "_",
  shy: "\u00ad", nbsp: " ", Tab: "\t", NewLine: "\n", ensp: " ", emsp: " ", emsp13: " ", emsp14: " ", numsp: " ", puncsp: " ",
  thinsp: " ", ThinSpace: " ", hairsp: " ", VeryThinSpace: " ", MediumSpace: " ", NonBreakingSpace: " ",
  ZeroWidthSpace: "", NegativeThinSpace: "", NegativeMediumSpace: "", NegativeThickSpace: "", NegativeVeryThinSpace: "",
  zwj: "", zwnj: "", lrm: "", rlm: "", NoBreak: "", ApplyFunction: "", af: "", InvisibleTimes: "", it: "", InvisibleComma: "", ic: "",
  eacute: "é", egrave: "è", euml: "ë", iacute: "í", iuml: "ï", oacute: "ó", ouml: "ö", aacute: "á", auml: "ä", uuml: "ü", uacute: "ú",
  ntilde: "ñ", ccedil: "ç", yacute: "ý", yuml: "ÿ", scaron: "š", szlig: "ss", filig: "fi", imath: "i", dscy: "s", iukcy: "i", iecy: "e", ocy: "o", acy: "a",
  sscr: "s", yscr: "y", tscr: "t", mscr: "m", rscr: "r", sfr: "s", yfr: "y", mopf: "m", sopf: "s",
};

const byLowerCase = new Map(
  Object.entries(entityNames).map(([name, meaning]) => [name.toLowerCase(), meaning]),
);
const longestFirst = [...byLowerCase.keys()].sort((a, b) => b.length - a.length);
const loose = new RegExp(`&(?:#x([0-9a-f]+);?|#([0-9]+);?|(${longestFirst.join("|")});?)`, "gi");
const strict = new RegExp(`&(?:#x([0-9a-f]+);|#([0-9]+);|(${longestFirst.join("|")});)`, "gi");

function looseReferences(text: string): string {
  return text.replace(loose, meaning);
}

function strictReferences(text: string): string {
  return text.replace(strict, meaning);
}

function meaning(whole: string, hexadecimal?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return byLowerCase.get(name.toLowerCase()) ?? whole;
  const code = Number.parseInt(hexadecimal ?? decimal ?? "", hexadecimal === undefined ? 10 : 16);
  if (!(code <= 0x10ffff)) return "\ufffd";
  if (code === 0x8b) return "<";
  if (code === 0x96 || code === 0x97) return "-";
  return String.fromCodePoint(code);
}

/** Rows of code points, hexadecimal, with a dash for a range, that are drawn like the character they begin with. */
const drawnAlike = `
< 2039 ab 2c2 1438 276c 276e 2770 2329 3008 27e8 27ea 300a 226a 22d8 227a 226e ff1c fe64 16b2 1d236 29fc 2264 2266 25c1 25c0
/ 2044 2215 2571 27cb 29f8 ff0f 1735 2041 1d23a 31d3 3033 2cc6 30ce 4e3f
\\ 2216 29f5 29f9 ff3c fe68
- 2010-2015 2212 ff0d fe58 fe63 58a 5be 1806 2e3a 2e3b 2043 2d7 2796 6d4 2cba 30a0 301c 2500 2501 30fc 23af af 2e1a 10ead
_ ff3f fe4d-fe4f 203f 2040 2017
& ff06 fe60
; ff1b fe14 37e
a 430 410 3b1 391 251 1d00 13aa a4ee 237a 2c81 2c80
b 42c 44c 412 392 3b2 299 13f4 13cf a4d0 185
c 441 421 3f2 3f9 1d04 2ca5 2ca4 a4da 13df 63a a2 a9
d 501 1d05 13a0 a4d3 146f 257 256 111 110 13e7
e 435 415 395 3b5 454 4bd 212e 1d07 13ac a4f0 25b 22ff
f 192 a4dd 15b4 ab35 a799 584 3dc
g 261 581 262 50d 13c0 a4d6 1d83
h 4bb 570 43d 41d 397 13bb a4e7 29c 127
i 456 406 131 269 3b9 399 4cf 4c0 26a 13a5 a647 a4f2 2c93 2c92 1c0 2223 13c6
j 458 408 3f3 1d0a a4d9 13ab
k 43a 41a 3ba 39a 1d0b 13e6 a4d7 2c95 2c94
l 29f 13de a4e1 142 2cd1
m 43c 41c 39c 1d0d 13b7 a4df 3fa 2c99 2c98
n 578 39d 274 1d0e 2c9b 2c9a a4e0 57c 43f
o 43e 41e 3bf 39f 585 555 1d0f 2c9f 2c9e a4f3 966 9e6 c02 3007 10ff f8 d8
p 440 420 3c1 3a1 3f1 2ca3 2ca2 a4d1 13e2 1d18
q 51b 51a 563 566
r 433 1d26 280 ab47 ab48 2c85 13a1 13d2 a4e3 27e
s 455 405 a731 a4e2 13da 13d5 282 1bd 54f
t 442 422 3c4 3a4 1d1b a4d4 13a2 2ca7 2ca6 22a4
u 3c5 57d 28b 1d1c a4f4 222a 22c3
v 3bd 475 474 1d20 a4e6 13d9 2228
w 51d 51c 461 561 1d21 13b3 13d4 a4ea
x 445 425 3c7 3a7 2cad 2cac a4eb d7 2573
y 443 423 4af 4ae 3b3 3a5 28f 10e7 a4ec 13a9 2ca9 2ca8
z 396 1d22 a4dc 13c3
`;

const alike = new Map<string, string>();
for (const row of drawnAlike.trim().split("\n")) {
  const [plain = "", ...ranges] = row.split(" ");
  for (const range of ranges) {
    const [first = "", last = first] = range.split("-");
    for (let code = Number.parseInt(first, 16); code <= Number.parseInt(last, 16); code += 1) {
      alike.set(String.fromCodePoint(code), plain);
    }
  }
}
for (let letter = 0; letter < 26; letter += 1) {
  for (const alphabet of [0x1f150, 0x1f170, 0x1f1e6, 0x249c]) {
    alike.set(String.fromCodePoint(alphabet + letter), String.fromCharCode(97 + letter));
  }
}

function plainCharacters(text: string): string {
  const plain = (character: string) =>
    alike.get(character) ?? alike.get(character.toUpperCase()) ?? character;
  return text.replace(/[^\0-\x7f]/gu, plain).toLowerCase();
}
