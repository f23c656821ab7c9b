// Where programs keep their notes of past sessions in a project.

import { smallHash } from "../platform/small-hash.ts";

/** The file that a session writes there. */
export function sessionNoteName(sessionId: string): string {
  return `${sessionId.replace(/[^\w.-]+/gu, "-")}.md`;
}

/** One directory per project, with a readable and unique name. */
export function sessionNotesPath(stateDirectory: string, project: string): string {
  const name = project.slice(project.lastIndexOf("/") + 1).replace(/[^\w.-]+/gu, "-");
  const large = () =>
    process.getBuiltinModule("node:crypto").createHash("sha256").update(project).digest("hex");
  const hash = smallHash(project) ?? large();
  return `${stateDirectory}/session-memory/${name.slice(0, 60)}-${hash.slice(0, 10)}`;
}

// Where texts of a session are kept that are too long to send.

export function longTextsDirectory(stateDirectory: string, sessionId: string): string {
  return `${stateDirectory}/words/${sessionId.replace(/[^\w.-]+/gu, "-").replace(/^\.+/u, "-")}`;
}
