// Code that is passed to an interpreter as text, `node -e`: what it runs cannot be followed, only that it runs something.

import { baseName } from "./conventions.ts";

const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|[gm]?awk)$/u;
const AWK = /^[gm]?awk$/u;
const HAS_BACKTICKS = /^(?:perl|ruby|php)$/u;
const CODE_OPTION = /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)$/u;
const ATTACHED = /^(?:-[a-zA-Z]*?[ceEr]|--(?:eval|print)=)(.{3,})$/su;
/** It reads a program from its input, or says something about itself. */
const NO_INPUT = /^(?:-[a-zA-Z]*[cmeEprvVh]|--\w)/u;
// What these load is written out, and counts as a name.
const LOADED =
  /\b(?:require(?:_\w+)?|import|include(?:_once)?)\s*\(?\s*(["'])(?!(?:node:)?child_process)[^"'`$\\]{0,500}\1\s*(?=[);}\n]|$)/gu;
const RUNS =
  /\b(?:os\.system|system|exec\w*|spawn\w*|popen\w*|subprocess|child_process|chdir|importlib|__import__|import_module|runpy|eval|Function|dofile|loadfile|qx|require\w*|include\w*)\b|\bimport\s*\(|%x\b/iu;
const HEREDOC = /(?:^|[\s;|&(/])(node|python[\d.]*|ruby|perl|php|lua)\b[^\n;|&]{0,500}<</u;

/** The interpreter whose code runs or loads what is not written out. */
export function runningCode(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => INTERPRETER.test(baseName(word)));
  if (at === -1) return undefined;
  const name = baseName(words[at] as string);
  const given = words.slice(at + 1);
  const code = given.filter(
    (word, index) => CODE_OPTION.test(given[index - 1] ?? "") || ATTACHED.test(word) || AWK.test(name),
  );
  return code.some((one) => runs(one, name)) ? name : undefined;
}

/** The interpreter that takes its program from a text below, `python3 <<E`, that runs something. */
export function codeBelow(text: string): string | undefined {
  const [, name] = HEREDOC.exec(text) ?? [];
  return name !== undefined && runs(text, name) ? name : undefined;
}

/** The interpreter that takes its program from a pipe. */
export function codeFromInput(words: readonly string[]): string | undefined {
  const name = baseName(words[0] ?? "");
  const isInput = words.slice(1).every((word) => word.startsWith("-") && !NO_INPUT.test(word));
  return isInput && INTERPRETER.test(name) && !/^(?:bun|deno|tsx|ts-node)$|awk/u.test(name)
    ? name
    : undefined;
}

function runs(code: string, name: string): boolean {
  if (AWK.test(name) && /\|\s*(?:getline|")|"\s*\|/u.test(code)) return true;
  return (HAS_BACKTICKS.test(name) && code.includes("`")) || RUNS.test(code.replace(LOADED, ""));
}
