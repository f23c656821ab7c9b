// Which commands may run without a question: those that only read, and those a person has allowed.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { looksSecret, splitCommand, type ShellWord as Word, wordsOnlyRead } from "sotto/internal";
import { type AgentFileAccess, absolute, isInside, isSecret } from "./files/access.ts";
import { createReadRules } from "./files/denied.ts";

// Programs whose second word says what they do; of all others, a prefix would allow too much.
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
// What follows these is any program at all.
const OPEN_ENDED = new Set(["exec", "x", "dlx", "run", "explore", "bisect", "rebase", "config", "submodule"]);
const PLAIN_WORD = /^[a-z][\w:.-]*$/iu;

export interface AllowedCommands {
  /** Prefixes, by whole words: `npm test` allows `npm test -- --watch`. */
  allowedCommands: readonly string[];
  /** Whole commands, to the letter. */
  allowedExactly: ReadonlySet<string>;
}

export function changesNothing(command: string, ground: AgentFileAccess): boolean {
  return splitCommand(command)?.every((words) => onlyReads(words, ground)) ?? false;
}

export function isCommandAllowed(
  command: string,
  allowed: AllowedCommands,
  ground: AgentFileAccess,
): boolean {
  if (allowed.allowedExactly.has(command.trim())) return true;
  const commands = splitCommand(command);
  return commands?.every((words) => onlyReads(words, ground) || hasPrefix(words, allowed)) ?? false;
}

/** What a person allows by allowing such a command for good: prefixes, or nothing but the command itself. */
export function prefixesOf(command: string, ground: AgentFileAccess): string[] | undefined {
  const commands = splitCommand(command)?.filter((words) => !onlyReads(words, ground));
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

// Whether a simple command only reads, only in the project, and no secrets: then nobody has to be asked.

// Of what only reads, these go elsewhere or through links that lead out of the project, or are Git's ways to show what
// nobody here looks into for secrets.
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  cd: /^/u,
  grep: /^-[a-zA-Z]*R|^--deref/u,
  rg: /^--follow|^-[a-zA-Z]*L/u,
  find: /^-(?:follow|L|files0)/u,
  tree: /^-[a-zA-Z]*l/u,
};
const GIT_JUDGED = new Set(
  "status diff log show blame ls-files rev-parse shortlog describe branch remote".split(" "),
);
// With rules about what may not be read, what goes through whole directories could come upon it.
const GOES_THROUGH = new Set(["rg", "git", "find", "du", "tree"]);

export function onlyReads(words: readonly Word[], ground: AgentFileAccess): boolean {
  const [program, ...rest] = words;
  if (program === undefined) return false;
  const parameters = rest.map(({ text }) => text);
  if (!wordsOnlyRead(words) || leadsOut(program.text, parameters)) return false;
  if ((ground.denyRead?.length ?? 0) > 0 && (GOES_THROUGH.has(program.text) || isRecursive(parameters)))
    return false;
  if (!rest.every((word) => staysInside(word, ground))) return false;
  // In this order: Git is asked about the files only where it runs nothing else.
  if (program.text === "git" && runsPrograms(ground.cwd)) return false;
  return !showsSecrets(words, ground.cwd);
}

function leadsOut(program: string, parameters: readonly string[]): boolean {
  if (program === "git") return !GIT_JUDGED.has(parameters[0] ?? "");
  const refused = Object.hasOwn(LEADS_OUT, program) ? LEADS_OUT[program] : undefined;
  return refused !== undefined && parameters.some((one) => refused.test(one));
}

function isRecursive(parameters: string[]): boolean {
  return parameters.some((one) => /^-[a-zA-Z]*r|^--(?:rec|deref)/iu.test(one));
}

/** What a word names, if it names anything that exists, is inside the project and may be read. */
function staysInside({ text, wildcardAt }: Word, ground: AgentFileAccess): boolean {
  if (wildcardAt !== undefined) return wildcardStaysInside(text, wildcardAt, ground);
  // Options can have their value behind them.
  const values = text.startsWith("-")
    ? [text.replace(/^-+[\w-]*=?/u, ""), text.replace(/^-\w/u, "")]
    : [text];
  return values.every((value) => value === "" || isAllowed(resolve(ground.cwd, value), ground));
}

/** Only in the last part of a path; links that lead out must not be among what it can become. */
function wildcardStaysInside(text: string, at: number, ground: AgentFileAccess): boolean {
  if (text.slice(at).includes("/") || text.startsWith("-")) return false;
  const directory = resolve(ground.cwd, dirname(`${text.slice(0, at)}x`));
  if (!isAllowed(directory, ground)) return false;
  try {
    return readdirSync(directory).every((name) => isAllowed(join(directory, name), ground));
  } catch {
    return true;
  }
}

function isAllowed(path: string, ground: AgentFileAccess): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // Not there, or a link that leads nowhere yet.
    return !isThere(path);
  }
  const roots = [ground.cwd, ...ground.extraDirectories.map((one) => absolute(one, ground.cwd))];
  return roots.some((root) => isInside(real, realOr(root))) && mayBeRead(path, real, ground);
}

