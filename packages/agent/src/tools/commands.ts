// Which commands run without asking: those that only read, and those the user allowed.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { argumentsOnlyRead, looksSecret, splitCommand, type ShellWord as Word } from "sotto/internal";
import { type AgentFileAccess, absolute, isInside, isSecret } from "./files/access.ts";
import { createReadRules } from "./files/denied.ts";

// Programs whose second word names the action. For all others, a prefix would allow too much.
const FAMILIES = new Set([
  "git",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "cargo",
  "go",
  "make",
  "gradle",
  "mvn",
  "dotnet",
]);
// These can run any program.
const OPEN_ENDED = new Set(["exec", "x", "dlx", "run", "explore", "bisect", "rebase", "config", "submodule"]);
const PLAIN_WORD = /^[a-z][\w:.-]*$/iu;

export interface AllowedCommands {
  /** Prefixes of whole words: `npm test` allows `npm test -- --watch`. */
  allowedCommands: readonly string[];
  /** Whole commands, compared exactly. */
  allowedExactly: ReadonlySet<string>;
}

export function changesNothing(command: string, access: AgentFileAccess): boolean {
  return splitCommand(command)?.every((words) => onlyReads(words, access)) ?? false;
}

export function isCommandAllowed(
  command: string,
  allowed: AllowedCommands,
  access: AgentFileAccess,
): boolean {
  if (allowed.allowedExactly.has(command.trim())) return true;
  const commands = splitCommand(command);
  return commands?.every((words) => onlyReads(words, access) || hasPrefix(words, allowed)) ?? false;
}

/** The prefixes that "always" allows for a command; undefined: only the command itself. */
export function prefixesOf(command: string, access: AgentFileAccess): string[] | undefined {
  const commands = splitCommand(command)?.filter((words) => !onlyReads(words, access));
  const prefixes = commands?.map(prefixOf) ?? [undefined];
  return prefixes.every((prefix) => prefix !== undefined) ? prefixes : undefined;
}

function prefixOf([program, subcommand, script]: Word[]): string | undefined {
  if (program === undefined || subcommand === undefined || !FAMILIES.has(program.text)) return undefined;
  if (!PLAIN_WORD.test(subcommand.text)) return undefined;
  const prefix = `${program.text} ${subcommand.text}`;
  if (!OPEN_ENDED.has(subcommand.text)) return prefix;
  const isScript = /^(?:npm|pnpm|yarn|bun) run$/u.test(prefix) && PLAIN_WORD.test(script?.text ?? "");
  return isScript ? `${prefix} ${script?.text}` : undefined;
}

function hasPrefix(words: readonly Word[], { allowedCommands }: AllowedCommands): boolean {
  return allowedCommands.some((prefix) => {
    const wanted = prefix.trim().split(/\s+/u);
    if (wanted[0] === "") return false;
    return wanted.every(
      (text, index) => words[index]?.text === text && words[index]?.wildcardAt === undefined,
    );
  });
}

// Whether a simple command only reads, stays in the project, and shows no secrets.

