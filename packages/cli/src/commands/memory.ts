// `sotto memory`: shows which instruction files and rules apply to a path, and why.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type InstructionsReport, instructionsFor } from "sotto/inspect";
import {
  count,
  createShortPaths,
  createStyle,
  type ExitCode,
  lineWidth,
  type Places,
  type ShortPaths,
  type Style,
  usageError,
} from "sotto-agent/terminal";
import { existingDirectory } from "../input/arguments.ts";
import { table } from "../output/table.ts";
import { note, write, writeJson } from "../output/write.ts";
import { cwd, type Define, deny, examples, json } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Shows which instruction files and rules load when the agent reads a path, in order and with the reason for each; which do not load, and why; and what is wrong with any of them. Several paths are read one after the other in one session. Writes nothing.",
    )
    .argument("[path...]", "files, existing or not (default: what loads at session start)")
    .addOption(cwd())
    .addOption(deny())
    .option("--managed-dir <dir>", "directory of system-wide rules")
    .option("--allow-external-imports", "let project files import files from outside the project")
    .addOption(json("{loaded, skipped, problems}, paths absolute"))
    .addHelpText(
      "after",
      examples(
        "sotto memory",
        "sotto memory src/ui/Button.tsx",
        "sotto memory src/a.ts src/b.py --json | jq -r '.loaded[].path'",
      ),
    )
    .action(action(memory));

export interface MemoryCommand {
  path?: string[];
  cwd?: string;
  deny?: string[];
  managedDir?: string;
  allowExternalImports?: boolean;
  json?: boolean;
}

async function memory(command: MemoryCommand): Promise<ExitCode> {
  const { path: given = [], deny: denyRead = [], managedDir, allowExternalImports } = command;
  if (given.includes("")) throw usageError("a path is empty");
  const cwd = existingDirectory(command.cwd);
  const home = homedir();
  const paths = given.map((path) => resolve(cwd, path));
  for (const path of paths)
    if (isDirectory(path)) note(`${path} is a directory: pass a file in it to see what loads with that file`);
  if (managedDir !== undefined && !isDirectory(resolve(cwd, managedDir)))
    note(`--managed-dir: no such directory: ${resolve(cwd, managedDir)}`);
  const report = await instructionsFor({
    cwd,
    ...(paths.length > 0 && { paths }),
    // Without the flags, the user's config applies.
    config: {
      memory: {
        ...(managedDir !== undefined && { managed_dir: managedDir }),
        ...(allowExternalImports !== undefined && { allow_external_imports: allowExternalImports }),
      },
    },
    permissions: { denyRead },
    // As `sotto run` and hooks do.
    trust: { user: true },
  });
  if (command.json) await writeJson(report);
  else await write(memoryPage(report, { cwd, home, paths }));
  return 0;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export interface MemoryPlaces extends Places {
  /** In reading order; empty for session start. */
  paths: readonly string[];
}

interface Pen {
  style: Style;
  short: ShortPaths;
}

const BARE = `There is no AGENTS.md, CLAUDE.md or rule (.claude/rules/*.md, .sotto/rules/*.md)
in this directory, above it or in ~/.claude.`;

export function memoryPage(report: InstructionsReport, { paths, ...places }: MemoryPlaces): string {
  const pen: Pen = { style: createStyle(), short: createShortPaths(places) };
  const { style, short } = pen;
  const causes = paths.length === 0 ? [places.cwd] : [...new Set(paths)];
  const loaded = causes.map((cause) => {
    const files = report.loaded.filter((one) => one.for === cause);
    const many = count(files.length, "file");
    const none = files.length === 0;
    const heading =
      paths.length === 0
        ? `At session start: ${none ? "nothing" : many}`
        : `With ${short.path(cause)}: ${none ? "nothing new" : many}`;
    return [style.bold(heading), ...loadedTable(files, pen)].join("\n");
  });
  const isBare = paths.length === 0 && report.loaded.length === 0 && report.skipped.length === 0;
  const start = report.start ?? [];
  const before = [style.bold(`At session start: ${count(start.length, "file")}`), ...loadedTable(start, pen)];
  const parts = [
    ...(start.length === 0 ? [] : [before.join("\n")]),
    ...loaded,
    ...(isBare ? [style.dim(BARE)] : []),
    ...skippedPart(report, pen),
    ...problemsPart(report, pen),
  ];
  return `${parts.join("\n\n")}\n`;
}

function loadedTable(files: InstructionsReport["loaded"], { style, short }: Pen): string[] {
  if (files.length === 0) return [];
  const rows = files.map(({ kind, path, reason, truncated }) => [
    kind,
    style.accent(short.path(path)),
    short.words(reason) + (truncated ? style.warn("; truncated, too long") : ""),
  ]);
  return [table(rows, { width: lineWidth(), indent: "  " })];
}

function skippedPart({ loaded, skipped }: InstructionsReport, { style, short }: Pen): string[] {
  const came = new Set(loaded.map((one) => JSON.stringify([one.for, one.path])));
  // Found a second time, e.g. by an import, but loaded.
  const missing = skipped.filter((one) => !came.has(JSON.stringify([one.for, one.path])));
  if (missing.length === 0) return [];
  const byReason = Map.groupBy(missing, ({ reason }) => reason);
  const rows = [...byReason].flatMap(([reason, all]) => {
    const paths = new Set(all.map(({ path }) => path));
    return [...paths].map((path) => [short.path(path), short.words(reason)]);
  });
  const lines = table(rows, { width: lineWidth(), indent: "  " }).split("\n");
  return [[style.bold("Did not load"), ...lines.map(style.dim)].join("\n")];
}

function problemsPart({ problems }: InstructionsReport, { style, short }: Pen): string[] {
  if (problems.length === 0) return [];
  const rows = problems.map(({ path, problem }) => [style.warn(short.path(path)), short.words(problem)]);
  return [[style.bold("Problems"), table(rows, { width: lineWidth(), indent: "  " })].join("\n")];
}
