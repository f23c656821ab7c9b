// A turn as JSON for programs, and the table of its outcomes for people.

import type { Reminder, TraceEntry, Turn } from "sotto";
import type { Outcome } from "sotto/inspect";
import type { Style } from "sotto-agent/terminal";
import { printable } from "sotto-agent/terminal";
import { table } from "./table.ts";

export interface TurnResult {
  attachments: Turn["attachments"];
  reminders: Partial<Reminder>[];
  trace: Partial<TraceEntry>[];
  /** Null if no request was given: the host places the reminders itself. */
  request: unknown;
}

export function turnResult({ attachments, reminders, trace, body }: Turn): TurnResult {
  return {
    attachments,
    reminders: reminders.map(({ id, type, tier, text, tokens, isMeta, uuid, timestamp, blocks }) => ({
      id,
      type,
      tier,
      text,
      tokens,
      isMeta,
      uuid,
      timestamp,
      // The text holds everything unless there is an image.
      ...(blocks.some((block) => block.type === "image") ? { blocks } : {}),
    })),
    trace: trace.map(({ generator, type, outcome, reason, ms, tokens }) => ({
      generator,
      type,
      outcome,
      reason,
      ms: Math.round(ms * 1000) / 1000,
      tokens,
    })),
    request: body ?? null,
  };
}

const SENT = new Set(["sent", "cut"]);

export interface TypeOutcome extends Outcome {
  type: string;
}

export function isSent({ outcome }: Outcome): boolean {
  return SENT.has(outcome);
}

export function notSent<T extends Outcome>(outcomes: readonly T[]): T[] {
  return outcomes.filter((one) => !isSent(one));
}

export function paintOutcome(outcome: string, style: Style): string {
  if (outcome === "failed" || outcome === "timed out" || outcome === "resting") return style.bad(outcome);
  if (SENT.has(outcome)) return style.accent(outcome);
  return outcome === "nothing" || outcome === "off" ? style.dim(outcome) : style.warn(outcome);
}

export function outcomeTable(
  outcomes: readonly TypeOutcome[],
  { style, width, indent }: { style: Style; width: number; indent: string },
): string {
  const rows = outcomes.map(({ type, outcome, reason }) => [
    printable(type),
    paintOutcome(outcome, style),
    printable(reason),
  ]);
  return table(rows, { width, indent });
}
