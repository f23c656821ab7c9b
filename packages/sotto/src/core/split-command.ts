// A shell command as its simple commands, where there is nothing in it that could hide more; else nothing. Understands
// far less than a shell, on purpose: who has to know what a command does asks a person then.

export interface ShellWord {
  text: string;
  /** Where a wildcard begins that the shell would fill in; absent where there is none. */
  wildcardAt?: number;
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/u;
// Redirections, substitutions, groups, braces, escapes: each can do anything.
const REFUSED = new Set([..."<>(){}$`\\"]);
const REFUSED_AT_START = new Set([..."~#!"]);
// The only redirections that write nothing: to nowhere, and errors to where the rest goes.
const QUIET = /^(?:[12]?>{1,2} *\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/u;
const WILDCARDS = new Set([..."*?["]);

export function splitCommand(command: string): ShellWord[][] | undefined {
  if (CONTROL.test(command)) return undefined;
  const commands: ShellWord[][] = [];
  let words: ShellWord[] = [];
  let word: ShellWord | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length === 0) return false;
    commands.push(words);
    words = [];
    return true;
  };
  const add = (text: string) => {
    word = { ...word, text: (word?.text ?? "") + text };
  };

  let at = 0;
  while (at < command.length) {
    const character = command[at] as string;
    const [quiet] = word === undefined && words.length > 0 ? (QUIET.exec(command.slice(at)) ?? []) : [];
    if (quiet !== undefined) at += quiet.length - 1;
    else if (character === " " || character === "\t") endWord();
    else if (character === "'" || character === '"') {
      const quoted = character === "'" ? singleQuoted(command, at) : doubleQuoted(command, at);
      if (quoted === undefined) return undefined;
      add(quoted.text);
      at = quoted.end;
    } else if (character === "\n") endCommand();
    else if (character === ";" || character === "|" || character === "&") {
      const length = operatorLength(command, at);
      if (length === 0 || !endCommand()) return undefined;
      at += length - 1;
    } else if (REFUSED.has(character) || (word === undefined && REFUSED_AT_START.has(character))) {
      return undefined;
    } else {
      const start = word?.text.length ?? 0;
      add(character);
      if (WILDCARDS.has(character) && word !== undefined) (word as ShellWord).wildcardAt ??= start;
    }
    at += 1;
  }
  const endsOpen = /(?:&&|\|)\s*$/u.test(command);
  endCommand();
  return endsOpen || commands.length === 0 ? undefined : commands;
}

/** `;`, `|`, `||` and `&&`; none for what runs in the background or means something else. */
function operatorLength(command: string, at: number): number {
  const [operator = ""] = /^[;|&]+/u.exec(command.slice(at, at + 3)) ?? [];
  return [";", "|", "||", "&&"].includes(operator) ? operator.length : 0;
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
