// Which language servers a project would get, without a session and without starting any: for programs that check it.

import { catalogue } from "./attachments/index.ts";
import { resolveSettings } from "./core/config.ts";
import type { LanguageServerState } from "./core/facts.ts";
import type { SessionOptions } from "./core/options.ts";
import { absolutePath } from "./core/path.ts";
import { allowedByUser } from "./project-trust.ts";
import { createDesk } from "./sources/files/desk.ts";
import { lookForServers } from "./sources/language-servers.ts";
import { userPlaces } from "./user-places.ts";

export type FindLanguageServersOptions = Pick<SessionOptions, "cwd" | "home" | "config" | "isTrusted">;

/** One line each; none where config does not ask for any. */
export async function findLanguageServers(
  options: FindLanguageServersOptions,
): Promise<LanguageServerState[]> {
  const { language_servers } = resolveSettings(options.config, catalogue);
  const desk = createDesk({ cwd: absolutePath(options.cwd, process.cwd()), ...userPlaces(options.home) });
  return lookForServers({ desk, isTrusted: options.isTrusted ?? allowedByUser(options) }, language_servers);
}
