// Folds a code point to the plain character it can be read as, whatever its script, style, case or accents.

/** Folds of code points that are not a single character. */
export const invisible = 0;
/** Also for the byte order mark, which some read as a space. */
export const softHyphen = 0xad;
export const unknown = 0xfffc;

const firstSequence = 0xe000;
const UNDERSCORE = 0x5f;

// Made on first use: most text has only ASCII, and V8 takes long to look up these classes.
const ignored = () => /^[\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\p{Cn}\p{Co}]$/u;
const blank = () => /^[\s\p{Z}]$/u;
const joining = () => /^[\p{Pd}\p{Pc}]$/u;

/** One more than what a code point folds to; 0 if not computed yet. Unused pages take no memory. */
const folded = new Uint16Array(0x110000);
const sequences: string[] = [];

/**
 * The lower-case letter for any letter, a space for any space, `-` for any hyphen or underscore, `<` for any such bracket;
 * `invisible`, `unknown`, or `softHyphen`, which can be read as invisible and as a hyphen. For a code point that stands
 * for several characters, a number that `sequenceOf` spells out.
 */
export function fold(code: number): number {
  const known = folded[code];
  if (known === undefined) return unknown;
  if (known !== 0) return known - 1;
  const plain = foldAnew(code);
  folded[code] = plain + 1;
  return plain;
}

const plainLetters = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9]/iu.test(String.fromCharCode(code)) ? fold(code) : 0,
);

/** What a code unit folds to if it is a letter or digit that is written plainly; 0 for anything else. */
export function foldPlain(unit: number): number {
  return unit < 0x80 ? (plainLetters[unit] ?? 0) : 0;
}

/** Several characters that one code point stands for, such as the letters of a ligature. */
export function sequenceOf(plain: number): string | undefined {
  return plain >= firstSequence && plain < unknown ? sequences[plain - firstSequence] : undefined;
}

function foldText(text: string): string {
  let plain = "";
  for (const character of text) {
    const code = fold(character.codePointAt(0) ?? 0);
    plain += code === invisible ? "" : (sequenceOf(code) ?? String.fromCharCode(code));
  }
  return plain;
}

function foldAnew(code: number): number {
  return codeOf(code < 0x80 ? foldAscii(code) : foldUnicode(String.fromCodePoint(code)));
}

function codeOf(plain: string): number {
  if (plain.length < 2) return plain === "" ? invisible : plain.charCodeAt(0);
  if (!/[a-z]/.test(plain)) return unknown;
  if (!sequences.includes(plain)) sequences.push(plain);
  return firstSequence + sequences.indexOf(plain);
}

// By number: compiling the expressions takes longer than all of it.
function foldAscii(code: number): string {
  const isBlank = code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (isBlank) return " ";
  if (code < 0x20 || code === 0x7f) return "";
  return code === UNDERSCORE ? "-" : String.fromCharCode(code).toLowerCase();
}

function foldUnicode(character: string): string {
  if (character === "\u00ad" || character === "\ufeff") return "\u00ad";
  const alike = lookUp(character);
  if (alike !== undefined) return alike;
  const quick = foldByRange(character.codePointAt(0) ?? 0);
  if (quick !== undefined) return quick;
  if (ignored().test(character)) return "";
  if (blank().test(character)) return " ";
  if (joining().test(character)) return "-";
  const parts = character.normalize("NFKD");
  if (parts !== character) return foldText(parts);
  const other = lookUp(character.toLowerCase()) ?? lookUp(character.toUpperCase());
  return other ?? String.fromCharCode(unknown);
}

/** Whole blocks without a character that tags are made of: text of these takes no time. */
function foldByRange(code: number): string | undefined {
  const isIdeograph = code >= 0x3400 && code <= 0x9fff;
  const isSyllable = code >= 0xac00 && code <= 0xd7a3;
  if (isIdeograph || isSyllable) return String.fromCharCode(unknown);
  return code >= 0x40000 ? "" : undefined;
}

let plainCharacters: ReadonlyMap<number, string> | undefined;

function lookUp(character: string): string | undefined {
  plainCharacters ??= collect();
  return plainCharacters.get(character.codePointAt(0) ?? 0);
}

// What untrusted text can use instead of the characters of a tag: look-alikes by the character they stand for.

