// A session's current settings: from the host, config files once they are read, and changes in the log.

import type { Attachment } from "../attachments/attachment.ts";
import type { Config } from "../config/config.ts";
import {
  type AmbientConfig,
  type ConfigFiles,
  type ConfigTable,
  type Layers,
  settingsFrom,
} from "../config/layers.ts";
import { mergeConfig, resolveSettings, type Settings } from "../config/schema.ts";
import { type Problem, SottoError } from "../platform/errors.ts";
import { profileDefaults } from "../profiles/profile-defaults.ts";
import type { EngineOptions } from "./options.ts";

export interface LiveSettings {
  now(): Settings;
  /** Resolves when the config files are read; undefined once they are. */
  configured(): Promise<unknown> | undefined;
  /** Applies the changes in the log; one that is no longer valid is ignored. */
  settle(changed: ConfigTable): void;
  problems(): readonly Problem[];
}

interface HostConfig {
  defaults: Config | undefined;
  config: Config | undefined;
  /** It is our own program's, and was checked when that was written. */
  isOurs: boolean;
}

/** Throws if the host's own config is invalid. */
export function createLiveSettings(
  ambient: AmbientConfig | undefined,
  { defaults, config: host, isOurs }: HostConfig,
  catalogue: readonly Attachment[],
): LiveSettings {
  // Each is checked by itself first, so that the host gets its own errors at once.
  if (defaults !== undefined && !isOurs) checkDefaults(defaults, catalogue);
  if (host !== undefined && !isOurs) resolveSettings(host, catalogue);
  return new SettingsOfSession(ambient, { defaults, host }, catalogue);
}

const UNCHANGED: ConfigTable = {};
const NO_PROBLEMS: readonly Problem[] = [];

class SettingsOfSession implements LiveSettings {
  readonly #ambient: AmbientConfig | undefined;
  readonly #own: Pick<Layers, "defaults" | "host">;
  readonly #catalogue: readonly Attachment[];
  #files: ConfigFiles | undefined;
  #changed = UNCHANGED;
  #reading: Promise<unknown> | undefined;
  #settings: Settings;

  constructor(
    ambient: AmbientConfig | undefined,
    own: Pick<Layers, "defaults" | "host">,
    catalogue: readonly Attachment[],
  ) {
    this.#ambient = ambient;
    this.#own = own;
    this.#catalogue = catalogue;
    this.#settings = this.#inForce(UNCHANGED);
  }

  now(): Settings {
    return this.#settings;
  }

  configured(): Promise<unknown> | undefined {
    if (this.#files !== undefined) return undefined;
    this.#reading ??= this.#ambient?.files().then((found) => {
      this.#files = found;
      this.#reading = undefined;
      if (found.layers.length > 0 || found.instruction !== undefined) this.#take(this.#changed);
    });
    return this.#reading;
  }

  settle(next: ConfigTable): void {
    if (next === this.#changed || (isEmpty(next) && isEmpty(this.#changed))) return;
    this.#take(next);
  }

  problems(): readonly Problem[] {
    const [one = NO_PROBLEMS, other = NO_PROBLEMS] = [
      this.#ambient?.environment.problems,
      this.#files?.problems,
    ];
    return other.length === 0 ? one : [...one, ...other];
  }

  #take(next: ConfigTable): void {
    try {
      this.#settings = this.#inForce(next);
      this.#changed = next;
    } catch {
      // It is ignored.
    }
  }

  #inForce(changed: ConfigTable): Settings {
    const environment = this.#ambient?.environment.config ?? {};
    return sharedSettings({ ...this.#own, files: this.#files, environment, changed }, this.#catalogue);
  }
}

// Nearly all sessions of a process have the same settings, and they are never modified.
const shared = new WeakMap<readonly Attachment[], Map<string, Settings>>();
const SHARED_MOST = 50;

function sharedSettings(layers: Layers, catalogue: readonly Attachment[]): Settings {
  const known = shared.get(catalogue) ?? new Map<string, Settings>();
  shared.set(catalogue, known);
  const key = textOf(layers);
  if (key === undefined) return settingsFrom(layers, catalogue);
  const settings = known.get(key) ?? settingsFrom(layers, catalogue);
  if (known.size >= SHARED_MOST) known.clear();
  known.set(key, settings);
  return settings;
}

function textOf({ files, ...layers }: Layers): string | undefined {
  try {
    return JSON.stringify([layers, files?.layers, files?.instruction], exactly);
  } catch {
    // What JSON cannot say is refused, or not shared.
    return undefined;
  }
}

/** JSON has one word for several numbers. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? `\0${value}` : value;
}

function checkDefaults(defaults: Config, catalogue: readonly Attachment[]): void {
  try {
    resolveSettings(defaults, catalogue);
  } catch (error) {
    if (!(error instanceof SottoError)) throw error;
    throw new SottoError(error.code, `configFiles.defaults: ${error.message}`, error, error.keys);
  }
}

function isEmpty(table: ConfigTable): boolean {
  return Object.keys(table).length === 0;
}

/** From weakest to strongest: what the profile says, the host's defaults, its preset. */
export function defaultsOf(options: EngineOptions): Config | undefined {
  const { profile, preset, configFiles } = options;
  const given = [
    profile && profileDefaults(profile),
    configFiles?.defaults,
    preset === undefined ? undefined : { preset },
  ];
  const [first, ...rest] = given.filter((layer) => layer !== undefined);
  return first === undefined ? undefined : (rest.reduce(mergeConfig, first) as Config);
}
