// Splits a shell command into simple commands; undefined if anything in it could hide more. Deliberately simpler than
// a shell: the caller then has to ask a person.

export interface ShellWord {
  text: string;
  /** Where a wildcard begins that the shell would expand, if there is one. */
  wildcardAt?: number;
}

export interface SimpleCommand {
  words: ShellWord[];
  /** The operator before it. */
  joint: "" | "\n" | ";" | "|" | "||" | "&&";
  /** The file that its output goes to. */
  into?: { path: ShellWord; appends: boolean };
  /** Its here-document, verbatim. */
  document?: string;
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/u;
// Redirections, substitutions, groups, braces: each of them can do anything.
const REFUSED = new Set([..."<>(){}$`"]);
const REFUSED_AT_START = new Set([..."~#!"]);
// The only redirections that write nothing: to /dev/null, and stderr to stdout.
const QUIET = /^(?:[12]?>{1,2} *\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/u;
// Nobody escapes anything else in a file name.
const IN_NAMES = new Set([..." '\"()[]"]);
const WILDCARDS = new Set([..."*?["]);
const OUTPUT = /^>{1,2}(?![>&|(])/u;
// Quoted: nothing in the document is expanded.
const DOCUMENT = /^<<[ \t]*(?:'([\w.-]+)'|"([\w.-]+)")(?=[ \t\n;|&>]|$)/u;

/** Undefined if there is any redirection. */
export function splitCommand(command: string): ShellWord[][] | undefined {
  return split(command, false)?.map(({ words }) => words);
}

/** Also accepts output into one file, and a quoted here-document. */
export function splitWriting(command: string): SimpleCommand[] | undefined {
  return split(command, true);
}

function split(command: string, mayWrite: boolean): SimpleCommand[] | undefined {
  if (CONTROL.test(command)) return undefined;
  const commands: SimpleCommand[] = [];
  let current: SimpleCommand = { words: [], joint: "" };
  let word: ShellWord | undefined;
  let appends: boolean | undefined;
  let delimiter: string | undefined;
  const endWord = () => {
    if (word !== undefined && appends !== undefined) current.into = { path: word, appends };
    else if (word !== undefined) current.words.push(word);
    if (word !== undefined) appends = undefined;
    word = undefined;
  };
  /** False if there is no command, or if the file for its output is missing. */
  const endCommand = (joint: SimpleCommand["joint"]) => {
    endWord();
    if (current.words.length === 0 || appends !== undefined) return false;
    commands.push(current);
    current = { words: [], joint };
    return true;
  };
  const add = (text: string) => {
    word = { ...word, text: (word?.text ?? "") + text };
  };

  let at = 0;
  while (at < command.length) {
    const character = command[at] as string;
    // A number right before it would select another stream.
    const endsHere = word === undefined || (mayWrite && character === ">" && !/^\d*$/u.test(word.text));
    const rest = endsHere && current.words.length > 0 ? command.slice(at) : "";
    const [quiet] = QUIET.exec(rest) ?? [];
    const [output] = mayWrite ? (OUTPUT.exec(rest) ?? []) : [];
    const found = mayWrite ? DOCUMENT.exec(rest) : null;
    if (quiet !== undefined && appends === undefined) at += quiet.length - 1;
    else if (output !== undefined && appends === undefined && current.into === undefined) {
      endWord();
      appends = output === ">>";
      at += output.length - 1;
    } else if (found !== null && appends === undefined && delimiter === undefined) {
      delimiter = found[1] ?? found[2];
      at += found[0].length - 1;
    } else if (character === " " || character === "\t") endWord();
    else if (character === "'" || character === '"') {
      const quoted = character === "'" ? singleQuoted(command, at) : doubleQuoted(command, at);
      if (quoted === undefined) return undefined;
      add(quoted.text);
      at = quoted.end;
    } else if (character === "\\") {
      const escaped = command[at + 1] ?? "";
      if (!IN_NAMES.has(escaped)) return undefined;
      add(escaped);
      at += 1;
    } else if (character === "\n") {
      if (delimiter !== undefined) {
        const document = documentAt(command, at + 1, delimiter);
        if (document === undefined) return undefined;
        current.document = document.text;
        delimiter = undefined;
        at = document.end;
      }
      if (!endCommand("\n") && appends !== undefined) return undefined;
    } else if (character === ";" || character === "|" || character === "&") {
      const operator = operatorAt(command, at);
      // The document would belong to the command before.
      if (operator === undefined || delimiter !== undefined || !endCommand(operator)) return undefined;
      at += operator.length - 1;
    } else if (REFUSED.has(character) || (word === undefined && REFUSED_AT_START.has(character))) {
      return undefined;
    } else {
      const start = word?.text.length ?? 0;
      add(character);
      if (WILDCARDS.has(character) && word !== undefined) (word as ShellWord).wildcardAt ??= start;
    }
    at += 1;
  }
  const endsOpen = /(?:&&|\|)\s*$/u.test(command) || delimiter !== undefined;
  if (!endCommand("") && appends !== undefined) return undefined;
  return endsOpen || commands.length === 0 ? undefined : commands;
}

/** `;`, `|`, `||` and `&&`; undefined for `&` and anything else. */
function operatorAt(command: string, at: number): SimpleCommand["joint"] | undefined {
  const [operator = ""] = /^[;|&]+/u.exec(command.slice(at, at + 3)) ?? [];
  return operator === ";" || operator === "|" || operator === "||" || operator === "&&"
    ? operator
    : undefined;
}

/** The document from a line on up to its delimiter, and where the delimiter's line ends. */
function documentAt(
  command: string,
  from: number,
  delimiter: string,
): { text: string; end: number } | undefined {
  for (let start = from; start <= command.length; ) {
    const next = command.indexOf("\n", start);
    const end = next < 0 ? command.length : next;
    if (command.slice(start, end) === delimiter) return { text: command.slice(from, start), end };
    start = end + 1;
  }
  return undefined;
}

function singleQuoted(command: string, at: number): { text: string; end: number } | undefined {
  const end = command.indexOf("'", at + 1);
  return end < 0 ? undefined : { text: command.slice(at + 1, end), end };
}

function doubleQuoted(command: string, from: number): { text: string; end: number } | undefined {
  let text = "";
  for (let at = from + 1; at < command.length; at++) {
    const character = command[at] as string;
    if (character === '"') return { text, end: at };
    if (character === "$" || character === "`") return undefined;
    const next = command[at + 1];
    if (character === "\\" && next === "\n") return undefined;
    if (character === "\\" && next !== undefined && '$`"\\'.includes(next)) at += 1;
    text += command[at];
  }
  return undefined;
}