/** Of a directory, what is in it: its names are shown, and some programs read the files. */
function mayBeRead(path: string, real: string, ground: AgentFileAccess): boolean {
  if ((ground.denyRead?.length ?? 0) === 0) return true;
  const isDenied = createReadRules(ground);
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

// Whether a command that only reads would show a file that looks secret: then it is asked about, too.

// They show names, sizes or their own words, nothing that is in a file.
const NAMES_ONLY = new Set(
  "ls pwd echo printf which true false basename dirname realpath stat find du df tr date whoami uname".split(
    " ",
  ),
);
const MOST_ENTRIES = 20_000;
// Installed code is what others publish.
const PASSED_OVER = new Set([".git", "node_modules"]);

export function showsSecrets(words: readonly Word[], cwd: string): boolean {
  const [program, ...rest] = words;
  const parameters = rest.map(({ text }) => text);
  if (program === undefined) return false;
  // An option that has a file list names: what is no name in there is shown in the complaint about it.
  if (NAMES_ONLY.has(program.text) && !parameters.some((one) => one.includes("files0"))) return false;
  if (program.text === "git") return gitShowsSecrets(parameters, cwd);
  if (rest.some((word) => namesSecret(word, cwd))) return true;
  return goesThrough(program.text, parameters) && placesOf(parameters, cwd).some(holdsSecret);
}

function goesThrough(program: string, parameters: readonly string[]): boolean {
  if (program === "rg") return true;
  // `-d recurse`, too.
  return (
    /^(?:grep|diff)$/u.test(program) && parameters.some((one) => /^-[a-z]*[rd]|^--(?:rec|dir)/iu.test(one))
  );
}

function namesSecret({ text, wildcardAt }: Word, cwd: string): boolean {
  if (wildcardAt !== undefined) return wildcardNamesSecret(text.slice(0, wildcardAt), cwd);
  // A word that is no file is a pattern or the like: `grep token src`.
  return valuesOf(text).some((value) => existsSync(resolve(cwd, value)) && isSecret(value, cwd));
}

/** What begins like that; names with a dot in front only if the dot is written. */
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

/** Options can have their value behind them. */
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

/** In doubt yes: where there is too much to look at. */
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

/** Git is asked which files the very same command would show: also of earlier versions, and of files that are gone. */
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
  // By its hash, a file has no name to judge it by.
  if (parameters.some((one) => !one.includes(":") && isBlob(one, cwd))) return true;
  if (isBlobShown) return false;
  // They would put something in front of the names.
  if (options.some((one) => /^--(?:l|gra)/u.test(one))) return true;
  const format = subcommand === "diff" ? [] : ["--format="];
  const listed = askGit(cwd, [subcommand, "--name-only", "-z", "--no-renames", ...format, ...parameters]);
  if (listed === undefined) return true;
  // One: there are differences. More: it cannot be told, unless there is no repository to show anything of.
  if (listed.status > 1) return askGit(cwd, ["rev-parse", "--git-dir"])?.status === 0;
  return listed.stdout.split(/[\0\n]/u).some((name) => looksSecret(`/${name.trim()}`));
}

/** `HEAD:.env`, `-L1,5:.env`, `.env`; it may be gone from the disk. */
function namesSecretInGit(text: string, cwd: string): boolean {
  const path = text.slice(text.lastIndexOf(":") + 1);
  return path !== "" && (looksSecret(`/${path}`) || isSecret(path, cwd));
}

function isBlob(text: string, cwd: string): boolean {
  return !text.startsWith("-") && askGit(cwd, ["cat-file", "-t", text])?.stdout.trim() === "blob";
}

// Whether a repository has Git run programs of its choice, even where a command only reads: its configuration can name
// a watcher, a pager, filters, diff drivers and more, and so can a hook. The user's own settings are not looked at.

const LIMIT_MS = 2000;
const MOST_BYTES = 1024 * 1024;

// Known to name no program. Git gets new settings all the time: what is not listed here is asked about.
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
/** As `git lfs install --local` writes them: the user's own program. */
const LFS = /^(?:git-lfs (?:clean -- %f|smudge(?: --skip)? -- %f|filter-process(?: --skip)?)|true|false)$/u;
// The only hook that commands which read can set off: they write down what they learned of the files.
const HOOK = "hooks/post-index-change";

/** In doubt yes: if Git does not answer in time, or says too much. */
export function runsPrograms(cwd: string): boolean {
  const listed = askGit(cwd, ["config", "--list", "--show-scope", "-z"]);
  if (listed?.status !== 0) return true;
  const parts = listed.stdout.split("\0");
  for (let at = 0; at + 1 < parts.length; at += 2)
    if (!/^(?:system|global)$/u.test(parts[at] ?? "") && !isHarmless(parts[at + 1] ?? "")) return true;
  const hook = askGit(cwd, ["rev-parse", "--git-path", HOOK]);
  if (hook === undefined) return true;
  // Where there is no repository, there is nothing to run.
  return hook.status === 0 && existsSync(resolve(cwd, hook.stdout.replace(/\n$/u, "")));
}

/** `entry`: a key, a line feed and the value; without both, the key means true. */
function isHarmless(entry: string): boolean {
  const end = entry.indexOf("\n");
  const key = end < 0 ? entry : entry.slice(0, end);
  const value = end < 0 ? "true" : entry.slice(end + 1);
  if (key === "core.fsmonitor") return SWITCH.test(value);
  if (key.startsWith("filter.lfs.")) return LFS.test(value);
  return HARMLESS.some((form) => form.test(key));
}

/** Bounded in time and size; nothing where Git could not answer. */
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
