// What a host asks the loopback provider to do with its call, written where only the provider looks.

export const goodAsks = ["words", "tool"] as const;
export const badAsks = [
  "error-500",
  "error-529",
  "error-429",
  "cut-before-headers",
  "cut-after-first-event",
  "cut-mid-stream",
  // The answer comes later than the host is willing to wait.
  "stall",
] as const;
export type Ask = (typeof goodAsks)[number] | (typeof badAsks)[number];

export interface Label {
  session: string;
  life: number;
  call: number;
  ask: Ask;
  /** The engine gave the request back as it was and said why. */
  degraded: boolean;
}

export function toLabel({ session, life, call, ask, degraded }: Label): string {
  return [session, life, call, ask, degraded ? "degraded" : "whole"].join(" ");
}

export function labelOf(body: unknown): Label {
  const { metadata, user } = body as { metadata?: { user_id?: string }; user?: string };
  const [session = "", life, call, ask, state] = (metadata?.user_id ?? user ?? "").split(" ");
  return { session, life: Number(life), call: Number(call), ask: ask as Ask, degraded: state === "degraded" };
}
