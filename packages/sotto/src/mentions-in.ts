// What a prompt mentions and what of it is there, without a session: for programs that show or check it.

import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { createDesk, type Desk } from "./sources/files/file-access.ts";
import type { MentionedPlace, ResolvedMentions } from "./sources/mentions/resolve.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface MentionsInOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  prompt: string;
  /** Names of the MCP servers there are. */
  servers?: readonly string[];
  /** Types of the agents there are. */
  agents?: readonly string[];
}

const SECRET = "it looks as if it held secrets";

export async function mentionsIn(options: MentionsInOptions): Promise<ResolvedMentions> {
  const { prompt, permissions, servers = [], agents = [] } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const desk = createDesk({ cwd, permissions, ...userPlaces(options.home) });
  const [{ parseMentions }, { resolveMentions }] = await Promise.all([
    import("./sources/mentions/parse-mentions.ts"),
    import("./sources/mentions/resolve.ts"),
  ]);
  return resolveMentions(parseMentions(prompt, { servers, agents }), {
    cwd,
    home: desk.home,
    stat: (path) => placeAt(path, desk),
  });
}

/** A link to what may not be read may not be read either, nor a directory that only rules about directories name. */
async function placeAt(path: string, desk: Desk): Promise<MentionedPlace> {
  const reader = await desk.reader();
  const found = await reader.stat(path);
  if (found.kind === "directory") {
    const listed = await reader.list(path, { limit: 1 });
    return listed.kind === "file" ? found : listed;
  }
  if (found.kind !== "file") return found;
  const access = await reader.access(path);
  if (access.kind === "secret") return { kind: "denied", rule: SECRET };
  return access.kind === "allowed" ? found : access;
}
