// What Git commands that only read would show, and whether the repository makes Git run programs.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { looksSecret } from "sotto/internal";
import { valuesOf } from "./command-words.ts";
import { isSecret } from "./files/access.ts";

const GIT_SHOWING = new Set(["diff", "log", "show"]);
const GIT_NAMES = /^--(?:name-only|name-status|stat|shortstat|numstat)$/u;
const GIT_PLAIN =
  /^(?:-\d+|-n\d*|--(?:oneline|graph|all|decorate|no-merges|merges|follow|reverse|abbrev-commit|first-parent|no-color|cached|staged)|--(?:max-count|format|pretty|since|until|after|before|author|grep|date)=.*)$/u;

/** Asks Git which files the same command would show, including earlier versions and deleted files. */
export function gitShowsSecrets([subcommand = "", ...parameters]: readonly string[], cwd: string): boolean {
  if (subcommand === "status") return parameters.some((one) => /^-[a-z]*v|^--v/u.test(one));
  if (subcommand === "blame") return parameters.some((one) => namesSecretInGit(one, cwd));
  if (subcommand === "remote") return parameters.length > 0 && remotesHavePassword(cwd);
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

// `https://user:password@host`, a token instead of the user, or in the query; actions/checkout keeps one in a header. A
// short name alone, as in `ssh://git@host`, is none.
const PASSWORD = /:\/\/(?:[^\s/@:"]*:[^\s/@"]+|[^\s/@:"]{20,})@|[?&]\w*token=|extraheader/iu;

/** True as well when Git cannot read the file in time. */
export function settingsHavePassword(path: string): boolean {
  const listed = askGit(dirname(path), ["config", "--file", path, "--list"]);
  return listed?.status !== 0 || PASSWORD.test(listed.stdout);
}

/** As Git shows them: the user's own settings can add a password to an address. */
function remotesHavePassword(cwd: string): boolean {
  const listed = askGit(cwd, ["remote", "-v"]);
  return listed === undefined || PASSWORD.test(listed.stdout);
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
function askGit(cwd: string, parameters: string[]): { status: number; stdout: string } | undefined {
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