// Options of read-only programs that leave the project, follow links out of it, or take the names of files to read from
// a file. For Git, only the listed subcommands are checked for secrets.
const CHECKED_LIST = /^-[a-z]*c|^--c/u;
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  cd: /^/u,
  grep: /^-[a-zA-Z]*R|^--deref/u,
  rg: /^--follow|^-[a-zA-Z]*L/u,
  find: /^-(?:follow|L|files0)/u,
  tree: /^-[a-zA-Z]*l/u,
  wc: /^--f/u,
  du: /^--f/u,
  md5sum: CHECKED_LIST,
  sha1sum: CHECKED_LIST,
  sha256sum: CHECKED_LIST,
  // It reads its arguments from that file, and prints those that are no files.
  strings: /^@/u,
};
const GIT_JUDGED = new Set(
  "status diff log show blame ls-files rev-parse shortlog describe branch remote".split(" "),
);
// A jq program can read the environment and any file: only paths through its input are known to do neither.
const JQ_OPTION = /^-[rcsSeMaj]+$/u;
const JQ_PATH = /^(?:\.[a-z_]\w*\b|\.(?![a-z_])|\[\d*\]|\["[^"\\]*"\]|[?|,\s]|(?:keys|length|type)\b)+$/iu;
// Programs that walk whole directories could read denied files.
const GOES_THROUGH = new Set(["rg", "git", "find", "du", "tree"]);

export function onlyReads(words: readonly Word[], access: AgentFileAccess): boolean {
  const [program, ...rest] = words;
  if (program === undefined) return false;
  const parameters = rest.map(({ text }) => text);
  if (!argumentsOnlyRead(words) || leadsOut(program.text, parameters)) return false;
  if ((access.denyRead?.length ?? 0) > 0 && (GOES_THROUGH.has(program.text) || isRecursive(parameters)))
    return false;
  if (!rest.every((word) => staysInside(word, access))) return false;
  // In this order: ask Git about files only when it cannot run other programs.
  if (program.text === "git" && runsPrograms(access.cwd)) return false;
  return !showsSecrets(words, access.cwd);
}

function leadsOut(program: string, parameters: readonly string[]): boolean {
  if (program === "jq") return !followsPath(parameters);
  if (program === "git") return !GIT_JUDGED.has(parameters[0] ?? "");
  const refused = Object.hasOwn(LEADS_OUT, program) ? LEADS_OUT[program] : undefined;
  return refused !== undefined && parameters.some((one) => refused.test(one));
}

function followsPath(parameters: readonly string[]): boolean {
  const [filter = "", ...files] = parameters.filter((one) => !JQ_OPTION.test(one));
  return JQ_PATH.test(filter) && !files.some((one) => /^[-*?[]/u.test(one));
}

function isRecursive(parameters: string[]): boolean {
  return parameters.some((one) => /^-[a-zA-Z]*r|^--(?:rec|deref)/iu.test(one));
}

/** Whether the file a word names, if there is one, is inside the project and may be read. */
function staysInside({ text, wildcardAt }: Word, access: AgentFileAccess): boolean {
  if (wildcardAt !== undefined) return wildcardStaysInside(text, wildcardAt, access);
  // Options can include their value.
  const values = text.startsWith("-")
    ? [text.replace(/^-+[\w-]*=?/u, ""), text.replace(/^-\w/u, "")]
    : [text];
  return values.every((value) => value === "" || isAllowed(resolve(access.cwd, value), access));
}

/** Allows wildcards only in the last part of a path, and only when no match leads out of the project. */
function wildcardStaysInside(text: string, at: number, access: AgentFileAccess): boolean {
  if (text.slice(at).includes("/") || text.startsWith("-")) return false;
  const directory = resolve(access.cwd, dirname(`${text.slice(0, at)}x`));
  if (!isAllowed(directory, access)) return false;
  try {
    return readdirSync(directory).every((name) => isAllowed(join(directory, name), access));
  } catch {
    return true;
  }
}

function isAllowed(path: string, access: AgentFileAccess): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // It does not exist, or is a dangling link.
    return !isThere(path);
  }
  const roots = [access.cwd, ...access.extraDirectories.map((one) => absolute(one, access.cwd))];
  return roots.some((root) => isInside(real, realOr(root))) && mayBeRead(path, real, access);
}

