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

/** Knows nothing but what it is told: no files, and no config of this machine. */
export function openAssistant(options: Partial<SessionOptions> = {}): Session {
  return openEngine({
    ...{ cwd: "/nowhere", home: "/nowhere", preset: "assistant", configFiles: { read: false } },
    ...options,
  });
}

/** Room for everything that is due in the turn that asks. */
export const roomy: Config = { max_tokens_per_turn: 1_000_000 };

export const critical = { critical_instruction: "Run the tests." };
