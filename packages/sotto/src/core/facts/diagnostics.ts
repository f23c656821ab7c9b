// Diagnostics per file: only new ones are news, fixed ones are forgotten, outdated ones dropped.

import { dropEdges, type Edge, type Edges, noEdges } from "../edge.ts";
import type { Diagnostic, EventOf } from "../events.ts";
import type { FoldContext, Slice } from "./slice.ts";

export interface DiagnosticsEdge extends Edge {
  filePath: string;
  origin: "host" | "lsp";
  /** The worst of them, with their keys in the file. */
  diagnostics: Diagnostic[];
  keys: string[];
  /** How many more there are. */
  more: number;
}

interface FileDiagnostics {
  version?: number;
  keys: string[];
  /** How many more there were than were listed. */
  more?: number;
}

export interface DiagnosticsFact extends Edges<DiagnosticsEdge> {
  /** By origin and path: what stands there now. */
  files: Record<string, FileDiagnostics>;
}

// Of a storm this many per file are kept as text; the rest is counted.
const KEPT_PER_FILE = 200;

const SEVERITIES = ["Error", "Warning", "Info", "Hint"];

export const diagnostics: Slice<DiagnosticsFact> = {
  initial: () => ({ files: {}, ...noEdges<DiagnosticsEdge>() }),
  apply(state, event, context) {
    if (event.type === "diagnostics_published") publish(state, event, context);
  },
};

function publish(
  state: DiagnosticsFact,
  event: EventOf<"diagnostics_published">,
  context: FoldContext,
): void {
  const { origin, filePath, version } = event;
  const place = `${origin}:${filePath}`;
  const before = state.files[place];
  if (version !== undefined && before?.version !== undefined && version < before.version) {
    context.supersede(
      typeFor(origin),
      `version ${version} of ${filePath} came after version ${before.version}`,
    );
    return;
  }
  const { more: unlisted = 0 } = event;
  const now = withKeys(event.diagnostics);
  if (before !== undefined) forgetFixed(state, { origin, filePath, now, unlisted }, context);
  const { fresh, more } = news(event, now, before);
  const kept = fresh.slice(0, KEPT_PER_FILE);
  if (fresh.length + more > 0 && event.baseline !== true)
    state.pending.push({
      id: `diagnostics/${context.seq}`,
      filePath,
      origin,
      diagnostics: kept.map(([, diagnostic]) => diagnostic),
      keys: kept.map(([key]) => key),
      more: more + fresh.length - kept.length,
    });
  if (now.size + unlisted === 0 && version === undefined) delete state.files[place];
  else
    state.files[place] = {
      ...(version === undefined ? {} : { version }),
      keys: [...now.keys()],
      ...(unlisted === 0 ? {} : { more: unlisted }),
    };
}

/** What was not there before, the worst first. Who moved up from what was only counted was there before. */
function news(
  { more = 0 }: EventOf<"diagnostics_published">,
  now: ReadonlyMap<string, Diagnostic>,
  before: FileDiagnostics | undefined,
): { fresh: [string, Diagnostic][]; more: number } {
  const old = new Set(before?.keys);
  const unknown = [...now].filter(([key]) => !old.has(key)).sort(([, a], [, b]) => rank(a) - rank(b));
  const counted = before?.more ?? 0;
  const fresh = unknown.slice(0, Math.max(0, unknown.length - counted));
  return { fresh, more: Math.max(0, more - Math.max(0, counted - (unknown.length - fresh.length))) };
}

interface Published {
  origin: string;
  filePath: string;
  now: ReadonlyMap<string, Diagnostic>;
  unlisted: number;
}

/** What is gone is dropped, said or not; what moved is told where it stands now. */
function forgetFixed(
  state: DiagnosticsFact,
  { origin, filePath, now, unlisted }: Published,
  context: FoldContext,
): void {
  const here = (edge: DiagnosticsEdge) => edge.origin === origin && edge.filePath === filePath;
  let fixed = 0;
  for (const edges of [state.pending, state.settled])
    for (const edge of edges.filter(here)) {
      const before = edge.keys.length + edge.more;
      edge.keys = edge.keys.filter((key) => now.has(key));
      edge.diagnostics = edge.keys.map((key) => now.get(key) as Diagnostic);
      edge.more = Math.min(edge.more, now.size + unlisted - edge.keys.length);
      if (edges === state.pending) fixed += before - edge.keys.length - edge.more;
    }
  dropEdges(state, (edge) => edge.keys.length + edge.more === 0);
  if (fixed > 0)
    context.supersede(
      typeFor(origin),
      `${fixed} in ${filePath} ${fixed === 1 ? "was" : "were"} gone before ${fixed === 1 ? "it was" : "they were"} said`,
    );
}

/** Who tells of them. */
function typeFor(origin: string): string {
  return origin === "lsp" ? "lsp_diagnostics" : "diagnostics";
}

/** Without the line: an edit further up moves a diagnostic, it does not make a new one. */
function withKeys(list: readonly Diagnostic[]): Map<string, Diagnostic> {
  const seen = new Map<string, number>();
  const keyed = new Map<string, Diagnostic>();
  for (const diagnostic of list) {
    const { severity, code, source, message } = diagnostic;
    const name = JSON.stringify([severity, code, source, message]);
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    keyed.set(`${nth}${name}`, diagnostic);
  }
  return keyed;
}

function rank({ severity }: Diagnostic): number {
  return SEVERITIES.indexOf(severity);
}
