// `sotto trust`: shows project files that run commands or inject trusted text, and records your approval.

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { type ProjectTrust, projectTrust, type TrustItem, userTrustStore } from "sotto/inspect";
import {
  count,
  createShortPaths,
  createStyle,
  type ExitCode,
  lineWidth,
  printable,
  type Style,
  usageError,
} from "sotto-agent/terminal";
import { existingDirectory } from "../input/arguments.ts";
import { canAsk, confirm } from "../input/confirm.ts";
import { note, write, writeJson, writeLine } from "../output/write.ts";
import { type Define, examples, json } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Shows everything in a project that needs your approval: config keys, reminders, templates, agents with a reminder, and every command that its hooks, MCP servers and language servers would run. Asks, then remembers the content of each file, and of the project files its commands name: when one of them changes, it needs approval again. Applies to sessions that start afterwards.",
    )
    .argument("[dir]", "the project (default: current directory)")
    .option("-y, --yes", "approve everything shown, without asking")
    .option("--list", "only show")
    .option("--revoke", "withdraw all approvals for this project")
    .addOption(json("{root, items, trusted}; never asks"))
    .addHelpText("after", examples("sotto trust", "sotto trust ~/work/app --list", "sotto trust --revoke"))
    .action(action(trust));

export interface TrustCommand {
  dir?: string;
  yes?: boolean;
  list?: boolean;
  revoke?: boolean;
  json?: boolean;
}

async function trust(command: TrustCommand): Promise<ExitCode> {
  if (command.revoke && (command.yes || command.list))
    throw usageError("--revoke cannot be combined with --yes or --list");
  const cwd = existingDirectory(command.dir, "DIR");
  if (command.revoke) return revoke(cwd, command);
  const project = await projectTrust({ cwd });
  const open = project.items.filter(({ state }) => state !== "trusted");
  const problem = await userTrustStore().problem();
  if (problem !== undefined) note(`${userTrustStore().path}: ${problem}`);
  const asks = !command.list && !command.json && open.length > 0;
  if (!command.json) await write(page(project, cwd));
  if (!command.yes && !asks) {
    if (command.json) await writeJson(toJson(project, []));
    return 0;
  }
  if (!command.yes && !canAsk())
    throw usageError(
      "stdin is not a terminal, so nothing can be confirmed: --yes trusts everything shown, --list only shows",
    );
  const agreed = command.yes ? open : await ask(open, cwd);
  if (open.length > 0 && agreed.length === 0) return 1;
  // The contents as shown, whatever is on disk by now.
  await userTrustStore().allow(
    agreed.map((item) => ({ path: item.key, content: item.content, named: hashes(item) })),
  );
  if (command.json) await writeJson(toJson(project, agreed));
  else if (agreed.length > 0)
    await writeLine(
      `\nTrusted ${count(agreed.length, "file")}. If one of them changes, or a file that its commands name, it has to be trusted again.`,
    );
  return 0;
}

/** About all that is shown whole at once, and about each of the others. */
async function ask(open: readonly TrustItem[], cwd: string): Promise<TrustItem[]> {
  const whole = open.filter((item) => !isTooLong(item));
  const agreed =
    whole.length > 0 && (await confirm(`\nTrust ${count(whole.length, "file")} as shown above?`))
      ? whole
      : [];
  const short = createShortPaths({ cwd, home: homedir() });
  for (const item of open.filter(isTooLong)) {
    const question = `\n${visible(short.path(item.path))} is not shown whole. Trust it with what is not shown?`;
    if (await confirm(question)) agreed.push(item);
  }
  return agreed;
}

async function revoke(cwd: string, { json }: TrustCommand): Promise<ExitCode> {
  const { root, items } = await projectTrust({ cwd });
  const book = userTrustStore();
  // This includes hooks of other agents in the user's home.
  const asking = new Set(items.map(({ key }) => key));
  const start = `${await realpath(root)}/`;
  const known = (await book.list()).map(({ path }) => path);
  const inside = known.filter((path) => path.startsWith(start) || asking.has(path));
  const revoked = inside.length === 0 ? [] : await book.revoke(inside);
  if (json) await writeJson({ root, revoked });
  else await writeLine(`No longer trusted: ${count(revoked.length, "file")} in ${printable(root)}.`);
  return 0;
}

