// `sotto memory`: which instruction files and rules speak about a path, and why.

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
  wrongUse,
} from "sotto-agent/terminal";
import { workingDirectory } from "../input/arguments.ts";
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
  if (given.includes("")) throw wrongUse("a path is empty");
  const cwd = workingDirectory(command.cwd);
  const home = homedir();
  const paths = given.map((path) => resolve(cwd, path));
  for (const path of paths)
    if (isDirectory(path)) note(`${path} is a directory: name a file in it to see what reading that brings`);
  if (managedDir !== undefined && !isDirectory(resolve(cwd, managedDir)))
    note(`--managed-dir: there is no directory ${resolve(cwd, managedDir)}`);
  const report = await instructionsFor({
    cwd,
    ...(paths.length > 0 && { paths }),
    // Flags that were not given leave the user's own config in force.
    config: {
      memory: {
        ...(managedDir !== undefined && { managed_dir: managedDir }),
        ...(allowExternalImports !== undefined && { allow_external_imports: allowExternalImports }),
      },
    },
    permissions: { denyRead },
    // As `sotto run` and hooks read it.
    instructions: { user: true },
  });
  if (command.json) await writeJson(report);
  else await write(memoryPage(report, { cwd, home, paths }));
  return 0;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

// What speaks about paths, for people: what comes with each, what does not and why, what is to be mended.

export interface MemoryPlaces extends Places {
  /** In the order they are read; none at session start. */
  paths: readonly string[];
}

interface Pen {
  style: Style;
  short: ShortPaths;
}

// For whoever tries it in a place that has nothing yet.
const BARE = `Neither here, nor above, nor in ~/.claude is there an AGENTS.md, a CLAUDE.md or a rule
(.claude/rules/*.md, .sotto/rules/*.md).`;

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
        ? `Session start brings ${none ? "nothing" : many}`
        : `${short.path(cause)} brings ${none ? "nothing new" : many}`;
    return [style.bold(heading), ...loadedTable(files, pen)].join("\n");
  });
  const isBare = paths.length === 0 && report.loaded.length === 0 && report.skipped.length === 0;
  const start = report.start ?? [];
  const before = [
    style.bold(`Session start brings ${count(start.length, "file")}`),
    ...loadedTable(start, pen),
  ];
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
    short.words(reason) + (truncated ? style.warn("; too long, cut") : ""),
  ]);
  return [table(rows, { width: lineWidth(), indent: "  " })];
}

function skippedPart({ loaded, skipped }: InstructionsReport, { style, short }: Pen): string[] {
  const came = new Set(loaded.map((one) => JSON.stringify([one.for, one.path])));
  // Met a second time, as by an import: it did load.
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
  return [[style.bold("To be mended"), table(rows, { width: lineWidth(), indent: "  " })].join("\n")];
}
