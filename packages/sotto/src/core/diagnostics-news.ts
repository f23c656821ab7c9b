// New diagnostics as the model reads them, whoever found them: the worst in full, the rest counted.

import * as v from "valibot";
import { type Content, type Due, element, type Skip, skip } from "./attachment.ts";
import type { DiagnosticsEdge } from "./facts/diagnostics.ts";

// Of a storm the worst are told in full, the rest is counted: that says all there is to say.
const IN_FULL = 30;
// The longest that compilers write; one of a megabyte must not push out the others.
const LONGEST_MESSAGE = 4000;

const severity = v.picklist(["Error", "Warning", "Info", "Hint"]);
const ORDER = severity.options;

export const diagnosticsSchema = v.object({
  files: v.array(
    v.object({
      filePath: v.string(),
      diagnostics: v.array(
        v.object({
          message: v.string(),
          severity,
          line: v.number(),
          source: v.optional(v.string()),
          code: v.optional(v.union([v.string(), v.number()])),
        }),
      ),
    }),
  ),
  isNew: v.boolean(),
  /** How many more there are than are listed. */
  more: v.optional(v.number()),
});

export const diagnosticsOptions = v.object({ min_severity: v.optional(severity, "Hint") });
// What a language server only suggests (an unused name, a style) would be most of what it says.
export const lspOptions = v.object({ min_severity: v.optional(severity, "Warning") });

type Told = v.InferOutput<typeof diagnosticsSchema>;
type File = Told["files"][number];

export function newDiagnostics(
  pending: readonly DiagnosticsEdge[],
  { min_severity }: v.InferOutput<typeof diagnosticsOptions>,
  troubles = "",
): Due<Told>[] | Skip {
  if (pending.length === 0) return skip(`no new diagnostics since they were last said${troubles}`);
  const counts = (one: { severity: string }) => rank(one) <= ORDER.indexOf(min_severity);
  const files = new Map<string, File["diagnostics"]>();
  let uncounted = 0;
  for (const { filePath, diagnostics: list, more: rest } of pending) {
    files.set(filePath, [...(files.get(filePath) ?? []), ...list.filter(counts).map(bounded)]);
    // The rest is no worse than what is listed.
    if (list.every(counts)) uncounted += rest;
  }
  const { listed, unlisted } = worstFirst(files);
  const more = uncounted + unlisted;
  if (listed.length === 0 && more === 0)
    return skip(`the new diagnostics are all below ${min_severity} (min_severity)`);
  const data = { files: listed, isNew: true, ...(more > 0 ? { more } : {}) };
  return [{ data, covers: pending.map(({ id }) => id) }];
}

export function diagnosticsText({ files, more }: Told): Content {
  const blocks = files.map(({ filePath, diagnostics: list }) => {
    const lines = list.map(
      ({ line, severity: level, message }) => `Line ${line}: [${level.toLowerCase()}] ${message}\n`,
    );
    return `File: ${filePath}\n${lines.join("")}`;
  });
  const rest = more === undefined ? [] : [`and ${more} more.\n`];
  const opening = "The following new diagnostic issues were detected:\n";
  return [element("new-diagnostics", [opening, ...blocks, ...rest].join("\n"))];
}

function worstFirst(files: Map<string, File["diagnostics"]>): { listed: File[]; unlisted: number } {
  const all = [...files].flatMap(([filePath, list]) => list.map((diagnostic) => ({ filePath, diagnostic })));
  const worst = all
    .map((one, index) => ({ ...one, index }))
    .sort((a, b) => rank(a.diagnostic) - rank(b.diagnostic) || a.index - b.index)
    .slice(0, IN_FULL)
    .sort((a, b) => a.index - b.index);
  const listed = Map.groupBy(worst, ({ filePath }) => filePath);
  return {
    listed: [...listed].map(([filePath, list]) => ({
      filePath,
      diagnostics: list.map(({ diagnostic }) => diagnostic).sort((a, b) => a.line - b.line),
    })),
    unlisted: all.length - worst.length,
  };
}

function bounded<One extends { message: string }>(one: One): One {
  const { message } = one;
  if (message.length <= LONGEST_MESSAGE) return one;
  return { ...one, message: `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…` };
}

function rank({ severity: level }: { severity: string }): number {
  return (ORDER as readonly string[]).indexOf(level);
}