function toJson({ root, items }: ProjectTrust, trusted: readonly TrustItem[]) {
  return {
    root,
    items: items.map((item) => {
      const { kind, path, realPath, hash, state, asks, named } = item;
      const isTrusted = trusted.includes(item);
      return {
        ...{ kind, path, realPath, hash, state: isTrusted ? "trusted" : state, asks },
        named: named.map((one) => (isTrusted ? { ...one, state: "trusted" } : one)),
      };
    }),
    trusted: trusted.map(({ path }) => path),
  };
}

const STATES: Record<TrustItem["state"], (style: Style) => string> = {
  trusted: (style) => style.good("trusted"),
  changed: (style) => style.warn("changed since it was trusted"),
  unknown: (style) => style.warn("not trusted"),
};
const SHOWN_NAMES = 20;
const MOST_CHARACTERS = 20_000;
/** What stands in place of a hash. */
const HASHES: Readonly<Record<string, string>> = {
  absent: "missing",
  "not covered": "NOT COVERED: the project has too many files to look for it",
};

function page({ root, items }: ProjectTrust, cwd: string): string {
  const style = createStyle();
  if (items.length === 0) return `Nothing in ${printable(root)} needs to be trusted.\n`;
  const short = createShortPaths({ cwd, home: homedir() });
  const blocks = items.map(({ kind, path, realPath, hash, state, asks, content, named }) => {
    const elsewhere = path === realPath ? "" : ` → ${visible(realPath)}`;
    const heading = `${style.bold(visible(short.path(path)))}${elsewhere}  ${kind}, ${STATES[state](style)}, sha256 ${hash.slice(0, 12)}`;
    const lines = asks.map((ask) => inFull(ask));
    const open = named.filter((one) => one.state !== "trusted");
    const listed = [...open, ...named.filter((one) => one.state === "trusted")].slice(0, SHOWN_NAMES);
    const more = named.length - listed.length;
    const names = listed.map(
      (one) =>
        `  names ${visible(short.path(one.path))}  ${HASHES[one.hash] ?? `sha256 ${one.hash.slice(0, 12)}`}, ${STATES[one.state](style)}`,
    );
    if (more > 0) names.push(`  and ${more} more (--json lists all)`);
    return [
      heading,
      ...lines,
      ...names,
      ...(state === "trusted" ? [] : [shown(content, { path: realPath, style })]),
    ].join("\n");
  });
  return `${blocks.join("\n\n")}\n`;
}

/** Wrapped, not cut: what is cut off could be what matters. */
function inFull(ask: string): string {
  const text = visible(ask);
  const whole =
    text.length <= MOST_CHARACTERS
      ? text
      : `${text.slice(0, MOST_CHARACTERS).toWellFormed()} … and ${count(text.length - MOST_CHARACTERS, "character")} more in the file`;
  return rowsOf(whole)
    .map((row, index) => (index === 0 ? `  ${row}` : `      ${row}`))
    .join("\n");
}

function rowsOf(line: string): string[] {
  const width = Math.max(40, lineWidth() - 6);
  return line.match(new RegExp(`.{1,${width}}`, "gsu")) ?? [""];
}

/** On one line, with characters escaped that a terminal would interpret or hide. */
function visible(text: string): string {
  return printable(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t")).replace(
    UNSEEN,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}

const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

function hashes({ named }: TrustItem): Record<string, string> {
  return Object.fromEntries(named.map(({ path, hash }) => [path, hash]));
}

function isTooLong({ content, asks }: TrustItem): boolean {
  return [content, ...asks].some((text) => visible(text).length > MOST_CHARACTERS);
}

/** The text whole; a row that goes on with a line begins with a dot. */
function shown(content: string, { path, style }: { path: string; style: Style }): string {
  const isWhole = visible(content).length <= MOST_CHARACTERS;
  const text = isWhole ? content : content.slice(0, MOST_CHARACTERS).toWellFormed();
  const rows = text
    .trimEnd()
    .split("\n")
    .flatMap((line) => rowsOf(visible(line)).map((row, index) => `    ${index === 0 ? "│" : "·"} ${row}`));
  const note = `    NOT SHOWN WHOLE: ${count(text.length, "character")} of ${count(content.length, "character")}. All of it: cat -v ${visible(quoted(path))}`;
  return `${style.dim(rows.join("\n"))}${isWhole ? "" : `\n${style.bad(note)}`}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
