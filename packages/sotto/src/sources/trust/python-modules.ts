// What Python imports from the directory it is started in: with `-m`, `-c` or its input as the program, or a PYTHONPATH,
// every module there comes before Python's own of the same name.

const PYTHON = /^(?:python|pypy)[\d.]*$/u;
const ISOLATED = /^-[a-zA-Z]*[IP]/u;
const IMPORTS = /\b(?:import|from)\s+([\w.]+(?:\s*,\s*[\w.]+)*)(?:\s+import\s+([\w]+(?:\s*,\s*\w+)*))?/gu;
/** Any module in a directory. */
const MODULES = ["*.py", "*.pyc", "*.so", "*/__init__.py"];
const MOST_IMPORTS = 100;

/** Files and globs. */
export function pythonModules(words: readonly string[], hasPath: boolean): string[] {
  const at = words.findIndex((word) => PYTHON.test(word.slice(word.lastIndexOf("/") + 1)));
  if (at === -1) return hasPath ? MODULES : [];
  const given = words.slice(at + 1);
  const script = given.findIndex((word) => !/^-./u.test(word) || /^-[a-zA-Z]*[cm]/u.test(word));
  const [, kind, attached = ""] = /^-[a-zA-Z]*?([cm])(.*)$/su.exec(given[script] ?? "") ?? [];
  const value = attached === "" ? (given[script + 1] ?? "") : attached;
  const isInput = script === -1 || given[script] === "-";
  const own = kind === "m" ? runFiles(value) : kind === "c" ? imports(value) : [];
  const isIsolated = given.some((word) => ISOLATED.test(word)) && !hasPath;
  return isIsolated || !(hasPath || isInput || kind !== undefined) ? own : [...own, ...MODULES];
}

function runFiles(name: string): string[] {
  return [...moduleFiles(name), `${name.replaceAll(".", "/")}/__main__.py`];
}

/** With the packages that it is in. */
function moduleFiles(name: string): string[] {
  const parts = name.split(".");
  const packages = parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/__init__.py`);
  return [`${parts.join("/")}.py`, ...packages];
}

function imports(code: string): string[] {
  const names = [...code.matchAll(IMPORTS)].flatMap(([, modules = "", members = ""]) => [
    ...list(modules),
    ...list(members).map((member) => `${modules.trim()}.${member}`),
  ]);
  return names.slice(0, MOST_IMPORTS).flatMap(moduleFiles);
}

function list(text: string): string[] {
  return text.split(/[\s,]+/u).filter((one) => one !== "");
}
