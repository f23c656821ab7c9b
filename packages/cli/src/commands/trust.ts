// `sotto trust`: shows project files that run commands or inject trusted text, and records your approval.

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { type ProjectTrust, projectTrust, type TrustItem, userTrustStore } from "sotto/inspect";
import {
  count,
  createShortPaths,
  createStyle,
  type ExitCode,
  indent,
  lineWidth,
  printable,
  type Style,
  usageError,
} from "sotto-agent/terminal";
import { workingDirectory } from "../input/arguments.ts";
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
  const cwd = workingDirectory(command.dir);
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
  if (!command.yes && !(await confirm(`\nTrust ${count(open.length, "file")} as shown above?`))) return 1;
  // The contents as shown, whatever is on disk by now.
  await userTrustStore().allow(
    open.map((item) => ({ path: item.key, content: item.content, named: hashes(item) })),
  );
  if (command.json) await writeJson(toJson(project, open));
  else if (open.length > 0)
    await writeLine(
      `\nTrusted ${count(open.length, "file")}. If one of them changes, or a file that its commands name, it has to be trusted again.`,
    );
  return 0;
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
const SHOWN_LINES = 12;
const SHOWN_NAMES = 20;
const MOST_CHARACTERS = 20_000;
const ABSENT = "absent";

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
        `  names ${visible(short.path(one.path))}  ${one.hash === ABSENT ? "missing" : `sha256 ${one.hash.slice(0, 12)}`}, ${STATES[one.state](style)}`,
    );
    if (more > 0) names.push(`  and ${more} more (--json lists all)`);
    return [heading, ...lines, ...names, ...(state === "trusted" ? [] : [shown(content, style)])].join("\n");
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
  const width = Math.max(40, lineWidth() - 6);
  const rows = whole.match(new RegExp(`.{1,${width}}`, "gsu")) ?? [""];
  return rows.map((row, index) => (index === 0 ? `  ${row}` : `      ${row}`)).join("\n");
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

function beginning(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1).toWellFormed()}…`;
}

function shown(content: string, style: Style): string {
  const lines = content
    .trimEnd()
    .split("\n")
    .map((line) => beginning(visible(line), lineWidth() - 6));
  const rest = lines.length - SHOWN_LINES;
  const more = rest > 0 ? [`… ${count(rest, "line")} more in the file`] : [];
  return style.dim(indent([...lines.slice(0, SHOWN_LINES), ...more].join("\n"), "    │ "));
}
