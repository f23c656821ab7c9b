// Where the outputs of a session's background tasks are kept.

import { join } from "node:path";

export function taskDirectory(stateDirectory: string, sessionId: string): string {
  return join(stateDirectory, "tasks", sessionId.replace(/[^\w.-]+/gu, "-"));
}
