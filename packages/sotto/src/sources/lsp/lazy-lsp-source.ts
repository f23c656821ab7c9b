// Language servers, if config enables them: loaded with the first file, closed when switched off.

import type { LanguageServersSettings } from "../../config/language-servers.ts";
import type { StoredEvent } from "../../facts/events.ts";
import type { LanguageServerState, ObservedFacts } from "../../facts/facts.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { IsTrusted, Source, SourceSession, TurnInfo } from "../source.ts";
import { sameIfEqual } from "../steady.ts";
import type { LspSource } from "./lsp-source.ts";
import type { Timing } from "./timing.ts";

export interface LanguageServersOptions {
  fileAccess: FileAccess;
  /** Whether a program that comes with the project may run. Default: none may. */
  isTrusted?: IsTrusted | undefined;
  environment?: NodeJS.ProcessEnv;
  timing?: Partial<Timing>;
}

export interface LanguageServersSource extends Source<"languageServers"> {
  /** The state of each server. */
  state(): Promise<LanguageServerState[]>;
  /** Retries servers that were given up or not installed. */
  restart(): Promise<void>;
}

const NO_SERVERS: ObservedFacts["languageServers"] = { servers: [] };
const ABOUT_FILES = new Set(["file_read", "file_attached", "file_written", "file_removed", "file_changed"]);

export function createLanguageServersSource(options: LanguageServersOptions): LanguageServersSource {
  return new LanguageServers(options);
}

type Observed = ObservedFacts["languageServers"];

// A class, as each session has one.
class LanguageServers implements LanguageServersSource {
  readonly #options: LanguageServersOptions;
  #session: SourceSession | undefined;
  #current: { key: string; source: Promise<LspSource> } | undefined;
  /** The same object is returned for as long as it is equal. */
  #last = NO_SERVERS;

  constructor(options: LanguageServersOptions) {
    this.#options = options;
  }

  get fact() {
    return "languageServers" as const;
  }

  start(session: SourceSession): void {
    this.#session = session;
  }

  async notice(event: StoredEvent): Promise<void> {
    // They end when switched off; switched on again they start afresh.
    if (event.type === "config_changed" && this.#current !== undefined) await this.#source();
    if (ABOUT_FILES.has(event.type)) (await this.#source())?.notice(event);
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<Observed> | Observed {
    const servers = this.#source()?.then((source) => source.observe(turn, signal));
    return servers?.then((found) => this.#keep(found)) ?? this.#keep(NO_SERVERS);
  }

  async state(): Promise<LanguageServerState[]> {
    return (await this.#current?.source)?.state() ?? [];
  }

  async restart(): Promise<void> {
    (await this.#current?.source)?.restart();
  }

  async close(): Promise<void> {
    await (await this.#current?.source)?.close();
  }

  #source(): Promise<LspSource> | undefined {
    const settings = settingsOf(this.#session);
    const key = JSON.stringify(settings);
    const old = this.#current;
    if (old !== undefined && old.key !== key) {
      void old.source.then((source) => source.close()).catch(() => undefined);
      this.#current = undefined;
    }
    if (settings !== undefined) this.#current ??= { key, source: this.#load(settings) };
    return this.#current?.source;
  }

  async #load(settings: LanguageServersSettings): Promise<LspSource> {
    const { createLspSource } = await import("./lsp-source.ts");
    const made = createLspSource(lspOptions(this.#options, settings));
    made.start(this.#session as SourceSession);
    return made;
  }

  #keep(value: Observed): Observed {
    this.#last = sameIfEqual(this.#last, value);
    return this.#last;
  }
}

/** Which programs are installed, without starting any. */
export async function lookForServers(
  options: LanguageServersOptions,
  settings: LanguageServersSettings,
): Promise<LanguageServerState[]> {
  if (!settings.enabled) return [];
  const { createLspSource } = await import("./lsp-source.ts");
  const source = createLspSource(lspOptions(options, settings));
  await source.warm?.();
  await source.close();
  return source.state();
}

function lspOptions(
  {
    fileAccess,
    isTrusted = async () => false,
    environment = process.env,
    timing = {},
  }: LanguageServersOptions,
  settings: LanguageServersSettings,
) {
  return { fileAccess, isTrusted, environment, timing, settings };
}

/** Undefined while they are off, entirely or as a kind of diagnostics. */
function settingsOf(session: SourceSession | undefined): LanguageServersSettings | undefined {
  const settings = session?.settings();
  if (settings?.enabled !== true || !settings.language_servers.enabled) return undefined;
  const { enabled = false, options } = settings.types.get("diagnostics") ?? {};
  const isOn = enabled && (options as { lsp?: { enabled?: boolean } }).lsp?.enabled !== false;
  return isOn ? settings.language_servers : undefined;
}
