// Canaries: events that must be said exactly once, each with a word in it that stands nowhere else.

import type { SessionEvent } from "sotto";

export const canaryKinds = ["task", "message", "prompt", "diagnostic"] as const;
export type CanaryKind = (typeof canaryKinds)[number];

export interface Canary {
  word: string;
  kind: CanaryKind;
}

const AT = "2026-11-15T10:00:00Z";

/** The same canary gives the same event: recording it again says nothing new. */
export function toEvent({ word, kind }: Canary): SessionEvent {
  switch (kind) {
    case "task":
      return { type: "task_finished", taskId: word.toLowerCase(), status: "completed", deltaSummary: word };
    case "message":
      return {
        type: "message_received",
        id: word,
        from: "ada",
        text: `Please see to ${word}.`,
        timestamp: AT,
      };
    case "prompt":
      return { type: "prompt_queued", id: word, prompt: `Also look at ${word}.` };
    case "diagnostic":
      return {
        type: "diagnostics_published",
        origin: "host",
        filePath: `/repo/${word.toLowerCase()}.ts`,
        diagnostics: [{ message: `Cannot find name '${word}'.`, severity: "Error", line: 1 }],
      };
  }
}

export function canaryWord(...parts: (string | number)[]): string {
  return `CANARY-${parts.join("-")}`;
}

/** How often each canary stands in a text. */
export function countCanaries(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/CANARY-[\w-]*\w/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
