// createSession: the engine with Node's clock, the built-in sources and the whole catalogue.

import { catalogue } from "./attachments/index.ts";
import type { SessionOptions } from "./core/options.ts";
import { createSessionFrom, type Session } from "./core/session.ts";
import { nodePlatform } from "./node-platform.ts";
import { createPlanFileSource } from "./sources/plan-file.ts";
import { createMemoryStore } from "./stores/memory.ts";

export function createSession(options: SessionOptions): Session {
  const parts = {
    platform: nodePlatform,
    catalogue,
    sources: [createPlanFileSource()],
    store: options.store ?? createMemoryStore(),
  };
  return createSessionFrom(parts, options);
}
