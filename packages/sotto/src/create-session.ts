// createSession: the engine with Node's clock, the built-in sources and the whole catalogue.

import { catalogue } from "./attachments/index.ts";
import type { SessionOptions } from "./core/options.ts";
import { createSessionFrom, type Session } from "./core/session.ts";
import { nodePlatform } from "./node-platform.ts";
import { builtInSources } from "./sources/built-in.ts";
import { createMemoryStore } from "./stores/memory.ts";
import { userPlaces } from "./user-places.ts";

export function createSession(options: SessionOptions): Session {
  const parts = {
    platform: nodePlatform,
    catalogue,
    sources: ({ cwd, home, permissions }: SessionOptions) =>
      builtInSources({ cwd, permissions, ...userPlaces(home) }),
    store: options.store ?? createMemoryStore(),
  };
  return createSessionFrom(parts, options);
}
