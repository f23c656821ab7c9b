// The deadlines of sessions in a test file are those that it sets itself, and one second where it sets none.

import { afterAll, beforeEach, vi } from "vitest";

/** Call it at the top of the file: otherwise each turn may take as long as it needs, whatever the session's config says. */
export function useOwnDeadlines(): void {
  beforeEach(() => {
    vi.stubEnv("SOTTO_TIMEOUT_MS", "");
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}
