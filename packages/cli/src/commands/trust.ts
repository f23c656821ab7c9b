// `sotto trust`: what a project's files would run or say with authority, shown, and allowed or not.

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { type ProjectTrust, projectTrust, type TrustItem, trustBook } from "sotto";
import { type ExitCode, wrongUse } from "../failure.ts";
import { workingDirectory } from "../input/working-directory.ts";
import { createShortPaths } from "../output/short-paths.ts";
import { createStyle, lineWidth, type Style } from "../output/style.ts";
import { count, cut, indent, printable } from "../output/text.ts";
import { note, write, writeJson, writeLine } from "../output/write.ts";

export interface TrustCommand {
  dir?: string;
  yes?: boolean;
  list?: boolean;
  revoke?: boolean;
  json?: boolean;
}

export async function trust(command: TrustCommand): Promise<ExitCode> {
  if (command.revoke && (command.yes || command.list)) throw wrongUse("--revoke: give it alone");
  const cwd = workingDirectory(command.dir);
  if (command.revoke) return revoke(cwd, command);
  const project = await projectTrust({ cwd });
  const open = project.items.filter(({ state }) => state !== "trusted");
  const problem = await trustBook().problem();
  if (problem !== undefined) note(`${trustBook().path}: ${problem}`);
  const asks = !command.list && !command.json && open.length > 0;
  if (!command.json) await write(page(project, cwd));
  if (!command.yes && !asks) {
    if (command.json) await writeJson(toJson(project, []));
    return 0;
  }
  if (!command.yes && !(await confirmed(open))) return 1;
  await trustBook().allow(open.map(({ realPath, content }) => ({ path: realPath, content })));
  if (command.json) await writeJson(toJson(project, open));
  else if (open.length > 0)
    await writeLine(`\nTrusted ${count(open.length, "file")}. A change of any of them asks again.`);
  return 0;
}

async function revoke(cwd: string, { json }: TrustCommand): Promise<ExitCode> {
  const { root, items } = await projectTrust({ cwd });
  const book = trustBook();
  // The book knows real paths; a link of the project may lead out of it.
  const linked = new Set(items.map(({ realPath }) => realPath));
  const start = `${await realpath(root)}/`;
  const known = (await book.list()).map(({ path }) => path);
  const inside = known.filter((path) => path.startsWith(start) || linked.has(path));
  const revoked = inside.length === 0 ? [] : await book.revoke(inside);
  if (json) await writeJson({ root, revoked });
  else await writeLine(`No longer trusted: ${count(revoked.length, "file")} in ${printable(root)}.`);
  return 0;
}

async function confirmed(open: readonly TrustItem[]): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw wrongUse("trusting is asked for at a terminal; --yes answers for you, --list only shows");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`\nLet ${count(open.length, "file")} speak with authority? [y/N] `);
    return /^\s*y(?:es)?\s*$/iu.test(answer);
  } finally {
    asking.close();
  }
}

function toJson({ root, items }: ProjectTrust, trusted: readonly TrustItem[]) {
  return {
    root,
    items: items.map((item) => {
      const { kind, path, realPath, hash, state, asks } = item;
      return { kind, path, realPath, hash, state: trusted.includes(item) ? "trusted" : state, asks };
    }),
    trusted: trusted.map(({ realPath }) => realPath),
  };
}

const STATES: Record<TrustItem["state"], (style: Style) => string> = {
  trusted: (style) => style.good("trusted"),
  changed: (style) => style.warn("changed since it was trusted"),
  unknown: (style) => style.warn("not trusted"),
};
const SHOWN_LINES = 12;

function page({ root, items }: ProjectTrust, cwd: string): string {
  const style = createStyle();
  if (items.length === 0)
    return `Nothing in ${printable(root)} would run anything or speak with authority.\n`;
  const short = createShortPaths({ cwd, home: homedir() });
  const blocks = items.map(({ kind, path, realPath, hash, state, asks, content }) => {
    const elsewhere = path === realPath ? "" : ` → ${printable(realPath)}`;
    const heading = `${style.bold(short.path(path))}${elsewhere}  ${kind}, ${STATES[state](style)}, sha256 ${hash.slice(0, 12)}`;
    const lines = asks.map((line) => `  ${cut(line, Math.max(40, lineWidth() - 4))}`);
    return [heading, ...lines, ...(state === "trusted" ? [] : [shown(content, style)])].join("\n");
  });
  return `${blocks.join("\n\n")}\n`;
}

function shown(content: string, style: Style): string {
  const lines = printable(content).trimEnd().split("\n");
  const rest = lines.length - SHOWN_LINES;
  const more = rest > 0 ? [`… ${count(rest, "line")} more, in the file`] : [];
  return style.dim(indent([...lines.slice(0, SHOWN_LINES), ...more].join("\n"), "    │ "));
}