/** Look-alikes that neither compatibility decomposition nor case folding resolves. */
const lookAlikes: Readonly<Record<string, string>> = {
  "<": "‹«˂ᐸᐊ❬❮❰\u2329\u3008⟨⟪《⧼⦉⦑⦓⦕≤≦≨≪≲≶≺≼≾⊰⋖⋘⋚⋜⋞⩹⩻⩽⩿⪁⪃⪅⪇⪉⪋⪍⪏⪑⪓⪕⪗⪙⪛⪝⪟⪡⪣⪦⪨⪪⪬⪯⪱⪳⪵⪷⪹⪻⫷⫹⊲⊴⋪⋬◀◁◂◃◄⧀ᚲ𝈶",
  "/": "⁄∕╱⟋⧸⫻⫽Ⳇ᜵⁁〳㇓ノ丿⼃𝈺⧶⟌\u{1f67c}",
  "\\": "∖⧵⧹⟍╲⳹〵丶㇔⑊\u{1f67d}",
  "-": "\u06d4−➖⁃˗Ⲻⲻ‗¯ˉ⎯─━╌╍┄┅┈┉╴╶╸╺⏤ー㇐一ㅡᅳ‿⁀⁓∼〜～﹏﹋﹌﹍﹎⸏ꞈ᠆𐆑",
  " ": "⠀␠␢␣␉␊␋␌␍␤⏎↵",
  ";": "\u037e\u061b⁏",
  ":": "：∶꞉ː˸։᛬⁚︓",
  "[": "⟦",
  ".": "․。｡ꓸ",
  a: "αɑаᴀᎪꓮ⍺Ⲁⲁ∀ᗅæӕⱥȺΛꭺ𐊠ƛ",
  b: "вьЬъβʙᏏᏴƅƄɓƃꓐᗷᖯᑲⲂⲃ♭бƀɃ฿",
  c: "сϲᴄⲤⲥꓚᏟᏣ¢©ƈȼȻↄᑕ⊂ҫ₵𐐕",
  d: "ԁᴅᎠꓓᗞᗪᑯᏧɖɗđðժδ∂ƌȡ",
  e: "еεɛҽ℮ᴇᎬꓰ⋿ǝə∈Ⲉⲉꬲэєɇ€ξ∃ҿҽ𐊆",
  f: "ƒϝꓝᖴꬵꞙẝքғꟻ₣",
  g: "ɡցɢԍᶃƍᏀᏳꓖɠǥɣց₲",
  h: "һհнᎻᏂꓧᕼʜⲎⲏɦħիђћⱨℏ",
  i: "іıɩιӏɪᎥꙇⲒⲓꓲǀ∣⍳ɨ丨ᛁⵏ¡ꭵ│┃",
  j: "јϳʝȷᴊꓙᎫᒍɉ",
  k: "кκᴋᏦꓗⲔⲕᛕƙқĸҝҟӄ₭",
  l: "ʟᏞꓡᒪⳐⳑłɫլꞁƚɭ⅃ㄥ",
  m: "мᴍᎷꓟϻᗰⲘⲙᛖɱ₥ოӎო",
  n: "ոɴηᴎⲚⲛꓠᏁղռƞɲŋᥒпи∩йңпᑎ₦",
  o: "оοօᴏⲞⲟꓳ০੦૦௦໐๐ဝჿᴑøɵөσ○◯●ⵔ〇ꬽθ⊙⚬°∘ѳ¤☉૦ᦞ",
  p: "рρϱⲢⲣꓑᏢᴘþƥ⍴ᑭҏ₱",
  q: "ԛգզɋϙႭᑫ",
  r: "гᴦʀɾꭇꭈⲄⲅᎡᏒꓣᖇɼɽɍя®րᵲɹɻѓґ",
  s: "ѕꜱꓢᏚᏕʂƽς§ֆᔕտടჽȿ∫ʃ𐑈𐊖ⲋ₴ꙅ",
  t: "тτᴛꓔᎢⲦⲧŧƭʈ⊤⟙†┬ㄒէ𐊗₮ҭ",
  u: "υսʋᴜꓴᑌ⋃∪ʊꭎꭒμపப⊔цɥʉц",
  v: "νѵᴠꓦᏙᐯ∨⋁۷ⱱʌѷ√",
  w: "ԝѡաᴡᎳᏔꓪωɯшщ₩ᗯʍⲰⲱ",
  x: "хχᕁᕽⲬⲭꓫ×╳✕✖乂᙭⨯ᚷҳӽ✗✘",
  y: "уүγʏყɏꓬᎩᎽⲨⲩ¥ỿᶌƴʎўчұυ",
  z: "ζᴢꓜᏃʐʑȥƶⲌⲍɀƨзʒ",
};

/** Capitals that look like another letter than their lower-case form does. */
const capitals: Readonly<Record<string, string>> = {
  b: "ΒВ",
  h: "ΗН",
  n: "Ν",
  p: "Ρ",
  m: "ΜМ",
  u: "Ս",
  y: "ΥУ",
  z: "Ζ",
};

const lookAlikeSequences: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "ss",
  æ: "ae",
  œ: "oe",
  ʦ: "ts",
  ʣ: "dz",
  ꭣ: "uo",
};

/** Consecutive alphabets that do not decompose: their first code point. */
const alphabets = [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6];

/** Digits and symbols that are read as a letter within a word. */
export const lettersReadInto: Readonly<Record<string, string>> = {
  a: "4@",
  b: "8",
  e: "3",
  g: "69",
  i: "l1|!",
  l: "i1|!",
  o: "0",
  s: "5$",
  t: "7",
  z: "2",
};

/** Characters that can be read as the opening bracket of a tag, except itself and one that takes two code units. */
export const openers = `＜﹤≮≰≴≸⊀⊄\u2329︿︽${lookAlikes["<"]}`.replace("𝈶", "");
export const farOpener = "𝈶";

/**
 * The ranges of a class of such characters, including some in between: with more than 16 ranges expressions get several
 * times slower.
 */
export const openerRanges = rangesOf(openers);

/** The plain characters each look-alike stands for. */
function collect(): Map<number, string> {
  const found = new Map<number, string>();
  const add = (alike: string, plain: string) => {
    const code = alike.codePointAt(0);
    if (code !== undefined && !found.has(code)) found.set(code, plain);
  };
  for (const [alike, plain] of Object.entries(lookAlikeSequences)) add(alike, plain);
  for (const table of [capitals, lookAlikes]) {
    for (const [plain, alikes] of Object.entries(table)) for (const alike of alikes) add(alike, plain);
  }
  for (const first of alphabets) {
    for (let letter = 0; letter < 26; letter += 1)
      found.set(first + letter, String.fromCharCode(97 + letter));
  }
  for (const opener of openers + farOpener) add(opener, "<");
  return found;
}

function rangesOf(characters: string): string {
  const ranges: { first: number; last: number }[] = [];
  const units = Array.from(characters, (character) => character.charCodeAt(0));
  for (const unit of units.sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && unit - range.last <= 64) range.last = unit;
    else ranges.push({ first: unit, last: unit });
  }
  return ranges
    .map(({ first, last }) => `${String.fromCharCode(first)}-${String.fromCharCode(last)}`)
    .join("");
}
