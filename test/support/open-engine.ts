// Sessions for properties of the engine: they wait as long as it takes, however busy the machine is.

import { type Config, createSession, type Session, type SessionOptions } from "sotto";

const PATIENT_MS = 60_000;

export function openEngine({ config, ...options }: Partial<SessionOptions> = {}): Session {
  return createSession({
    cwd: "/repo",
    agent: { kind: "main" },
    ...options,
    config: { timeout_ms: PATIENT_MS, ...config },
  });
}

/** Room for everything that is due in the turn that asks. */
export const roomy: Config = { max_tokens_per_turn: 1_000_000 };

export const critical = { critical_instruction: "Run the tests." };
