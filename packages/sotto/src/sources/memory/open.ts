// Memory discovery as a session uses it: on its desk, with the config in force.

import type { MemoryConfig } from "../../core/config.ts";
import type { Job } from "../../core/platform.ts";
import type { Desk } from "../files/desk.ts";
import { createMemory, type Memory } from "./discover.ts";
import { createReaderFiles } from "./reader-files.ts";
import { memorySettings } from "./settings.ts";
import { settingsFromConfig } from "./settings-from-config.ts";

export interface OpenMemoryOptions {
  desk: Desk;
  config: MemoryConfig;
  work(job: Job): Promise<unknown>;
}

export async function openMemory({ desk, config, work }: OpenMemoryOptions): Promise<Memory> {
  const settings = memorySettings(desk, settingsFromConfig(config));
  const { cwd, home, managedDir } = settings;
  const mounts = managedDir === undefined ? [cwd, home] : [cwd, home, managedDir];
  const files = createReaderFiles({ reader: await desk.reader(), mounts });
  return createMemory({ ...settings, files, work, uid: process.getuid?.() });
}

/** One discovery for all who ask, made anew when the config changes. */
export type MemoryShelf = (
  turn: Pick<OpenMemoryOptions, "work"> & { config: MemoryConfig },
) => Promise<Memory>;

export function createMemoryShelf(desk: Desk): MemoryShelf {
  let current: { config: string; memory: Promise<Memory> } | undefined;
  return ({ config, work }) => {
    const text = JSON.stringify(config);
    if (current?.config !== text) current = { config: text, memory: openMemory({ desk, config, work }) };
    return current.memory;
  };
}
