// createSession: the engine with Node's clock, the built-in sources, all attachment types, and this machine's config.

import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Attachment } from "./attachments/attachment.ts";
import { catalogue } from "./attachments/catalogue.ts";
import type { AmbientConfig } from "./config/layers.ts";
import type { Redaction, SessionParts } from "./engine/engine.ts";
import { type EngineOptions, type SessionOptions, sessionOptions } from "./engine/options.ts";
import { createSessionFrom, type Session } from "./engine/session.ts";
import { openTelemetry } from "./integrations/open-telemetry.ts";
import type { Store } from "./log/entries.ts";
import { checkOptions } from "./platform/check-options.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { checkNodeVersion } from "./platform/node-version.ts";
import { type UserDirectories, userDirectories } from "./platform/user-directories.ts";
import { builtInSources } from "./sources/built-in.ts";
import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { createFileAccess, type FileAccessOptions } from "./sources/files/file-access.ts";
import type { IsTrusted, Source } from "./sources/source.ts";
import { trustedByUser } from "./sources/trust/trusted-by-user.ts";
import { createMemoryStore } from "./stores/memory.ts";

// A session opens even if the disk does not answer.
const PATIENCE_MS = 1000;

/**
 * Creates a session: one agent's conversation. Nothing is read or written before its first use.
 * Throws `invalid_options` or `invalid_config` naming what is wrong, and `unsupported_node` below Node 22.13.
 */
export function createSession(options: SessionOptions): Session {
  checkNodeVersion();
  checkOptions("createSession", sessionOptions, options);
  return openSession(options);
}

/** For a process that lives for a call or two of a longer conversation. */
export function createShortLivedSession(options: SessionOptions): Session {
  checkOptions("createSession", sessionOptions, options);
  return openSession(options, { shortLived: true });
}

/** The same for `sotto hook`, which makes the options itself: checking them would take longer than opening the session. */
export function createSessionForCall(options: SessionOptions): Session {
  return openSession(options, { shortLived: true, isOurs: true });
}

function openSession(given: SessionOptions, more: { shortLived?: true; isOurs?: true } = {}): Session {
  const parts = new PartsOnNode(given);
  const agent = given.agent ?? { kind: "main" };
  return createSessionFrom(parts, { ...given, agent, home: parts.places.home, ...more });
}

// A class, as a server has thousands of sessions: what they do is shared.
class PartsOnNode implements SessionParts {
  readonly places: UserDirectories;
  readonly store: Store;
  readonly ambient?: AmbientConfig;
  readonly #options: SessionOptions;
  readonly #isTrusted: IsTrusted;

  constructor(options: SessionOptions) {
    const { cwd, home, attachments = [], permissions, trust, configFiles } = options;
    this.#options = options;
    this.places = userDirectories(home);
    this.#isTrusted = trust?.project ?? trustedByUser({ cwd, home });
    this.store = options.store ?? createMemoryStore();
    if (configFiles?.read ?? true)
      this.ambient = ambientConfig({
        cwd,
        home,
        permissions,
        trust,
        catalogue: attachments.length === 0 ? catalogue : [...catalogue, ...attachments],
      });
  }

  get platform() {
    return nodePlatform;
  }

  get telemetry() {
    return openTelemetry;
  }

  get catalogue() {
    return catalogue;
  }

  sources({ agent, shortLived }: EngineOptions): readonly Source[] {
    const { mentions, mailbox } = this.#options;
    return builtInSources({
      ...this.#files(),
      isTrusted: this.#isTrusted,
      agents: mentions?.agents,
      resources: mentions?.resources,
      isBrief: shortLived,
      // A sub-agent does not read its parent's mail.
      ...(agent.kind === "sub"
        ? {}
        : { ...(mailbox === undefined ? {} : { mailbox }), mailboxFile: this.#mailboxFile() }),
    });
  }

  async templates(all: readonly Attachment[], withinMs: number) {
    const { loadTemplates } = await import("./sources/templates.ts");
    const fileAccess = createFileAccess(this.#files());
    const signal = AbortSignal.timeout(withinMs);
    return loadTemplates({ fileAccess, catalogue: all, isTrusted: this.#isTrusted, signal });
  }

  redaction(): Redaction {
    return redactionIn(this.#options.cwd);
  }

  async keepWords(sessionId: string, text: string): Promise<string> {
    const { keepLongText } = await import("./sources/keep-long-text.ts");
    return keepLongText({ stateDirectory: this.places.stateDirectory, sessionId }, text);
  }

  #files(): FileAccessOptions {
    const { cwd, permissions, trust } = this.#options;
    return { cwd, permissions, trust, ...this.places };
  }

  #mailboxFile(): { teammate?: string } {
    const readsFiles = this.#options.configFiles?.read ?? true;
    const teammate = readsFiles ? process.env.CLAUDE_CODE_TEAMMATE_ID?.trim() : undefined;
    return teammate ? { teammate } : {};
  }
}

/** What takes secrets out of commands before they are stored. A file that is there keeps its name, whatever that looks like. */
function redactionIn(cwd: string): Redaction {
  let redact: Promise<(text: string) => string> | undefined;
  const text = async (value: string) => {
    redact ??= import("./sources/redact.ts").then(({ redactText }) => redactText(process.env));
    return (await redact)(value);
  };
  const path = async (value: string) => {
    const harmless = await text(value);
    return harmless !== value && (await isThere(resolve(cwd, value))) ? value : harmless;
  };
  return { text, path };
}

/** False as well if the file system does not answer. */
async function isThere(path: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const late = new Promise<false>((done) => signal.addEventListener("abort", () => done(false)));
  const found = lstat(path).then(
    () => true,
    () => false,
  );
  return Promise.race([found, late]);
}
