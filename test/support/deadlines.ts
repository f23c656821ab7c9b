// In tests a turn may take as long as it needs, however busy the machine is, unless its deadline is the point.

import type { Session } from "sotto";
import { afterAll, beforeEach, vi } from "vitest";

const PATIENT_MS = 60_000;

/** From the next turn on, this is the session's deadline, whatever its config and the environment say. */
export async function setDeadline(session: Session, ms: number = PATIENT_MS): Promise<void> {
  await session.record({ type: "config_changed", config: { timeout_ms: ms } });
}

/** A deadline that is short, and far more than this turn takes on the machine now. */
export async function shortenDeadline(
  session: Session,
  turn: () => Promise<unknown>,
  leastMs: number,
): Promise<void> {
  const from = performance.now();
  await turn();
  const ms = Math.max(leastMs, Math.round(20 * (performance.now() - from)));
  await setDeadline(session, Math.min(PATIENT_MS, ms));
}

/** Called at the top of a file: its sessions have the deadlines of their own config, and one second where it has none. */
export function useOwnDeadlines(): void {
  beforeEach(() => {
    vi.stubEnv("SOTTO_TIMEOUT_MS", "");
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}