/** For a directory, checks its entries: programs may list or read them. */
function mayBeRead(path: string, real: string, access: AgentFileAccess): boolean {
  if ((access.denyRead?.length ?? 0) === 0) return true;
  const isDenied = createReadRules(access);
  if (isDenied(path)) return false;
  if (!lstatSync(real).isDirectory()) return true;
  return readdirSync(real).every((name) => !isDenied(join(path, name)));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

// Whether a read-only command would show a file that looks secret: then the user is asked, too.

// These never show file contents.
const NAMES_ONLY = new Set(
  "ls pwd echo printf which true false basename dirname realpath stat find du df tr date whoami uname".split(
    " ",
  ),
);
const MOST_ENTRIES = 20_000;
// Installed packages are public.
const PASSED_OVER = new Set([".git", "node_modules"]);

export function showsSecrets(words: readonly Word[], cwd: string): boolean {
  const [program, ...rest] = words;
  const parameters = rest.map(({ text }) => text);
  if (program === undefined) return false;
  // --files0-from reads names from a file and prints the invalid ones.
  if (NAMES_ONLY.has(program.text) && !parameters.some((one) => one.includes("files0"))) return false;
  if (program.text === "git") return gitShowsSecrets(parameters, cwd);
  if (rest.some((word) => namesSecret(word, cwd))) return true;
  return goesThrough(program.text, parameters) && placesOf(parameters, cwd).some(holdsSecret);
}

function goesThrough(program: string, parameters: readonly string[]): boolean {
  if (program === "rg") return true;
  // Includes `-d recurse`.
  return (
    /^(?:grep|diff)$/u.test(program) && parameters.some((one) => /^-[a-z]*[rd]|^--(?:rec|dir)/iu.test(one))
  );
}

function namesSecret({ text, wildcardAt }: Word, cwd: string): boolean {
  if (wildcardAt !== undefined) return wildcardNamesSecret(text.slice(0, wildcardAt), cwd);
  // A word that is not a file may be a pattern: `grep token src`.
  return valuesOf(text).some((value) => existsSync(resolve(cwd, value)) && isSecret(value, cwd));
}

/** Like a shell, matches dot files only when the dot is written. */
function wildcardNamesSecret(start: string, cwd: string): boolean {
  const directory = resolve(cwd, dirname(`${start}x`));
  const name = start.slice(start.lastIndexOf("/") + 1);
  try {
    return readdirSync(directory).some(
      (one) =>
        one.startsWith(name) && (name !== "" || !one.startsWith(".")) && isSecret(join(directory, one), cwd),
    );
  } catch {
    return false;
  }
}

/** Options can include their value. */
function valuesOf(text: string): string[] {
  const values = text.startsWith("-")
    ? [text.replace(/^-+[\w-]*=?/u, ""), text.replace(/^-\w/u, "")]
    : [text];
  return values.filter((value) => value !== "");
}

function placesOf(parameters: readonly string[], cwd: string): string[] {
  const named = parameters
    .map((one) => resolve(cwd, one))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  return named.length === 0 ? [cwd] : named;
}

/** True as well when there are too many entries to check. */
function holdsSecret(root: string): boolean {
  const left = [root];
  let looked = 0;
  for (let directory = left.pop(); directory !== undefined; directory = left.pop()) {
    for (const entry of entriesOf(directory)) {
      if (++looked > MOST_ENTRIES) return true;
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) left.push(path);
      else if (!entry.isDirectory() && looksSecret(path)) return true;
    }
  }
  return false;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

const GIT_SHOWING = new Set(["diff", "log", "show"]);
const GIT_NAMES = /^--(?:name-only|name-status|stat|shortstat|numstat)$/u;
const GIT_PLAIN =
  /^(?:-\d+|-n\d*|--(?:oneline|graph|all|decorate|no-merges|merges|follow|reverse|abbrev-commit|first-parent|no-color|cached|staged)|--(?:max-count|format|pretty|since|until|after|before|author|grep|date)=.*)$/u;

/** Asks Git which files the same command would show, including earlier versions and deleted files. */
function gitShowsSecrets([subcommand = "", ...parameters]: readonly string[], cwd: string): boolean {
  if (subcommand === "status") return parameters.some((one) => /^-[a-z]*v|^--v/u.test(one));
  if (subcommand === "blame") return parameters.some((one) => namesSecretInGit(one, cwd));
  if (!GIT_SHOWING.has(subcommand)) return false;
  const end = parameters.indexOf("--");
  const options = (end < 0 ? parameters : parameters.slice(0, end)).filter((one) => one.startsWith("-"));
  const isPlain = options.every((one) => GIT_PLAIN.test(one) || GIT_NAMES.test(one));
  const isBlobShown = parameters.some((one) => !one.startsWith("-") && isBlob(one, cwd));
  if (isPlain && !isBlobShown && (subcommand === "log" || options.some((one) => GIT_NAMES.test(one))))
    return false;
  if (parameters.some((one) => namesSecretInGit(one, cwd))) return true;
  // A blob named by its hash has no file name to check.
  if (parameters.some((one) => !one.includes(":") && isBlob(one, cwd))) return true;
  if (isBlobShown) return false;
  // These options would print something before the names.
  if (options.some((one) => /^--(?:l|gra)/u.test(one))) return true;
  const format = subcommand === "diff" ? [] : ["--format="];
  const listed = askGit(cwd, [subcommand, "--name-only", "-z", "--no-renames", ...format, ...parameters]);
  if (listed === undefined) return true;
  // 1: there are differences. More: unknown, unless there is no repository.
  if (listed.status > 1) return askGit(cwd, ["rev-parse", "--git-dir"])?.status === 0;
  return listed.stdout.split(/[\0\n]/u).some((name) => looksSecret(`/${name.trim()}`));
}

/** `HEAD:.env`, `-L1,5:.env`, `--ignore-revs-file=.env`, `.env`; the file may be deleted. */
function namesSecretInGit(text: string, cwd: string): boolean {
  return valuesOf(text)
    .map((value) => value.slice(value.lastIndexOf(":") + 1))
    .some((path) => path !== "" && (looksSecret(`/${path}`) || isSecret(path, cwd)));
}

function isBlob(text: string, cwd: string): boolean {
  return !text.startsWith("-") && askGit(cwd, ["cat-file", "-t", text])?.stdout.trim() === "blob";
}

// Whether a repository makes Git run programs even for read-only commands: its configuration can name a watcher, a pager,
// filters, diff drivers and more, and there are hooks. The user's own settings are trusted.

const LIMIT_MS = 2000;
const MOST_BYTES = 1024 * 1024;

// Settings that name no program. Git keeps adding settings: ask about all others.
const HARMLESS = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|hookspath)$/u,
  /^core\.(?:autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|protecthfs|protectntfs|trustctime|checkstat|whitespace)$/u,
  /^core\.(?:untrackedcache|splitindex|preloadindex|commitgraph|multipackindex|sparsecheckout|sparsecheckoutcone)$/u,
  /^remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|gh-resolved)$/u,
  /^submodule\.(?:.*\.)?(?:url|active|branch|ignore|recurse|fetchjobs|fetchrecursesubmodules)$/u,
  /^(?:branch|user|author|committer|color|column|extensions|advice|lfs|gui|gc|index|feature|rerere)\./u,
  /^(?:pull|push|fetch|rebase|merge|status|log|commit|tag|blame|init|pack|transfer|i18n|format|stash|checkout)\.\w+$/u,
  /^maintenance\.(?:auto|strategy)$/u,
  /^diff\.(?!external$)\w+$/u,
];
const SWITCH = /^(?:true|false|yes|no|on|off|0|1|)$/iu;
/** The values that `git lfs install --local` writes. */
const LFS = /^(?:git-lfs (?:clean -- %f|smudge(?: --skip)? -- %f|filter-process(?: --skip)?)|true|false)$/u;
// The only hook that read-only commands can trigger, because they refresh the index.
const HOOK = "hooks/post-index-change";

