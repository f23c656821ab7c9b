// The layers of config, later wins: preset, user, project, host, environment, and changes at run time.

import type { Attachment } from "../attachments/attachment.ts";
import type { Problem } from "../platform/errors.ts";
import { isTable } from "../platform/plain-data.ts";
import type { Config } from "./config.ts";
import { mergeConfig, type ProjectText, resolveSettings, type Settings, typesNamed } from "./schema.ts";

/** Config from outside the host: files and environment. */
export interface AmbientConfig {
  /** From the environment, known at once. */
  environment: { config: ConfigTable; problems: readonly Problem[] };
  /** From config files, read once for all sessions that share it. Never rejects. */
  files(): Promise<ConfigFiles>;
}

export interface ConfigFiles {
  /** Each valid by itself: the user's, then what the project may set. */
  layers: readonly ConfigTable[];
  /** The project's critical instruction: shown next to the user's. */
  instruction?: ProjectText;
  problems: readonly Problem[];
  /** The files that exist, used or not. */
  paths?: readonly string[];
}

export type ConfigTable = Record<string, unknown>;

export interface Layers {
  /** The host's defaults, below the files. */
  defaults?: unknown;
  files?: ConfigFiles | undefined;
  host: unknown;
  environment: ConfigTable;
  /** Changes at run time, from the log. */
  changed: ConfigTable;
}

export function settingsFrom(layers: Layers, catalogue: readonly Attachment[]): Settings {
  const { defaults, files, host, environment, changed } = layers;
  const said = [defaults ?? {}, ...(files?.layers ?? []), host ?? {}, environment, changed];
  const all = [presetIn(said), ...said];
  const merged = all.reduce<unknown>((below, layer) => mergeConfig(below, withOneName(layer, catalogue)), {});
  const settings = resolveSettings(merged, catalogue);
  const instruction = files?.instruction;
  return instruction === undefined ? settings : { ...settings, project_instruction: instruction };
}

/** The preset that the last layer with one names; an unknown name is reported with the other problems. */
function presetIn(layers: readonly unknown[]): unknown {
  const name = layers.findLast((layer) => isTable(layer) && layer.preset !== undefined);
  const preset = isTable(name) ? String(name.preset) : "coding";
  return Object.hasOwn(presets, preset) ? presets[preset as PresetName] : {};
}

/** With aliases replaced by the real name; otherwise a later layer could not override an earlier one that uses an alias. */
export function withOneName(layer: unknown, catalogue: readonly Attachment[]): unknown {
  if (!isTable(layer) || !isTable(layer.attachments)) return layer;
  let attachments: unknown = {};
  for (const [name, value] of Object.entries(layer.attachments))
    attachments = mergeConfig(attachments, { [oneName(name, catalogue)]: value });
  return { ...layer, attachments };
}

/** The generator's name, if the name stands for all of its types. */
export function oneName(name: string, catalogue: readonly Attachment[]): string {
  const types = typesNamed(name, catalogue);
  const generator = types[0]?.generator;
  if (generator === name) return name;
  const isWhole =
    generator !== undefined &&
    types.every((one) => one.generator === generator) &&
    catalogue.every((one) => one.generator !== generator || types.includes(one));
  return isWhole ? generator : name;
}

/** Applies a change at run time: `null` takes an earlier change back. */
export function changeConfig(before: ConfigTable, change: ConfigTable): ConfigTable {
  return withoutNulls(mergeConfig(before, change) as ConfigTable);
}

function withoutNulls(table: ConfigTable): ConfigTable {
  const kept = Object.entries(table).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, isTable(value) ? withoutNulls(value) : value]));
}

// Presets: defaults for a kind of agent.

/** The name of a preset: `"coding"` or `"assistant"`. */
export type PresetName = NonNullable<Config["preset"]>;

/** The lowest layer of config. Uses generator names, so that every later layer can switch them on again. */
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

/** The reason for the trace if a preset switches a type off. */
export function leftOutBy(preset: PresetName, { type, generator }: Attachment): string | undefined {
  const { attachments = {} } = presets[preset];
  const isOff = attachments[generator] === false || attachments[type] === false;
  return isOff ? `the preset "${preset}" turns it off` : undefined;
}
