// Plays many conversations of one kind and counts what went wrong.

import type { Fault, Finding } from "./judge.ts";
import { type Kind, makePlan, type Plan } from "./plan.ts";
import { play } from "./play.ts";
import { shrink } from "./shrink.ts";

export interface Count {
  kind: Kind;
  conversations: number;
  requests: number;
  events: number;
  atEnd: number;
  between: number;
  doubled: number;
  back: number;
  moved: number;
  changed: number;
  prefix: number;
  invalid: number;
  bytes: number;
  failing: { plan: Plan; findings: readonly Finding[] }[];
}

export async function runKind(
  kind: Kind,
  { conversations, from = 1 }: { conversations: number; from?: number },
): Promise<Count> {
  const plans = Array.from({ length: conversations }, (_, at) => makePlan(kind, from + at));
  return countOf(kind, plans);
}

export async function countOf(kind: Kind, plans: readonly Plan[]): Promise<Count> {
  const count: Count = {
    kind,
    conversations: plans.length,
    requests: 0,
    events: 0,
    atEnd: 0,
    ...none(),
    failing: [],
  };
  for (const plan of plans) {
    const { events, requests, findings, missingAtEnd } = await play(plan);
    count.events += events;
    count.requests += requests;
    count.atEnd += missingAtEnd.length;
    const different = (fault: Fault, by: "marker" | "turn") =>
      new Set(findings.filter((one) => one.fault === fault).map((one) => one[by])).size;
    count.between += different("missing", "marker");
    for (const fault of ["doubled", "back", "moved", "changed"] as const)
      count[fault] += different(fault, "marker");
    for (const fault of ["prefix", "invalid", "bytes"] as const) count[fault] += different(fault, "turn");
    if (findings.length > 0) count.failing.push({ plan, findings });
  }
  return count;
}

const columns = {
  kind: "kind",
  conversations: "conversations",
  requests: "requests",
  events: "events",
  atEnd: "missing at end",
  between: "missing in between",
  doubled: "doubled",
  back: "came back",
  moved: "moved",
  changed: "text changed",
  prefix: "prefix broken",
  invalid: "invalid",
  bytes: "client bytes changed",
} as const;

export function table(counts: readonly Count[]): string {
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const rows = counts.map((count) => line(names.map((name) => count[name])));
  return [line(names.map((name) => columns[name])), line(names.map(() => "---")), ...rows].join("\n");
}

/** How many faults there were, all in all. */
/** The shortest example of each fault, played once more in words. */
export async function examples(count: Count, faults: readonly Fault[], limit = 1): Promise<string[]> {
  const lines: string[] = [];
  for (const fault of faults) {
    const failing = count.failing.filter(({ findings }) => findings.some((one) => one.fault === fault));
    failing.sort((a, b) => a.plan.steps.length - b.plan.steps.length);
    for (const { plan } of failing.slice(0, limit)) {
      const short = await shrink(plan, fault);
      lines.push(
        `## ${count.kind}: ${fault} (seed ${plan.seed}, ${short.wire}, ${JSON.stringify(short.habits)})`,
      );
      await play(short, (...said) => void lines.push(...said));
    }
  }
  return lines;
}

function none() {
  return { between: 0, doubled: 0, back: 0, moved: 0, changed: 0, prefix: 0, invalid: 0, bytes: 0 };
}
