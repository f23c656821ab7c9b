// createSession: the engine with Node's clock, the built-in sources, the whole catalogue, and the config of this machine.

import { ambientConfig } from "./ambient-config.ts";
import { catalogue } from "./attachments/index.ts";
import type { SessionOptions } from "./core/options.ts";
import { createSessionFrom, type Session } from "./core/session.ts";
import { nodePlatform } from "./node-platform.ts";
import { builtInSources } from "./sources/built-in.ts";
import { createMemoryStore } from "./stores/memory.ts";
import { userPlaces } from "./user-places.ts";

export function createSession(options: SessionOptions): Session {
  const { cwd: given, home: user, attachments = [], readConfig = true } = options;
  const ambient = ambientConfig({ cwd: given, home: user, catalogue: [...catalogue, ...attachments] });
  const parts = {
    platform: nodePlatform,
    catalogue,
    sources: ({ cwd, home, permissions, agents, resources }: SessionOptions) =>
      builtInSources({ cwd, permissions, agents, resources, ...userPlaces(home) }),
    store: options.store ?? createMemoryStore(),
    ...(readConfig ? { ambient } : {}),
  };
  return createSessionFrom(parts, options);
}
