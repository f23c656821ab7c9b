// Where texts of a session are kept that are too long to be sent.

export function wordsDirectory(stateDirectory: string, sessionId: string): string {
  return `${stateDirectory}/words/${sessionId.replace(/[^\w.-]+/gu, "-").replace(/^\.+/u, "-")}`;
}
