// Where programs keep their notes of past sessions in a project.

import { fileName } from "../platform/paths.ts";
import { sha256 } from "../platform/sha256.ts";

/** The file that a session writes there. */
export function sessionNoteName(sessionId: string): string {
  return `${fileName(sessionId)}.md`;
}

/** One directory per project, with a readable and unique name. */
export function sessionNotesPath(stateDirectory: string, project: string): string {
  const name = project.slice(project.lastIndexOf("/") + 1).replace(/[^\w.-]+/gu, "-");
  return `${stateDirectory}/session-memory/${name.slice(0, 60)}-${sha256(project).slice(0, 10)}`;
}

// Where texts of a session are kept that are too long to send.

export function longTextsDirectory(stateDirectory: string, sessionId: string): string {
  return `${stateDirectory}/words/${fileName(sessionId)}`;
}
