// The hook files of a user and of a project that may run. Files that are skipped are listed with the reason.

import { errorText } from "../../platform/errors.ts";
import type { Reader } from "../files/reader.ts";
import type { IsTrusted } from "../source.ts";
import type { Takes } from "../trust/outside-project.ts";
import { isAllowed } from "../trust/user-trust-store.ts";
import { type Hook, parseHooks } from "./hook-format.ts";

export interface HookFilesOptions {
  cwd: string;
  home: string;
  /** The user's config directory for Sotto. */
  configDirectory: string;
  reader: Reader;
  takes: Takes;
  /** Whether the commands of a file may run: asked for every file that the user did not write for this agent. */
  isTrusted: IsTrusted;
}

/** What `hooksFor` returns: the hooks that may run, and the files that were left out. */
export interface HookFiles {
  /** From all files that may run, the user's first. */
  hooks: Hook[];
  /** Files whose hooks do not run, and why. */
  leftOut: { path: string; reason: string; needsTrust?: true }[];
  /** Files with mistakes that a person should fix. */
  problems: string[];
}

const MOST_BYTES = 1024 * 1024;
const UNTRUSTED = "its hooks run only once the file is trusted";
// A table for another agent may call Sotto for reminders, which this agent already has.
const OWN_COMMAND = /(?:^|[\s/])sotto(?:-cli)?(?:\.js)?["']?\s+hook\b/u;

const ALWAYS: IsTrusted = () => true;

export async function readHookFiles(options: HookFilesOptions): Promise<HookFiles> {
  const { cwd, home, configDirectory } = options;
  const files: HookFiles = { hooks: [], leftOut: [], problems: [] };
  // Only the first was written for this agent by its user. The others come with a project or were written for another
  // agent, so running them needs a decision.
  const takesUsers = options.takes("user_hooks");
  if (takesUsers) await readOne(`${configDirectory}/hooks.json`, { ...options, isTrusted: ALWAYS }, files);
  for (const path of [
    ...(takesUsers ? [`${home}/.claude/settings.json`] : []),
    `${cwd}/.sotto/hooks.json`,
    `${cwd}/.claude/settings.json`,
    `${cwd}/.claude/settings.local.json`,
  ])
    await readOne(path, options, files);
  return files;
}

async function readOne(path: string, options: HookFilesOptions, files: HookFiles): Promise<void> {
  const content = await contentOf(path, options.reader, files);
  if (content === undefined) return;
  const table = tableIn(content, path, files);
  if (table === undefined) return;
  const { hooks, problems } = parseHooks(table);
  const others = hooks.filter(({ command, args }) => !OWN_COMMAND.test([command, ...(args ?? [])].join(" ")));
  if (others.length === 0 && problems.length === 0) return;
  const mayRun = () => isAllowed(options.isTrusted, path, content);
  if (!(await mayRun())) {
    files.leftOut.push({ path, reason: UNTRUSTED, needsTrust: true });
    return;
  }
  files.hooks.push(
    ...(options.isTrusted === ALWAYS ? others : others.map((hook) => ({ ...hook, isAllowed: mayRun }))),
  );
  files.problems.push(...problems.map((problem) => `${path}: ${problem}`));
}

async function contentOf(path: string, reader: Reader, files: HookFiles): Promise<string | undefined> {
  const read = await reader.read(path, { maxBytes: MOST_BYTES });
  if (read.kind === "missing") return undefined;
  if (read.kind === "text" && !read.truncated) return read.text;
  const why =
    read.kind === "text" ? `it has more than ${MOST_BYTES} bytes` : `it cannot be read (${read.kind})`;
  files.leftOut.push({ path, reason: why });
  return undefined;
}

function tableIn(content: string, path: string, files: HookFiles): unknown {
  let settings: unknown;
  try {
    settings = JSON.parse(content);
  } catch (error) {
    files.problems.push(`${path}: it is not JSON: ${errorText(error)}`);
    return undefined;
  }
  if (typeof settings !== "object" || settings === null) return undefined;
  const { hooks, disableAllHooks } = settings as { hooks?: unknown; disableAllHooks?: unknown };
  // A file may only disable its own hooks, not those that protect the user from it.
  if (disableAllHooks !== true || hooks === undefined) return hooks;
  files.leftOut.push({ path, reason: "it says disableAllHooks" });
  return undefined;
}
