// The latest bodies of a conversation, as far as a header or the connection tells: the next one begins like one of them. They
// are only compared with it, so a wrong guess costs a comparison.

import type { IncomingMessage } from "node:http";
import type { Bytes } from "sotto/internal";

type Asked = Pick<IncomingMessage, "headers" | "url" | "socket">;

export interface LatestBodies {
  /** `client`: the name of its token. */
  of(request: Asked, client: string | undefined): Bytes[];
  keep(request: Asked, client: string | undefined, body: Bytes): void;
}

/** What clients name their conversations and agents by. */
const NAMES = [
  "x-sotto-session",
  "x-claude-code-session-id",
  "x-claude-code-agent-id",
  "thread-id",
  "session-id",
  "session_id",
  "conversation_id",
  "x-opencode-session",
  "x-session-id",
  "x-task-id",
];
const REMEMBERED = 2000;
// Requests for a title, or of a sub-agent, may come between.
const EACH = 3;

// Whoever reads bodies on keeps them.
type Kept = WeakRef<Bytes>[];

export function createLatestBodies(): LatestBodies {
  // From the longest unused to the latest.
  const named = new Map<string, Kept>();
  const unnamed = new WeakMap<object, Kept>();
  const keptOf = ({ socket }: Asked, name: string | undefined) =>
    (name === undefined ? unnamed.get(socket) : named.get(name)) ?? [];
  return {
    of: (request, client) => keptOf(request, nameIn(request, client)).flatMap((one) => one.deref() ?? []),
    keep(request, client, body) {
      const name = nameIn(request, client);
      const isOther = (one: Bytes | undefined) => one !== undefined && !beginsAlike(one, body);
      const others = keptOf(request, name).filter((one) => isOther(one.deref()));
      const kept = [new WeakRef(body), ...others.slice(0, EACH - 1)];
      if (name === undefined) return void unnamed.set(request.socket, kept);
      named.delete(name);
      named.set(name, kept);
      const [oldest] = named.keys();
      if (named.size > REMEMBERED && oldest !== undefined) named.delete(oldest);
    },
  };
}

/** They share the memory of their beginning. */
function beginsAlike(one: Bytes, other: Bytes): boolean {
  return one.parts[0]?.buffer === other.parts[0]?.buffer;
}

function nameIn({ headers, url = "" }: Asked, client = ""): string | undefined {
  const names = NAMES.map((name) => headers[name]);
  if (names.every((name) => name === undefined)) return undefined;
  return JSON.stringify([client, url, names]);
}
