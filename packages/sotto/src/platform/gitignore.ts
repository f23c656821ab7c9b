// Patterns of .gitignore, matched as Git does. Not the `ignore` package: that one builds regular expressions, which a
// hostile pattern can make take forever. Here matching only backtracks to the last star, and every step is counted.

export interface Glob {
  /** As written, before braces were expanded. */
  source: string;
  negative: boolean;
  /** Ends with a slash: matches only directories. */
  directory: boolean;
  segments: readonly Segment[];
}

/** How many steps matching may still take. */
export interface Budget {
  steps: number;
}

export type Match =
  | { matched: true; by: string /** An exclusion of the path that has no effect. */; without?: string }
  | { matched: false; excludedBy?: string };

/** `**` between slashes is any number of directories; `**` at the end at least one name. */
type Segment = "any-depth" | "all-below" | Name;
type Name =
  | { kind: "any" }
  | { kind: "literal"; text: string }
  | { kind: "suffix"; text: string }
  | { kind: "tokens"; tokens: readonly Token[] };

/** The code of a folded character, a wildcard, or a class. */
type Token = number | CharacterClass;

const STAR = -1;
const ONE = -2;

const NO_MATCH: Match = { matched: false };

export interface GlobOptions {
  /** Upper and lower case differ. Default: they are the same. Names to match must then not be folded. */
  exactCase?: boolean | undefined;
}

/** Undefined if the pattern can match nothing: a comment, an unclosed bracket, a lone backslash. */
export function compileGlob(pattern: string, source: string, options: GlobOptions = {}): Glob | undefined {
  const negative = pattern.startsWith("!");
  let body = trimEnd(negative ? pattern.slice(1) : pattern);
  if (body === "" || pattern.startsWith("#")) return undefined;
  // People write `./src`, although it would match nothing in a .gitignore.
  if (body.startsWith("./")) body = body.slice(1);
  const directory = body.endsWith("/");
  if (directory) body = body.slice(0, -1);
  // As in .gitignore, a slash before the end ties a pattern to its directory.
  const tied = body.includes("/") && !/^\/\*\*+$/u.test(body);
  const names = split(body.startsWith("/") ? body.slice(1) : body, options);
  if (names === undefined) return undefined;
  const segments: Segment[] = tied ? [] : ["any-depth"];
  for (const [index, tokens] of names.entries()) {
    if (tied && tokens.length > 1 && tokens.every((token) => token === STAR)) {
      while (segments.at(-1) === "any-depth") segments.pop();
      segments.push(index === names.length - 1 ? "all-below" : "any-depth");
    } else segments.push(nameOf(tokens));
  }
  return { source, negative, directory, segments };
}

/** The last pattern that matches the path, or a directory above it, decides. Stops when the budget is below zero. */
export function matchGlobs(
  globs: readonly Glob[],
  names: readonly string[],
  budget: Budget,
  isDirectory = false,
): Match {
  const last = names.length;
  let excludedBy: string | undefined;
  // From the top down: nothing below a directory that matches can be excluded again.
  for (let count = 1; count <= last; count++)
    for (let index = globs.length - 1; index >= 0; index--) {
      if (budget.steps < 0) return NO_MATCH;
      const glob = globs[index] as Glob;
      if ((glob.directory && count === last && !isDirectory) || !matchesNames(glob, names, count, budget))
        continue;
      if (!glob.negative)
        return { matched: true, by: glob.source, ...exclusionInVain(budget, globs, names, index, count) };
      if (count === last) excludedBy = glob.source;
      break;
    }
  return excludedBy === undefined ? NO_MATCH : { matched: false, excludedBy };
}

/** A later exclusion that matches the path itself, although a directory above it has matched. */
function exclusionInVain(
  budget: Budget,
  globs: readonly Glob[],
  names: readonly string[],
  by: number,
  count: number,
) {
  if (count === names.length) return {};
  const vain = globs.find(
    (glob, index) => index > by && glob.negative && matchesNames(glob, names, names.length, budget),
  );
  return vain === undefined ? {} : { without: vain.source };
}

