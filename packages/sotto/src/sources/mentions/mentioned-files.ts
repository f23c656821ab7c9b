// What the user's prompt mentions: looked up, read and recorded, so that it comes with the prompt.

import { parseMentions } from "./parse-mentions.ts";
import { createSerial } from "../../platform/serial.ts";
import type { Source } from "../source.ts";
import type { Desk } from "../files/file-access.ts";
import { gather } from "./gather.ts";
import { isOver } from "../../platform/time-limit.ts";

// Of the turn's time: others build on what is found, and what is there by then has to be written down.
const PATIENCE = 0.4;
// How long whoever closes a session waits for what is still being read.
const LATEST_MS = 10_000;

/** What a host says there is besides files: what names one of these is no path. */
export interface KnownNames {
  agents?: readonly string[] | undefined;
  servers?(): readonly string[];
}

export function createMentionsSource(
  desk: Desk,
  { agents = [], servers = () => [], closeMs = LATEST_MS }: KnownNames & { closeMs?: number } = {},
): Source<"mentioned"> {
  const serial = createSerial();
  const late = new Set<Promise<void>>();
  const patience = new AbortController();
  return {
    fact: "mentioned",
    forPrompt: true,
    async observe(turn) {
      // What belongs to an MCP server or an agent is for sources of its own.
      const known = { servers: [...servers(), ...turn.servers], agents };
      const mentions = parseMentions(turn.userPrompt ?? "", known).filter(({ kind }) => kind === "path");
      if (mentions.length === 0) return { found: 0, unresolved: [] };
      const gathering = gather(mentions, { desk, turn, serial, patience: patience.signal });
      // From the start: on a busy machine the turn may be over before this one is late.
      const rest = gathering.end.catch(() => undefined);
      late.add(rest);
      void rest.then(() => late.delete(rest));
      if (await isOver(gathering.end, turn.settings.timeout_ms * PATIENCE)) return gathering.report();
      // The prompt comes only once: what is slow is not given up, it comes with the next turn.
      gathering.goOn();
      await gathering.record();
      return gathering.report();
    },
    async close() {
      if (late.size === 0) return;
      const timer = setTimeout(() => patience.abort(), closeMs);
      await Promise.all(late);
      clearTimeout(timer);
    },
  };
}
