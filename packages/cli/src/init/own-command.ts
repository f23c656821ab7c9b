// Which hooks are ours: those whose command is `sotto hook …`, however the program is named.

const OWN = /(?:^|[\s/])sotto(?:-cli)?(?:\.js)?["']?\s+hook\b/u;

export function isOwnHandler(handler: unknown): boolean {
  const command = commandOf(handler);
  return command !== undefined && OWN.test(command);
}

/** The whole command line, also of a hook that is started without a shell. */
export function commandOf(handler: unknown): string | undefined {
  if (typeof handler !== "object" || handler === null) return undefined;
  const { command, args } = handler as { command?: unknown; args?: unknown };
  if (typeof command !== "string") return undefined;
  return Array.isArray(args) ? [command, ...args].join(" ") : command;
}