/** True as well when Git does not answer in time or prints too much. */
export function runsPrograms(cwd: string): boolean {
  const listed = askGit(cwd, ["config", "--list", "--show-scope", "-z"]);
  if (listed?.status !== 0) return true;
  const parts = listed.stdout.split("\0");
  for (let at = 0; at + 1 < parts.length; at += 2)
    if (!/^(?:system|global)$/u.test(parts[at] ?? "") && !isHarmless(parts[at + 1] ?? "")) return true;
  const hook = askGit(cwd, ["rev-parse", "--git-path", HOOK]);
  if (hook === undefined) return true;
  // Without a repository there is nothing to run.
  return hook.status === 0 && existsSync(resolve(cwd, hook.stdout.replace(/\n$/u, "")));
}

/** `entry`: a key, a line feed and the value; a key alone means true. */
function isHarmless(entry: string): boolean {
  const end = entry.indexOf("\n");
  const key = end < 0 ? entry : entry.slice(0, end);
  const value = end < 0 ? "true" : entry.slice(end + 1);
  if (key === "core.fsmonitor") return SWITCH.test(value);
  if (key.startsWith("filter.lfs.")) return LFS.test(value);
  return HARMLESS.some((form) => form.test(key));
}

/** Limited in time and size; undefined when Git did not answer. */
export function askGit(cwd: string, parameters: string[]): { status: number; stdout: string } | undefined {
  const { status, stdout, error } = spawnSync("git", parameters, {
    cwd,
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MOST_BYTES,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return error !== undefined || status === null ? undefined : { status, stdout };
}
