// What untrusted text can use in place of the characters of a tag: look-alikes by the character they stand for.

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

/** Capitals that look like another letter than their small form does. */
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

const sequences: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "ss",
  æ: "ae",
  œ: "oe",
  ʦ: "ts",
  ʣ: "dz",
  ꭣ: "uo",
};

/** Alphabets set out in order that do not decompose: their first code point. */
const alphabets = [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6];

/** Digits and signs that are read as a letter inside a word. */
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

/** Characters that can be read as the bracket a tag opens with, but for one that takes two units. */
export const openers = `<＜﹤≮≰≴≸⊀⊄\u2329︿︽${lookAlikes["<"]}`.replace("𝈶", "");
export const farOpener = "𝈶";

/**
 * The source of an expression for such characters, some that lie between them included: past 16 ranges expressions
 * get several times slower.
 */
export const openersPattern = classOf(openers);

/** The plain characters each look-alike stands for. */
export const plainCharacters: ReadonlyMap<number, string> = collect();

function collect(): Map<number, string> {
  const found = new Map<number, string>();
  const add = (alike: string, plain: string) => {
    const code = alike.codePointAt(0);
    if (code !== undefined && !found.has(code)) found.set(code, plain);
  };
  for (const [alike, plain] of Object.entries(sequences)) add(alike, plain);
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

function classOf(characters: string): string {
  const ranges: { first: number; last: number }[] = [];
  const units = Array.from(characters, (character) => character.charCodeAt(0));
  for (const unit of units.sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && unit - range.last <= 64) range.last = unit;
    else ranges.push({ first: unit, last: unit });
  }
  return `[${ranges.map(({ first, last }) => `${String.fromCharCode(first)}-${String.fromCharCode(last)}`).join("")}]`;
}
