// Measuring a turn for telemetry: a share of the turns, after they are done, whatever becomes of the report.

import type { Attachment } from "../attachments/attachment.ts";
import type { OutcomeKind, TraceEntry } from "../log/trace.ts";
import type { Platform } from "../platform/platform.ts";
import type { Reminder } from "../render/reminder.ts";
import type { SourceFailures, Telemetry, TurnReport } from "./telemetry.ts";
import type { Turn } from "./turn.ts";

export interface MeasureOptions {
  platform: Platform;
  telemetry: Telemetry | undefined;
  agent: TurnReport["agent"];
  catalogue: readonly Attachment[];
  /** From 0, none, to 1, every turn. */
  sample: number;
}

/** Runs a turn, and reports it if chance picks it. */
export async function measureTurn<Body>(
  { platform, telemetry, agent, catalogue, sample }: MeasureOptions,
  run: (looked: SourceFailures) => Promise<Turn<Body>>,
): Promise<Turn<Body>> {
  const looked: SourceFailures = { mentionsFailed: 0, unreadable: 0 };
  if (telemetry === undefined || sample === 0 || platform.random() >= sample) return run(looked);
  const startedAt = platform.now();
  const from = platform.monotonic();
  const turn = await run(looked);
  const ms = platform.monotonic() - from;
  try {
    const said = telemetry.wantsTexts?.()
      ? turn.reminders.map(({ type, text }) => ({ type, text }))
      : undefined;
    telemetry.turn({
      startedAt,
      ms,
      agent,
      sample,
      ...reportOf(turn, catalogue),
      ...looked,
      ...(said === undefined ? {} : { said }),
    });
  } catch {
    // A report that is lost costs nobody anything.
  }
  return turn;
}

type Counts = Omit<TurnReport, "startedAt" | "ms" | "agent" | "sample" | "said" | keyof SourceFailures>;

const MENTIONED = new Set(["file", "directory", "already_read_file", "mcp_resource", "agent_mention"]);

function reportOf(
  { number, trace, reminders, attachments, problem }: Turn,
  catalogue: readonly Attachment[],
): Counts {
  // A note under a name of the host's making is content: only names that are in the code are told.
  const known = new Set(catalogue.map(({ type }) => type));
  const entries = trace.filter(({ type }) => known.has(type));
  const outcomes: Partial<Record<OutcomeKind, number>> = {};
  for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const spoken = reminders.filter(({ type }) => known.has(type));
  return {
    number,
    failed: problem !== undefined,
    reminders: spoken.length,
    tokens: sum(spoken, ({ tokens }) => tokens),
    bytes: sum(spoken, sizeOf),
    outcomes,
    mentionsAttached: attachments.filter(({ type }) => MENTIONED.has(type)).length,
    sent: [...new Set(spoken.map(({ type }) => type))],
    generators: [...Map.groupBy(entries, ({ generator }) => generator)].map(([generator, its]) => {
      const said = spoken.filter(({ type }) => its.some((entry) => entry.type === type));
      return {
        generator,
        // Types of a generator wait for their sources together.
        ms:
          sum(its, ({ ms, sourceMs = 0 }) => ms - sourceMs) +
          Math.max(...its.map(({ sourceMs = 0 }) => sourceMs)),
        bytes: sum(said, sizeOf),
        sent: said.length,
        errors: its.filter(isError).length,
      };
    }),
  };
}

function sizeOf({ text }: Reminder): number {
  return new TextEncoder().encode(text).length;
}

function isError({ outcome }: TraceEntry): boolean {
  return outcome === "failed" || outcome === "timed out";
}

function sum<Item>(items: readonly Item[], amount: (item: Item) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
