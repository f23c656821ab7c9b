// Named character references, as far as they matter to the reading of a tag.

/** One letter further into the names; `code` is 0 where no name ends. */
export interface NameNode {
  code: number;
  /** Read without a semicolon as well: by browsers, or by anyone who takes it for a slip. */
  open: boolean;
  readonly next: Map<number, NameNode>;
}

const standingFor: Readonly<Record<string, string>> = {
  "<": "lt ltcc ltcir ltdot lthree ltimes ltlarr ltquest ltrpar ltri ltrie ltrif lang langle laquo lsaquo ll le leq leqq leqslant les lessdot lesssim less lap lne lneq nlt nless nvlt pr prec pre preceq precsim vltri vartriangleleft trianglelefteq",
  ">": "gt rang rangle raquo rsaquo gg ge geq",
  "/": "sol frasl dsol",
  "\\": "bsol setminus",
  "&": "amp",
  '"': "quot",
  "'": "apos",
  ";": "semi",
  "#": "num",
  ":": "colon",
  ".": "period",
  "!": "excl",
  "?": "quest",
  "|": "vert verbar verticalline mid",
  "-": "hyphen dash ndash mdash horbar horizontalline minus lowbar underbar underline boxh hybull macr strns oline",
  " ": "nbsp nonbreakingspace tab newline ensp emsp emsp13 emsp14 numsp puncsp thinsp thinspace hairsp verythinspace mediumspace thickspace blank",
  "\u200b":
    "zerowidthspace negativeverythinspace negativethinspace negativemediumspace negativethickspace zwj zwnj lrm rlm nobreak applyfunction af invisibletimes it invisiblecomma ic",
  "\u00ad": "shy",
  ﬁ: "filig",
  ß: "szlig",
  æ: "aelig",
  œ: "oelig",
  а: "acy",
  е: "iecy",
  о: "ocy",
  р: "rcy",
  с: "scy",
  т: "tcy",
  у: "ucy",
  м: "mcy",
  ѕ: "dscy",
  і: "iukcy",
  ј: "jsercy",
  ı: "imath inodot",
  ℓ: "ell",
};

/** Names in small letters. */
export const names: NameNode = emptyNode();

/** What follows a letter in the names of its accented and styled forms. */
export const styles: NameNode = emptyNode();

for (const [character, group] of Object.entries(standingFor)) {
  for (const name of group.split(" ")) addName(names, name, character.codePointAt(0) ?? 0);
}
for (const style of "acute breve caron cedil cedilla circ dblac dot fr grave macr midot nodot ogon opf ring scr slash strok tilde uml".split(
  " ",
)) {
  addName(styles, style, 1);
}

function addName(root: NameNode, name: string, code: number): void {
  let node = root;
  for (const letter of name) {
    const next = node.next.get(letter.charCodeAt(0)) ?? emptyNode();
    node.next.set(letter.charCodeAt(0), next);
    node = next;
  }
  node.code = code;
  node.open = name.length > 2 || name === "lt" || name === "gt";
}

function emptyNode(): NameNode {
  return { code: 0, open: false, next: new Map() };
}