/** Whether the pattern matches the first `count` names. */
function matchesNames(glob: Glob, names: readonly string[], count: number, budget: Budget): boolean {
  const { segments } = glob;
  // Most patterns already fail at the last name.
  const end = segments[segments.length - 1] as Segment;
  if (typeof end !== "string" && !matchesName(end, names[count - 1] as string, budget)) return false;
  let segment = 0;
  let name = 0;
  let backSegment = -1;
  let backName = 0;
  while (name < count) {
    budget.steps--;
    const wanted = segments[segment];
    if (wanted === "all-below") return true;
    if (wanted === "any-depth") {
      backSegment = ++segment;
      backName = name;
    } else if (wanted !== undefined && matchesName(wanted, names[name] as string, budget)) {
      segment++;
      name++;
    } else if (backSegment === -1 || budget.steps < 0) return false;
    else {
      segment = backSegment;
      name = ++backName;
    }
  }
  return segment === segments.length;
}

/** Whether any of the names can be the last one of a match: a quick way to rule out most patterns. */
export function canEndIn({ segments }: Glob, names: readonly string[], budget: Budget): boolean {
  const end = segments[segments.length - 1] as Segment;
  if (typeof end === "string") return true;
  budget.steps -= names.length;
  for (let index = names.length - 1; index >= 0; index--)
    if (matchesName(end, names[index] as string, budget)) return true;
  return false;
}

/** The names of a relative path without `..`, in one case, as on many disks and in the `ignore` package. */
export function namesOf(path: string): readonly string[] {
  return fold(path).split("/");
}

function fold(text: string): string {
  if (/^[\0-\x7f]*$/u.test(text)) return text.toUpperCase();
  let folded = "";
  for (let index = 0; index < text.length; index++)
    folded += String.fromCharCode(foldCode(text.charCodeAt(index)));
  return folded;
}

