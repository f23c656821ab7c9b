// What sources are told about the turn that asks them.

import type { SessionContext } from "./context.ts";
import type { SessionEvent } from "../facts/events.ts";
import type { TurnInfo } from "../sources/source.ts";

export interface TurnInfoOptions {
  userPrompt?: string | undefined;
  isTyped?: boolean;
  append(events: readonly SessionEvent[]): Promise<void>;
}

export function turnInfo(
  { journal, cwd, id, settings, store, platform, servers }: SessionContext,
  { userPrompt, isTyped = false, append }: TurnInfoOptions,
): Omit<TurnInfo, "observed"> {
  return {
    cwd,
    session: id,
    get facts() {
      return journal.state.facts;
    },
    settings,
    servers: servers(),
    work: platform.work,
    // What was given up stands there all the same when its history comes back.
    isOffered: (edge) =>
      Object.values(journal.state.deliveries).some(
        ({ state, anchor, covers }) =>
          (state !== "abandoned" || anchor !== undefined) && covers.includes(edge),
      ),
    record: append,
    putBlob: (content) => store.putBlob(content),
    getBlob: (hash) => store.getBlob(hash),
    isTyped,
    ...(userPrompt === undefined ? {} : { userPrompt }),
  };
}
