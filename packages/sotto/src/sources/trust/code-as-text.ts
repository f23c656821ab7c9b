// Code that is passed to an interpreter as text, `node -e`: whether what it runs or loads is all written out in it.

const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|awk|gawk|mawk)$/u;
const AWK = /^[gm]?awk$/u;
const CODE_OPTION = /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)$/u;
const ATTACHED = /^-[a-zA-Z]*?[ceEr](.{3,})$/su;
const CALL =
  /\b(?:system|exec\w*|spawn\w*|popen\w*|chdir|require|import|import_module|run|call|check_output|check_call|eval|run_path|run_module|dofile|loadfile|Function)\s*\(|__import__|\bchild_process\b|\bqx\b|%x|(?:system|exec|require|chdir)\s+(?=["'(\w])/giu;
// Literals, also in a list, and nothing joined to them. The escapes of other languages are not read.
const WRITTEN = /^\s*\[?\s*(?:(["'`])[^"'`$\\%]*\1\s*,?\s*)+\]?\s*(?:[),;}]|$)/u;
const MOST_CALLS = 200;

/** The interpreter whose code computes what it runs. */
export function computingCode(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => INTERPRETER.test(baseName(word)));
  const name = baseName(words[at] ?? "");
  const given = words.slice(at + 1);
  const code = given.filter(
    (word, index) => CODE_OPTION.test(given[index - 1] ?? "") || ATTACHED.test(word) || AWK.test(name),
  );
  return at !== -1 && code.some(isComputing) ? name : undefined;
}

function isComputing(code: string): boolean {
  const calls = [...code.matchAll(CALL)];
  return calls.length > MOST_CALLS || calls.some((call) => !isWritten(code, call));
}

function isWritten(code: string, { 0: call, index }: RegExpExecArray): boolean {
  // `require("child_process")` itself runs nothing.
  if (call === "child_process") return true;
  return WRITTEN.test(code.slice(index + call.length, index + call.length + 500));
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