function matchesName(wanted: Name, name: string, budget: Budget): boolean {
  if (wanted.kind === "any") return true;
  if (wanted.kind === "literal") return wanted.text === name;
  if (wanted.kind === "suffix") return name.endsWith(wanted.text);
  const { tokens } = wanted;
  let token = 0;
  let at = 0;
  let backToken = -1;
  let backAt = 0;
  while (at < name.length) {
    const next = tokens[token];
    budget.steps--;
    if (next === STAR) {
      backToken = ++token;
      backAt = at;
    } else if (next !== undefined && matchesCode(next, name.charCodeAt(at))) {
      token++;
      at++;
    } else if (backToken === -1 || budget.steps < 0) return false;
    else {
      token = backToken;
      at = ++backAt;
    }
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

function matchesCode(token: Token, code: number): boolean {
  return typeof token === "number" ? token === ONE || token === code : isInClass(token, code);
}

function foldCode(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase();
  if (upper.length !== 1) return code;
  const folded = upper.charCodeAt(0);
  return code >= 128 && folded < 128 ? code : folded;
}

function nameOf(all: readonly Token[]): Name {
  const tokens = all.filter((token, index) => token !== STAR || all[index - 1] !== STAR);
  const text = (from: number) => {
    const rest = tokens.slice(from);
    const plain = rest.every((token) => typeof token === "number" && token >= 0);
    return plain ? String.fromCharCode(...(rest as number[])) : undefined;
  };
  const literal = text(0);
  if (literal !== undefined) return { kind: "literal", text: literal };
  if (tokens.length === 1 && tokens[0] === STAR) return { kind: "any" };
  const suffix = tokens[0] === STAR ? text(1) : undefined;
  return suffix === undefined ? { kind: "tokens", tokens } : { kind: "suffix", text: suffix };
}

/** Splits a pattern into names, and each name into tokens. */
function split(body: string, { exactCase = false }: GlobOptions): Token[][] | undefined {
  const names: Token[][] = [[]];
  const push = (token: Token) => (names.at(-1) as Token[]).push(token);
  for (let index = 0; index < body.length; index++) {
    let character = body[index] as string;
    if (character === "[") {
      const bracket = readBracket(body, index);
      if (bracket === undefined) return undefined;
      push({ ...bracket.token, exactCase });
      index = bracket.end;
      continue;
    }
    const escaped = character === "\\";
    if (escaped) character = body[++index] ?? "";
    if (character === "") return undefined;
    if (character === "/") names.push([]);
    else if (character === "*" && !escaped) push(STAR);
    else if (character === "?" && !escaped) push(ONE);
    else push(exactCase ? character.charCodeAt(0) : foldCode(character.charCodeAt(0)));
  }
  return names;
}

/** Removes unescaped spaces at the end. */
function trimEnd(text: string): string {
  const trimmed = text.replace(/(?<! ) +$/u, "");
  if (trimmed === text) return text;
  const backslashes = trimmed.length - trimmed.replace(/(?<!\\)\\+$/u, "").length;
  return backslashes % 2 === 1 ? `${trimmed} ` : trimmed;
}

// Bracket expressions, `[a-z]`, `[!0-9]`, `[[:alpha:]]`, as Git reads them.

interface CharacterClass {
  negated: boolean;
  exactCase?: boolean;
  /** First and last of each range. */
  ranges: readonly number[];
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "09AZaz",
  alpha: "AZaz",
  blank: "  \t\t",
  cntrl: "\0\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "  \t\n\r\r",
  upper: "AZ",
  xdigit: "09AFaf",
};

/** The expression that begins at `start`, and where it ends; undefined if it never does. */
function readBracket(pattern: string, start: number): { token: CharacterClass; end: number } | undefined {
  let index = start + 1;
  const negated = pattern[index] === "!" || pattern[index] === "^";
  if (negated) index++;
  const ranges: number[] = [];
  let previous: number | undefined;
  const member = (code: number) => {
    ranges.push(code, code);
    previous = code;
  };
  // The first member may be anything, so that `[]]` is a bracket.
  do {
    const character = pattern[index];
    if (character === undefined) return undefined;
    if (character === "\\") {
      if (pattern[++index] === undefined) return undefined;
      member(pattern.charCodeAt(index));
    } else if (character === "-" && previous !== undefined && (pattern[index + 1] ?? "]") !== "]") {
      if (pattern[++index] === "\\") index++;
      const last = pattern.charCodeAt(index);
      // Of a backward range only the first character counts.
      if (previous <= last) ranges.push(previous, last);
      previous = undefined;
    } else if (character === "[" && pattern[index + 1] === ":") {
      const end = pattern.indexOf("]", index + 2);
      if (end === -1) return undefined;
      if (end > index + 2 && pattern[end - 1] === ":") {
        const name = pattern.slice(index + 2, end - 1);
        if (!Object.hasOwn(CLASSES, name)) return undefined;
        for (const one of CLASSES[name] as string) ranges.push(one.charCodeAt(0));
        previous = undefined;
        index = end;
      } else member(character.charCodeAt(0));
    } else member(character.charCodeAt(0));
    index++;
  } while (pattern[index] !== "]");
  return { token: { negated, ranges }, end: index };
}

/** Without `exactCase`, `code` is folded to upper case, while a range may be written in either. */
function isInClass({ ranges, negated, exactCase }: CharacterClass, code: number): boolean {
  const lower = exactCase ? code : String.fromCharCode(code).toLowerCase().charCodeAt(0);
  for (let index = 0; index < ranges.length; index += 2) {
    const first = ranges[index] as number;
    const last = ranges[index + 1] as number;
    if ((code >= first && code <= last) || (lower >= first && lower <= last)) return !negated;
  }
  return negated;
}
