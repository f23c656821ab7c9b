// Language servers, if config enables them: loaded with the first file, closed when switched off.

import type { LanguageServersSettings } from "../../config/language-servers.ts";
import type { LanguageServerState } from "../../facts/facts.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { IsTrusted, Source, SourceSession } from "../source.ts";
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

const ABOUT_FILES = new Set(["file_read", "file_attached", "file_written", "file_removed", "file_changed"]);

export function createLanguageServersSource(options: LanguageServersOptions): LanguageServersSource {
  let session: SourceSession | undefined;
  let current: { key: string; source: Promise<LspSource> } | undefined;

  const source = (): Promise<LspSource> | undefined => {
    const settings = settingsOf(session);
    const key = JSON.stringify(settings);
    if (current !== undefined && current.key !== key) {
      void current.source.then((old) => old.close()).catch(() => undefined);
      current = undefined;
    }
    if (settings !== undefined) current ??= { key, source: load(settings) };
    return current?.source;
  };
  const load = async (settings: LanguageServersSettings) => {
    const { createLspSource } = await import("./lsp-source.ts");
    const made = createLspSource(lspOptions(options, settings));
    made.start(session as SourceSession);
    return made;
  };
  return {
    fact: "languageServers",
    start(given) {
      session = given;
    },
    async notice(event) {
      // They end when switched off; switched on again they start afresh.
      if (event.type === "config_changed" && current !== undefined) await source();
      if (ABOUT_FILES.has(event.type)) (await source())?.notice(event);
    },
    observe: (turn, signal) => source()?.then((servers) => servers.observe(turn, signal)) ?? { servers: [] },
    state: async () => (await current?.source)?.state() ?? [],
    async restart() {
      (await current?.source)?.restart();
    },
    async close() {
      await (await current?.source)?.close();
    },
  };
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
