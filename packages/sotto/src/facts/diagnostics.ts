// Diagnostics per file: only new ones are news, fixed ones are forgotten, outdated ones dropped.

import type { Diagnostic, EventOf } from "./events.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import type { FoldContext, Slice } from "./slice.ts";

/** One diagnostic, told once while it is true; or how many more there are that nobody has listed. */
export interface DiagnosticsEdge extends Edge {
  filePath: string;
  origin: "host" | "lsp";
  what: { key: string; diagnostic: Diagnostic } | { unlisted: number };
}

interface FileDiagnostics {
  version?: number;
  keys: string[];
  /** Of those that were not listed: how many stood there before the agent came, and how many were told as a number. */
  old?: number;
  counted?: number;
}

export interface DiagnosticsFact extends Edges<DiagnosticsEdge> {
  /** By origin and path: what stands there now. */
  files: Record<string, FileDiagnostics>;
}

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
  const { origin, filePath, version, more = 0 } = event;
  const place = `${origin}:${filePath}`;
  const before = state.files[place];
  if (version !== undefined && before?.version !== undefined && version < before.version) {
    context.supersede(
      typeFor(origin),
      `version ${version} of ${filePath} came after version ${before.version}`,
    );
    return;
  }
  const now = withKeys(event.diagnostics);
  if (before !== undefined) forgetFixed(state, { origin, filePath, now, more }, context);
  const { fresh, unlisted, old } = news(event, now, before);
  if (event.baseline !== true) {
    const edge = (rest: string | number) => ({ id: `diagnostics/${context.seq}/${rest}`, filePath, origin });
    for (const [index, [key, diagnostic]] of fresh.entries())
      state.pending.push({ ...edge(index), what: { key, diagnostic } });
    if (unlisted > 0) state.pending.push({ ...edge("more"), what: { unlisted } });
  }
  if (now.size + more === 0 && version === undefined) delete state.files[place];
  else
    state.files[place] = {
      ...(version === undefined ? {} : { version }),
      keys: [...now.keys()],
      ...(more === 0 ? {} : { old, counted: more - old }),
    };
}

/**
 * What was not there before, the worst first. Where fewer are left unlisted than stood there before the agent came, as
 * many of them have moved up into the list, and are no news.
 */
function news(
  { more = 0, baseline }: EventOf<"diagnostics_published">,
  now: ReadonlyMap<string, Diagnostic>,
  before: FileDiagnostics | undefined,
): { fresh: [string, Diagnostic][]; unlisted: number; old: number } {
  const known = new Set(before?.keys);
  const unknown = [...now].filter(([key]) => !known.has(key)).sort(([, a], [, b]) => rank(a) - rank(b));
  const { old = 0, counted = 0 } = before ?? {};
  const movedUp = Math.max(0, old - more);
  const stillOld = baseline ? more : Math.min(old, more);
  return {
    fresh: unknown.slice(0, Math.max(0, unknown.length - movedUp)),
    unlisted: Math.max(0, more - stillOld - counted),
    old: stillOld,
  };
}

interface Published {
  origin: string;
  filePath: string;
  now: ReadonlyMap<string, Diagnostic>;
  more: number;
}

/** What is gone is dropped, said or not; what moved is told where it stands now. */
function forgetFixed(
  state: DiagnosticsFact,
  { origin, filePath, now, more }: Published,
  context: FoldContext,
): void {
  const isHere = (edge: DiagnosticsEdge) => edge.origin === origin && edge.filePath === filePath;
  for (const edge of [...state.pending, ...state.settled].filter(isHere)) edge.what = asItIs(edge, now, more);
  const isGone = ({ what }: DiagnosticsEdge) => ("key" in what ? !now.has(what.key) : what.unlisted === 0);
  const fixed = dropEdges(state, (edge) => isHere(edge) && isGone(edge));
  if (fixed > 0)
    context.supersede(
      typeFor(origin),
      `${fixed} in ${filePath} ${fixed === 1 ? "was" : "were"} gone before ${fixed === 1 ? "it was" : "they were"} said`,
    );
}

function asItIs(
  { what }: DiagnosticsEdge,
  now: ReadonlyMap<string, Diagnostic>,
  more: number,
): DiagnosticsEdge["what"] {
  if ("unlisted" in what) return { unlisted: Math.min(what.unlisted, more) };
  return { key: what.key, diagnostic: now.get(what.key) ?? what.diagnostic };
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
