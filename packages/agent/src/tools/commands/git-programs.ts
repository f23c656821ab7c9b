// Whether a repository has Git run programs of its choice, even where a command only reads: its configuration can name
// a watcher, a pager, filters, diff drivers and more, and so can a hook. The user's own settings are not looked at.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

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
