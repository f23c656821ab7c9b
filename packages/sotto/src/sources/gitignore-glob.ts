// One gitignore pattern, compiled to a matcher that never tries a thing twice: no regular expression, no backtracking
// but to the last star, and every step counted.

export interface Glob {
  /** As written, alternatives not yet taken apart. */
  source: string;
  negative: boolean;
  /** Ends with a slash: only what is a directory. */
  directory: boolean;
  segments: readonly Segment[];
}

/** Steps left before matching gives up. */
export interface Budget {
  steps: number;
}

/** `**` between slashes is any number of directories; `**` at the end at least one name. */
type Segment = "any-depth" | "all-below" | Name;
type Name =
  | { kind: "any" }
  | { kind: "literal"; text: string }
  | { kind: "suffix"; text: string }
  | { kind: "tokens"; tokens: readonly Token[] };

/** A folded character, a wildcard, or a class. */
type Token = number | CharacterClass;

const STAR = -1;
const ONE = -2;

/** Undefined where the pattern can match nothing: a comment, an unclosed bracket, a lone backslash. */
export function compileGlob(pattern: string, source: string): Glob | undefined {
  const negative = pattern.startsWith("!");
  let body = trimEnd(negative ? pattern.slice(1) : pattern);
  if (body === "" || pattern.startsWith("#")) return undefined;
  // People write `./src`; in a .gitignore it would match nothing.
  if (body.startsWith("./")) body = body.slice(1);
  const directory = body.endsWith("/");
  if (directory) body = body.slice(0, -1);
  // By gitignore's rule, a slash before the end ties a pattern to its directory.
  const tied = body.includes("/") && !/^\/\*\*+$/u.test(body);
  const names = split(body.startsWith("/") ? body.slice(1) : body);
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

/** Whether the first `count` names are what the pattern describes. Names are folded. */
export function matchesNames(glob: Glob, names: readonly string[], count: number, budget: Budget): boolean {
  const { segments } = glob;
  // Most patterns fail at the last name already.
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

/** Whether any of the names can be the last one of what the pattern describes: a quick no for most. */
export function canEndIn({ segments }: Glob, names: readonly string[], budget: Budget): boolean {
  const end = segments[segments.length - 1] as Segment;
  if (typeof end === "string") return true;
  budget.steps -= names.length;
  for (let index = names.length - 1; index >= 0; index--)
    if (matchesName(end, names[index] as string, budget)) return true;
  return false;
}

/** Upper and lower case are the same, as they are on half of all disks and in the `ignore` package. */
export function fold(text: string): string {
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

/** Into names, each into tokens. */
function split(body: string): Token[][] | undefined {
  const names: Token[][] = [[]];
  const push = (token: Token) => (names.at(-1) as Token[]).push(token);
  for (let index = 0; index < body.length; index++) {
    let character = body[index] as string;
    if (character === "[") {
      const bracket = readBracket(body, index);
      if (bracket === undefined) return undefined;
      push(bracket.token);
      index = bracket.end;
      continue;
    }
    const escaped = character === "\\";
    if (escaped) character = body[++index] ?? "";
    if (character === "") return undefined;
    if (character === "/") names.push([]);
    else if (character === "*" && !escaped) push(STAR);
    else if (character === "?" && !escaped) push(ONE);
    else push(foldCode(character.charCodeAt(0)));
  }
  return names;
}

/** Spaces at the end do not count, unless escaped. */
function trimEnd(text: string): string {
  const trimmed = text.replace(/(?<! ) +$/u, "");
  if (trimmed === text) return text;
  const backslashes = trimmed.length - trimmed.replace(/(?<!\\)\\+$/u, "").length;
  return backslashes % 2 === 1 ? `${trimmed} ` : trimmed;
}

// Bracket expressions of gitignore patterns, `[a-z]`, `[!0-9]`, `[[:alpha:]]`, read as git reads them.

export interface CharacterClass {
  negated: boolean;
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

/** The expression that begins at `start`, and where it ends; undefined where it never does. */
export function readBracket(
  pattern: string,
  start: number,
): { token: CharacterClass; end: number } | undefined {
  let index = start + 1;
  const negated = pattern[index] === "!" || pattern[index] === "^";
  if (negated) index++;
  const ranges: number[] = [];
  let previous: number | undefined;
  const member = (code: number) => {
    ranges.push(code, code);
    previous = code;
  };
  // The first member is taken whatever it is, so that `[]]` is a bracket.
  do {
    const character = pattern[index];
    if (character === undefined) return undefined;
    if (character === "\\") {
      if (pattern[++index] === undefined) return undefined;
      member(pattern.charCodeAt(index));
    } else if (character === "-" && previous !== undefined && (pattern[index + 1] ?? "]") !== "]") {
      if (pattern[++index] === "\\") index++;
      const last = pattern.charCodeAt(index);
      // Backwards, only its first character is left.
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

/** `code` is folded to upper case; a range may be written in either. */
export function isInClass({ ranges, negated }: CharacterClass, code: number): boolean {
  const lower = String.fromCharCode(code).toLowerCase().charCodeAt(0);
  for (let index = 0; index < ranges.length; index += 2) {
    const first = ranges[index] as number;
    const last = ranges[index + 1] as number;
    if ((code >= first && code <= last) || (lower >= first && lower <= last)) return !negated;
  }
  return negated;
}
