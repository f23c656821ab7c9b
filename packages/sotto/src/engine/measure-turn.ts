// Measures a sample of the turns for telemetry.

import type { Attachment } from "../attachments/attachment.ts";
import type { OutcomeKind, TraceEntry } from "../log/trace.ts";
import type { Reminder } from "../render/reminder.ts";
import type { Engine } from "./engine.ts";
import type { SourceFailures, TurnReport } from "./telemetry.ts";
import type { Turn } from "./turn.ts";

/** Runs a turn, and reports it if it is in the sample. */
export async function measureTurn<Body>(
  { platform, telemetry, agent, catalogue, settings }: Engine,
  run: (looked: SourceFailures) => Promise<Turn<Body>>,
): Promise<Turn<Body>> {
  const looked: SourceFailures = { mentionsFailed: 0, unreadable: 0 };
  const sample = settings.enabled ? settings.telemetry_sample : 0;
  if (telemetry === undefined || sample === 0 || platform.random() >= sample) return run(looked);
  const startedAt = platform.now();
  const from = platform.monotonic();
  const turn = await run(looked);
  const ms = platform.monotonic() - from;
  try {
    const texts = telemetry.wantsTexts?.()
      ? turn.reminders.map(({ type, text }) => ({ type, text }))
      : undefined;
    telemetry.turn({
      startedAt,
      ms,
      agent: agent.kind,
      sample,
      ...reportOf(turn, catalogue),
      ...looked,
      ...(texts === undefined ? {} : { said: texts }),
    });
  } catch {
    // A lost report stops nothing.
  }
  return turn;
}

type Counts = Omit<TurnReport, "startedAt" | "ms" | "agent" | "sample" | "said" | keyof SourceFailures>;

const MENTIONED = new Set(["file", "directory", "already_read_file", "mcp_resource", "agent_mention"]);

function reportOf(
  { number, trace, reminders, attachments, problem }: Turn,
  catalogue: readonly Attachment[],
): Counts {
  // A note's name is the host's content: only names in the code are reported.
  const known = new Set(catalogue.map(({ type }) => type));
  const entries = trace.filter(({ type }) => known.has(type));
  const outcomes: Partial<Record<OutcomeKind, number>> = {};
  for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const sent = reminders.filter(({ type }) => known.has(type));
  return {
    number,
    failed: problem !== undefined,
    reminders: sent.length,
    tokens: sum(sent, ({ tokens }) => tokens),
    bytes: sum(sent, sizeOf),
    outcomes,
    mentionsAttached: attachments.filter(({ type }) => MENTIONED.has(type)).length,
    sent: [...new Set(sent.map(({ type }) => type))],
    generators: [...Map.groupBy(entries, ({ generator }) => generator)].map(([generator, its]) => {
      const own = sent.filter(({ type }) => its.some((entry) => entry.type === type));
      return {
        generator,
        // Types of a generator wait for their sources together.
        ms:
          sum(its, ({ ms, sourceMs = 0 }) => ms - sourceMs) +
          Math.max(...its.map(({ sourceMs = 0 }) => sourceMs)),
        bytes: sum(own, sizeOf),
        sent: own.length,
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
