// Which language servers a project would get, without a session and without starting any: for programs that check it.

import { catalogue } from "./attachments/catalogue.ts";
import { resolveSettings } from "./config/schema.ts";
import type { LanguageServerState } from "./facts/facts.ts";
import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { allowedByUser } from "./sources/trust/user-trust.ts";
import { createDesk } from "./sources/files/file-access.ts";
import { lookForServers } from "./sources/lsp/language-servers.ts";
import { userPlaces } from "./platform/user-directories.ts";

export type FindLanguageServersOptions = Pick<SessionOptions, "cwd" | "home" | "config" | "isTrusted">;

/** One line each; none where config does not ask for any. */
export async function findLanguageServers(
  options: FindLanguageServersOptions,
): Promise<LanguageServerState[]> {
  const { language_servers } = resolveSettings(options.config, catalogue);
  const desk = createDesk({ cwd: absolutePath(options.cwd, process.cwd()), ...userPlaces(options.home) });
  return lookForServers({ desk, isTrusted: options.isTrusted ?? allowedByUser(options) }, language_servers);
}
