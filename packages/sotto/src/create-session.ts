// createSession: the engine with Node's clock, the built-in sources, the whole catalogue, and the config of this machine.

import type { Attachment } from "./attachments/attachment.ts";
import { catalogue } from "./attachments/catalogue.ts";
import type { SessionOptions } from "./engine/options.ts";
import { sessionOptions } from "./engine/options.ts";
import { createSessionFrom, type Session } from "./engine/session.ts";
import { openTelemetry } from "./integrations/open-telemetry.ts";
import { checkOptions } from "./platform/check-options.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { builtInSources } from "./sources/built-in.ts";
import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { createFileAccess } from "./sources/files/file-access.ts";
import { checkAddress } from "./sources/team/mailbox-path.ts";
import { trustedByUser } from "./sources/trust/user-trust.ts";
import { createMemoryStore } from "./stores/memory.ts";

// A session opens also where the disk does not answer.
const PATIENCE_MS = 1000;

export function createSession(options: SessionOptions): Session {
  checkOptions("createSession", sessionOptions, options);
  if (options.mailbox !== undefined) checkAddress(options.mailbox);
  const { cwd: given, home: user, attachments = [], readConfig = true, permissions } = options;
  const ambient = ambientConfig({
    cwd: given,
    home: user,
    permissions,
    instructions: options.instructions,
    catalogue: [...catalogue, ...attachments],
  });
  const teammate = readConfig ? process.env.CLAUDE_CODE_TEAMMATE_ID?.trim() : undefined;
  const mailboxFile = teammate ? { teammate } : {};
  const parts = {
    platform: nodePlatform,
    telemetry: openTelemetry,
    catalogue,
    sources: ({ cwd, home, permissions, agent, agents, resources, mailbox, ...more }: SessionOptions) =>
      builtInSources({
        cwd,
        permissions,
        instructions: more.instructions,
        pastSessions: more.pastSessions,
        agents,
        resources,
        isTrusted: more.isTrusted ?? trustedByUser(placeOf({ cwd, home })),
        ...userDirectories(home),
        // A sub-agent reads none of its parent's mail.
        ...(agent.kind === "sub" ? {} : { ...(mailbox === undefined ? {} : { mailbox }), mailboxFile }),
      }),
    templates: async (own: SessionOptions, all: readonly Attachment[]) => {
      const { cwd, home, permissions, isTrusted, instructions } = own;
      const { loadTemplates } = await import("./sources/templates/load-templates.ts");
      const desk = createFileAccess({ cwd, permissions, instructions, ...userDirectories(home) });
      return loadTemplates({
        desk,
        catalogue: all,
        isTrusted: isTrusted ?? trustedByUser(placeOf({ cwd, home })),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    },
    redact: async (text: string) => {
      const { redactText: redactWords } = await import("./sources/redact.ts");
      return redactWords(process.env)(text);
    },
    keepWords: async (sessionId: string, text: string) => {
      const { keepLongText: keepWords } = await import("./sources/keep-long-text.ts");
      return keepWords({ stateDirectory: userDirectories(user).stateDirectory, sessionId }, text);
    },
    store: options.store ?? createMemoryStore(),
    ...(readConfig ? { ambient } : {}),
  };
  return createSessionFrom(parts, { ...options, home: userDirectories(user).home });
}

function placeOf({ cwd, home }: { cwd: string; home: string | undefined }): { cwd: string; home?: string } {
  return { cwd, ...(home === undefined ? {} : { home }) };
}
