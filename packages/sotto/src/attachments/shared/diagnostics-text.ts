// New diagnostics as the model reads them: a limited number per turn, the worst first.

import * as v from "valibot";
import type { DiagnosticsEdge } from "../../facts/diagnostics.ts";
import type { Facts } from "../../facts/facts.ts";
import { type Content, element } from "../../render/content.ts";
import { indented, pathInText, reasonsInLine } from "../../render/wording.ts";
import { type Due, type Skip, skip, withNote } from "../attachment.ts";

// The others wait for later turns, and are sent if they are still true.
const MOST_PER_TURN = 30;
// About the longest that compilers write; one of a megabyte must not displace the others.
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
  /** How many more the checker did not list. */
  more: v.optional(v.number()),
  /** How many more follow in later turns. */
  later: v.optional(v.number()),
});

export const diagnosticsOptions = v.object({ min_severity: v.optional(severity, "Hint") });
// Mere suggestions (an unused name, a style) would be most of what a language server reports.
export const lspOptions = v.object({ min_severity: v.optional(severity, "Warning") });

type Shown = v.InferOutput<typeof diagnosticsSchema>;
type File = Shown["files"][number];

export function newDiagnostics(
  pending: readonly DiagnosticsEdge[],
  { min_severity }: v.InferOutput<typeof diagnosticsOptions>,
  troubles: readonly string[] = [],
): readonly Due<Shown>[] | Skip {
  if (pending.length === 0) return skip(joined("no new diagnostics since the last ones were sent", troubles));
  const due = pending.flatMap(({ id, filePath, what }) =>
    "key" in what && rank(what.diagnostic) <= ORDER.indexOf(min_severity)
      ? [{ id, filePath, diagnostic: bounded(what.diagnostic) }]
      : [],
  );
  const counts = pending.flatMap(({ id, what }) => ("unlisted" in what ? [{ id, ...what }] : []));
  const shown = worst(due);
  const later = due.length - shown.length;
  const more = counts.reduce((sum, { unlisted }) => sum + unlisted, 0);
  // What is not listed is no worse than what is listed.
  const isCounted = more > 0 && (due.length > 0 || pending.every(({ what }) => "unlisted" in what));
  if (shown.length === 0 && !isCounted)
    return skip(joined(`the new diagnostics are all below ${min_severity} (min_severity)`, troubles));
  const data = {
    files: byFile(shown),
    isNew: true,
    ...(isCounted ? { more } : {}),
    ...(later > 0 ? { later } : {}),
  };
  const mild = pending.filter(({ what }) => "key" in what).length - due.length;
  const below = mild === 0 ? [] : [`${mild} below ${min_severity} (min_severity)`];
  const covers = [...shown, ...(isCounted ? counts : [])].map(({ id }) => id);
  return withNote([{ data, covers }], reasonsInLine([...below, ...troubles]));
}

/** Diagnostics of files that may not be shown are left out. */
export function hiddenFiles(access: Facts["diagnosticsAccess"] | undefined): string[] {
  if (access?.known !== true) return [];
  return access.value.hidden.map(({ path, why }) => `those of ${path} are not shown: ${why}`);
}

function joined(reason: string, troubles: readonly string[]): string {
  return troubles.length === 0 ? reason : `${reason}; ${reasonsInLine(troubles)}`;
}

export function diagnosticsText({ files, more, later }: Shown): Content {
  const blocks = files.map(({ filePath, diagnostics: list }) => {
    const lines = list.map(
      ({ line, severity: level, message }) => `Line ${line}: [${level.toLowerCase()}] ${indented(message)}\n`,
    );
    return `File: ${pathInText(filePath)}\n${lines.join("")}`;
  });
  const rest = [
    ...(later === undefined ? [] : [`${later} more follow in later turns, unless they are fixed by then.\n`]),
    ...(more === undefined ? [] : [`and ${more} more, not listed.\n`]),
  ];
  const opening = "The following new diagnostic issues were detected:\n";
  return [element("new-diagnostics", [opening, ...blocks, ...rest].join("\n"))];
}

interface Found {
  id: string;
  filePath: string;
  diagnostic: File["diagnostics"][number];
}

/** In the order they came. */
function worst(due: readonly Found[]): Found[] {
  return due
    .map((one, index) => ({ one, index }))
    .sort((a, b) => rank(a.one.diagnostic) - rank(b.one.diagnostic) || a.index - b.index)
    .slice(0, MOST_PER_TURN)
    .sort((a, b) => a.index - b.index)
    .map(({ one }) => one);
}

function byFile(shown: readonly Found[]): File[] {
  return [...Map.groupBy(shown, ({ filePath }) => filePath)].map(([filePath, list]) => ({
    filePath,
    diagnostics: list.map(({ diagnostic }) => diagnostic).sort((a, b) => a.line - b.line),
  }));
}

function bounded<One extends { message: string }>(one: One): One {
  const { message } = one;
  if (message.length <= LONGEST_MESSAGE) return one;
  return { ...one, message: `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…` };
}

function rank({ severity: level }: { severity: string }): number {
  return (ORDER as readonly string[]).indexOf(level);
}
