// What a server says about a file, as it is kept: checked, bounded, the worst first.

import type { Diagnostic } from "../../facts/events.ts";

export interface Findings {
  diagnostics: readonly Diagnostic[];
  /** How many more there are, none of them worse. */
  more: number;
}

export const NO_FINDINGS: Findings = { diagnostics: [], more: 0 };

const SEVERITIES = ["Error", "Warning", "Info", "Hint"] as const;
// Of a storm so many are kept; the rest is counted.
const LISTED_MOST = 200;
const LONGEST_MESSAGE = 1000;
const LONGEST_NAME = 100;

/** Nothing where it is no list. What in it is no diagnostic is left out. */
export function findingsIn(list: unknown): Findings | undefined {
  if (!Array.isArray(list)) return undefined;
  return bounded(list.flatMap((one) => diagnosticIn(one) ?? []));
}

/** What a server says by itself, and what it answers, are two halves of one thing. */
export function joined(one: Findings, other: Findings): Findings {
  if (other.diagnostics.length === 0) return one;
  if (one.diagnostics.length === 0) return other;
  const { diagnostics, more } = bounded([...one.diagnostics, ...other.diagnostics]);
  return { diagnostics, more: more + one.more + other.more };
}

function bounded(all: Diagnostic[]): Findings {
  const worst = all.length <= LISTED_MOST ? all : all.sort((a, b) => rank(a) - rank(b) || a.line - b.line);
  const diagnostics = worst.slice(0, LISTED_MOST);
  return { diagnostics, more: all.length - diagnostics.length };
}

function rank({ severity }: Diagnostic): number {
  return SEVERITIES.indexOf(severity);
}

function diagnosticIn(value: unknown): Diagnostic | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { message, severity, range, source, code } = value as Record<string, unknown>;
  const words = typeof message === "string" ? message : (message as { value?: unknown } | null)?.value;
  const line = (range as { start?: { line?: unknown } } | null | undefined)?.start?.line;
  if (typeof words !== "string") return undefined;
  return {
    message: words.slice(0, LONGEST_MESSAGE),
    // One that does not say how bad it is counts as the worst.
    severity: SEVERITIES[(typeof severity === "number" ? severity : 1) - 1] ?? "Error",
    line: Number.isSafeInteger(line) && (line as number) >= 0 ? (line as number) + 1 : 1,
    ...(typeof source === "string" ? { source: source.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "string" ? { code: code.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "number" && Number.isFinite(code) ? { code } : {}),
  };
}
