// Named character references that matter for reading a tag.

/** Names as a tree, one letter per step: a node is a number, 0 for none. */
export interface NameTree {
  readonly root: number;
  /** The node one letter or digit further. */
  child(node: number, letter: number): number;
  /** What the name that ends at a node stands for; 0 if none does. */
  codeAt(node: number): number;
  /** Whether that name also counts without a semicolon. */
  isOpen(node: number): boolean;
  /** Whether longer names continue from a node. */
  goesOn(node: number): boolean;
}

const FIRST = 0x30;
const WIDTH = 0x7b - FIRST;
const ROOT = 1;

/** Names in lower case, by the character they stand for. */
export const standingFor: Readonly<Record<string, string>> = {
  "<": "lt ltcc ltcir ltdot lthree ltimes ltlarr ltquest ltrpar ltri ltrie ltrif lang langle laquo lsaquo ll le leq leqq leqslant les lessdot lesssim less lap lne lneq nlt nless nvlt pr prec pre preceq precsim vltri vartriangleleft trianglelefteq blacktriangleleft cuepr curlyeqprec el els elsdot eqslantless gtlpar langd leftanglebracket lefttriangle lefttriangleequal leg lescc lesdot lesdoto lesdotor lesg lesges lessapprox lesseqgtr lesseqqgtr lessequalgreater lessfullequal lessgreater lessgtr lessless lessslantequal lesstilde lg lge lnap lnapprox lneqq lparlt lsim lsime lsimg lvertneqq lvne nestedlessless nle nleq nleqq nleqslant nles nll nlsim nltri nltrie nltv notlefttriangle notlefttriangleequal notless notlessequal notlessgreater notlessless notlessslantequal notlesstilde notnestedlessless notprecedes notprecedesequal notprecedesslantequal npr nprcue npre nprec npreceq nsub ntlg ntriangleleft ntrianglelefteq nvle nvltrie olt prap prcue precapprox preccurlyeq precedes precedesequal precedesslantequal precedestilde precnapprox precneqq prnap prne prsim prurel siml simle smt smte smtes triangleleft",
  ">": "gt rang rangle raquo rsaquo gg ge geq",
  "/": "sol frasl dsol caret parsl nparsl",
  "\\": "bsol setminus backslash setmn smallsetminus ssetmn",
  "&": "amp",
  "%": "percnt",
  '"': "quot",
  "'": "apos",
  ";": "semi bsemi",
  "#": "num",
  ":": "colon ratio",
  ".": "period",
  "!": "excl",
  "?": "quest",
  "|": "vert verbar verticalline mid",
  "-": "hyphen dash ndash mdash horbar horizontalline minus lowbar underbar underline boxh hybull macr strns oline",
  " ": "nbsp nonbreakingspace tab newline ensp emsp emsp13 emsp14 numsp puncsp thinsp thinspace hairsp verythinspace mediumspace thickspace blank acute breve cedil cedilla crarr dblac diacriticalacute diacriticaldot diacriticaldoubleacute diacriticaltilde die dot dotdot doubledot downbreve ogon overbar ring tdot tilde tripledot uml",
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

/** What follows a letter in the names of its accented and styled forms. */
export const styles =
  "acute breve caron cedil cedilla circ dblac dot fr grave macr midot nodot ogon opf ring scr slash strok tilde uml".split(
    " ",
  );

/** Whether a name also counts without a semicolon: for browsers, or as a typo. */
export function isOpen(name: string): boolean {
  return name.length > 2 || name === "lt" || name === "gt";
}

export const names: NameTree = treeOf(() =>
  Object.entries(standingFor).flatMap(([character, group]) =>
    group.split(" ").map((name): [string, number] => [name, character.codePointAt(0) ?? 0]),
  ),
);

export const styleNames: NameTree = treeOf(() => styles.map((style) => [style, 1]));

type Entries = readonly (readonly [string, number])[];

/** Built on first use: most processes never meet one of these names. */
function treeOf(entries: () => Entries): NameTree {
  let known: ReturnType<typeof nodesOf> | undefined;
  const nodes = () => {
    known ??= nodesOf(entries());
    return known;
  };
  return {
    root: ROOT,
    child: (node, letter) => (node === 0 ? 0 : (nodes().children[node * WIDTH + letter - FIRST] ?? 0)),
    codeAt: (node) => nodes().codes[node] ?? 0,
    isOpen: (node) => nodes().open[node] === 1,
    goesOn: (node) => nodes().parents[node] === 1,
  };
}

function nodesOf(entries: Entries) {
  const most = entries.reduce((sum, [name]) => sum + name.length, 2);
  const children = new Uint16Array(most * WIDTH);
  const codes = new Uint32Array(most);
  const open = new Uint8Array(most);
  const parents = new Uint8Array(most);
  let count = ROOT + 1;
  for (const [name, code] of entries) {
    let node = ROOT;
    for (const letter of name) {
      const slot = node * WIDTH + letter.charCodeAt(0) - FIRST;
      children[slot] ||= count++;
      parents[node] = 1;
      node = children[slot] ?? 0;
    }
    codes[node] = code;
    open[node] = isOpen(name) ? 1 : 0;
  }
  return { children, codes, open, parents };
}
