// Whether a command that only reads would show a file that looks secret: then it is asked about, too.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { looksSecret, type ShellWord as Word } from "sotto/internal";
import { isSecret } from "../files/open-file.ts";

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
