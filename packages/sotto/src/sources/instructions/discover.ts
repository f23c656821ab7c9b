// Memory discovery as a session uses it: on its desk, with the config in force.

import type { Settings } from "../../config/schema.ts";
import { notTaken } from "../trust/outside-project.ts";
import type { Job } from "../../platform/platform.ts";
import type { Desk } from "../files/file-access.ts";
import { createMemory, type Memory } from "./discover-of-memory.ts";
import { createReaderFiles } from "./reader-files.ts";
import { memorySettings } from "./settings.ts";
import { settingsFromConfig } from "./settings-from-config.ts";

/** What of the settings in force it goes by. */
export type MemorySource = Pick<Settings, "memory" | "max_file_characters" | "max_file_lines">;

export interface OpenMemoryOptions {
  desk: Desk;
  config: MemorySource;
  work(job: Job): Promise<unknown>;
}

export async function openMemory({ desk, config, work }: OpenMemoryOptions): Promise<Memory> {
  const shown = { maxCharacters: config.max_file_characters, maxLines: config.max_file_lines };
  const given = settingsFromConfig(config.memory);
  const settings = memorySettings(desk, {
    ...(desk.managed === undefined
      ? {}
      : { managedDir: desk.managed.directory, managedOwner: desk.managed.owner }),
    ...given,
    ...(given.managedDir === undefined ? {} : { managedOwner: undefined }),
    shown,
    ...(desk.takes("user_instructions")
      ? {}
      : { userSettings: false, userOff: notTaken("user_instructions") }),
    aboveProject: desk.takes("above_project"),
  });
  const { cwd, home, managedDir } = settings;
  const mounts = managedDir === undefined ? [cwd, home] : [cwd, home, managedDir];
  const files = createReaderFiles({ reader: await desk.reader(), mounts });
  return createMemory({ ...settings, files, work, uid: process.getuid?.() });
}

/** One discovery for all who ask, made anew when the config changes. */
export type MemoryShelf = (
  turn: Pick<OpenMemoryOptions, "work"> & { config: MemorySource },
) => Promise<Memory>;

export function createMemoryShelf(desk: Desk): MemoryShelf {
  let current: { config: string; memory: Promise<Memory> } | undefined;
  return ({ config, work }) => {
    const text = JSON.stringify([config.memory, config.max_file_characters, config.max_file_lines]);
    if (current?.config !== text) current = { config: text, memory: openMemory({ desk, config, work }) };
    return current.memory;
  };
}
