// createSession: the engine with Node's clock, the built-in sources, all attachment types, and this machine's config.

import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Attachment } from "./attachments/attachment.ts";
import { catalogue } from "./attachments/catalogue.ts";
import type { Redaction } from "./engine/engine.ts";
import { type EngineOptions, type SessionOptions, sessionOptions } from "./engine/options.ts";
import { createSessionFrom, type Session } from "./engine/session.ts";
import { openTelemetry } from "./integrations/open-telemetry.ts";
import { checkOptions } from "./platform/check-options.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { checkNodeVersion } from "./platform/node-version.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { builtInSources } from "./sources/built-in.ts";
import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { createFileAccess } from "./sources/files/file-access.ts";
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
  return openSession(options);
}

/** For a process that lives for a call or two of a longer conversation, such as a hook. */
export function createShortLivedSession(options: SessionOptions): Session {
  return openSession(options, { shortLived: true });
}

function openSession(options: SessionOptions, more: { shortLived?: true } = {}): Session {
  checkOptions("createSession", sessionOptions, options);
  const { cwd, home: user, attachments = [], permissions, trust, configFiles, mentions, mailbox } = options;
  const places = userDirectories(user);
  const readsFiles = configFiles?.read ?? true;
  const isTrusted = trust?.project ?? trustedByUser({ cwd, home: user });
  const teammate = readsFiles ? process.env.CLAUDE_CODE_TEAMMATE_ID?.trim() : undefined;
  const mailboxFile = teammate ? { teammate } : {};
  const parts = {
    platform: nodePlatform,
    telemetry: openTelemetry,
    catalogue,
    sources: ({ agent }: EngineOptions) =>
      builtInSources({
        cwd,
        permissions,
        trust,
        isTrusted,
        agents: mentions?.agents,
        resources: mentions?.resources,
        ...places,
        // A sub-agent does not read its parent's mail.
        ...(agent.kind === "sub" ? {} : { ...(mailbox === undefined ? {} : { mailbox }), mailboxFile }),
      }),
    templates: async (_: EngineOptions, all: readonly Attachment[]) => {
      const { loadTemplates } = await import("./sources/templates.ts");
      const files = createFileAccess({ cwd, permissions, trust, ...places });
      const signal = AbortSignal.timeout(PATIENCE_MS);
      return loadTemplates({ fileAccess: files, catalogue: all, isTrusted, signal });
    },
    redaction: () => redactionIn(cwd),
    keepWords: async (sessionId: string, text: string) => {
      const { keepLongText } = await import("./sources/keep-long-text.ts");
      return keepLongText({ stateDirectory: places.stateDirectory, sessionId }, text);
    },
    store: options.store ?? createMemoryStore(),
    ...(readsFiles && {
      ambient: ambientConfig({
        cwd,
        home: user,
        permissions,
        trust,
        catalogue: attachments.length === 0 ? catalogue : [...catalogue, ...attachments],
      }),
    }),
  };
  const agent = options.agent ?? { kind: "main" };
  return createSessionFrom(parts, { ...options, agent, home: places.home, ...more });
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
