// A turn as programs get it: what it says, why the rest is silent, and the request with the reminders in place.

import type { Reminder, TraceEntry, Turn } from "sotto";

export interface TurnResult {
  attachments: Turn["attachments"];
  reminders: Partial<Reminder>[];
  trace: Partial<TraceEntry>[];
  /** Null where no request was given: the host places the reminders itself. */
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
      // The text has all that is said, unless there is a picture.
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
