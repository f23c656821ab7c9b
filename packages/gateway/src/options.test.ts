import { afterEach, expect, test, vi } from "vitest";
import { checkedOptions } from "./options.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ["by default", "", 3000],
  ["with a short deadline", "200", 3000],
  ["with a long deadline", "9000", 9000],
])("a request waits for its reminders as long as a turn may take: %s", (_, set, waits) => {
  vi.stubEnv("SOTTO_TIMEOUT_MS", set);
  expect(checkedOptions({}).limits.remindMs).toBe(waits);
  expect(checkedOptions({ limits: { remindMs: 50 } }).limits.remindMs).toBe(50);
});
