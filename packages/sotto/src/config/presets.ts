// Presets: what a session tells unless its config says otherwise, by the kind of agent it is for.

import type { Attachment } from "../attachments/attachment.ts";
import type { Config } from "./schema.ts";

export type PresetName = NonNullable<Config["preset"]>;

/** The lowest layer of config. Generators by their own names, so that any later layer can switch them on again. */
export const presets: Readonly<Record<PresetName, Config>> = {
  coding: {},
  assistant: {
    memory: {
      file_names: [],
      rules_dirs: [],
      user_settings: false,
      project_settings: false,
      local_settings: false,
    },
    attachments: {
      at_mentioned_files: false,
      changed_files: false,
      empty_file_warning: false,
      nested_memory: false,
      memory: false,
      plan_file_reference: false,
      todo_reminders: false,
      ide_selection: false,
      ide_opened_file: false,
      diagnostics: false,
      lsp_diagnostics: false,
    },
  },
};

/** In words, where a preset switches a type off. */
export function leftOutBy(preset: PresetName, { type, generator }: Attachment): string | undefined {
  const { attachments = {} } = presets[preset];
  const isOff = attachments[generator] === false || attachments[type] === false;
  return isOff ? `the preset "${preset}" leaves it out` : undefined;
}
