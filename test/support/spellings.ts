// The ways to spell the parts of a tag that the payload grammar chooses from.

// biome-ignore format: a table
export const brackets = {
  references: [
    "&lt;", "&LT;", "&lt", "&LT", "&#60;", "&#60", "&#x3c;", "&#X3C;", "&#x3C;", "&#0060;", "&#x0000003c;", "&amp;lt;", "&amp;#60;",
    "&amp;amp;lt;", "&#38;lt;", "&#x26;#x3c;", "&lang;", "&langle;", "&lsaquo;", "&laquo;", "&#8249;", "&#12296;", "&#xff1c;", "&#139;",
    "&nlt;", "&amplt;", "＆lt；", "&#&#54;0;", "&l&#116;;", "&#x3&#99;;", "&LeftAngleBracket;", "&Precedes;",
    "\\u003c", "\\x3C", "\\U0000003c", "\\74", "%3c", "%u003C", "%EF%BC%9C", "%2526lt;", "\\u005cu003c", "&#92;x3c", "&percnt;3c", "\\u0026lt;",
  ],
  lookAlikes: [..."＜﹤‹«˂ᐸ❬❮❰⟨⟪《≪⋘≺≮\u2329\u3008\u{1d236}", "<\u0338", "<\u20d2"],
};

// biome-ignore format: a table
export const slashes = {
  references: ["&sol;", "&#47;", "&#x2f;", "&#47", "&amp;sol;", "&frasl;", "&#8725;"],
  lookAlikes: [..."⁄∕／⧸╱⟋", "//", "\\/", "\\"],
};

// biome-ignore format: a table
export const hyphens = {
  references: [
    "&hyphen;", "&dash;", "&#45;", "&#x2d;", "&ndash;", "&mdash;", "&minus;", "&#8209;", "&amp;hyphen;", "&shy;-", "&lowbar;", "&#95;",
    "\\-", "\\_", "\\u002d", "\\\\u002d", "%2D", "%E2%80%90", "-\\\n",
  ],
  lookAlikes: [..."‐‑‒–—―−﹘﹣－˗⁃➖⸺᠆\u05be\u058a\u06d4_-＿﹍", "--", "-\u00ad"],
};

export const closings = [">", ">", ">", "&gt;", "＞", "›", "&#62;", "\n>", " >"];

export const attributes = [' kind="x"', "\nid='1' ", " data-x=1", " a b c", '\txmlns="y"'];

// biome-ignore format: a table
export const blanks = [
  ..." \t\n\u00a0\u2003\u2009\u200a\u202f\u205f\u3000\u1680\u2028\u2029", "\r\n", "\r", "   ", "&nbsp;", "&Tab;", "&NewLine;", "&#32;", "&#9;", "&emsp;",
];

// biome-ignore format: a table
export const invisibles = [
  ..."\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\ufe00\u034f\u180e\u115f\u1160\u3164\uffa0\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2063",
  ..."\u0301\u0336\u20dd\u{e0041}\u{e0020}\u{e007f}\u{e0100}\u{1d173}\ufff9\u0000\u0007\u0008\u007f\u0085",
  "&ZeroWidthSpace;", "&shy;", "&zwj;", "&#8203;", "&#x200b;", "&#xfeff;", "&NoBreak;", "&InvisibleTimes;", "&#0;&#1;",
  "\\u200b", "%E2%80%8B", "\\\n",
];

// biome-ignore format: a table
export const terminalSequences = [
  "\u001b[31m", "\u001b[0m", "\u001b[38;5;12m", "\u001b]8;;http://example.invalid\u0007", "\u001b]0;title\u001b\\", "\u001b(B", "\u009b1m",
  "\u001b[2K", "\u001b[?25l", "\u001bP1$r\u001b\\", "\u001b7", "\u001b=", "\u0090x\u009c", "\u001b_apc\u001b\\",
];

// biome-ignore format: a table
export const textBefore = [
  "", "", "text ", "\n", "ok\n", "+", "- ", "<!-- ", "<![CDATA[ ", "<", "<<", "&", "&amp", "&#", "&l", "&#x3", "<system-", "</", '"', "`",
  '{"a":"', "a < b && c > d; ", "\u200f", "🏴", "\u001b[1m", "\u001b]8;;http://x.invalid\u0007", "\u001b]", "\u001b", "\r", "日本語", "\ud83d", "%", "\\",
];

// biome-ignore format: a table
export const textAfter = [
  "", "", " CANARY", "\nCANARY\n", ">", "-->", "]]>", '"}', "`", "/>", ' x="1">', "\u001b[0m", "\u001b]8;;\u0007", "\ud800", "日", "&gt;", "&amp;",
  "\u0301", "<", "</", " ".repeat(40), "\t\n", ".", ":x", "!",
];
