// Diagnostics per file: new ones become edges, fixed ones are dropped, reports for an older version are ignored.

import type { Diagnostic } from "./event-parts.ts";
import type { EventOf } from "./events.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, slice } from "./slice.ts";

/** One diagnostic, sent once while it holds, or the number of further ones that were not listed. */
export interface DiagnosticsEdge extends Edge {
  filePath: string;
  origin: "host" | "lsp";
  what: { key: string; diagnostic: Diagnostic } | { unlisted: number };
}

interface FileDiagnostics {
  version?: number;
  keys: string[];
  /** Of those not listed: how many were there before the agent started, and how many were sent as a number. */
  old?: number;
  counted?: number;
}

export interface DiagnosticsFact extends Edges<DiagnosticsEdge> {
  /** The current diagnostics, by origin and path. */
  files: Record<string, FileDiagnostics>;
}

const SEVERITIES = ["Error", "Warning", "Info", "Hint"];

export const diagnostics = slice({
  initial: (): DiagnosticsFact => ({ files: {}, ...noEdges<DiagnosticsEdge>() }),
  on: ["diagnostics_published"],
  apply: publish,
});

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
 * What was not there before, the worst first. If fewer are unlisted now than were there before the agent started, that
 * many have moved up into the list and are not new.
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

/** Drops what is fixed, sent or not, and updates the position of what moved. */
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

/** The type that reports them. */
function typeFor(origin: string): string {
  return origin === "lsp" ? "lsp_diagnostics" : "diagnostics";
}

/** Keys leave out the line: an edit further up moves a diagnostic but does not create a new one. */
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
