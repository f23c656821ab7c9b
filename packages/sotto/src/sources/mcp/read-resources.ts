// Reads the resources a prompt mentions: what is there in time is recorded with it, what is late with a later turn.

import { errorText } from "../../platform/errors.ts";
import type { EventOf } from "../../facts/events.ts";
import type { Mentioned } from "../../facts/facts.ts";
import type { Mention } from "../mentions/parse-mentions.ts";
import type { TurnInfo } from "../source.ts";
import type { Connection } from "./server.ts";

type ResourceMention = Extract<Mention, { kind: "mcp" }>;
type Attached = EventOf<"resource_attached">;
type Unresolved = Mentioned["unresolved"][number];

export interface ResourceReader {
  read(
    mentions: readonly ResourceMention[],
    options: { turn: TurnInfo; signal: AbortSignal },
  ): Promise<Mentioned>;
  close(): Promise<void>;
}

// Of the turn's time: what is there by then has to be written down.
const PATIENCE = 0.4;
const MOST = 20;
const SLOW = "could not be read in time: it comes with a later turn";

export function createResourceReader(connectionOf: (name: string) => Connection | undefined): ResourceReader {
  const ending = new AbortController();
  const late = new Set<Promise<void>>();
  /** Why something that was to come later does not. */
  const given: Unresolved[] = [];

  const load = async ({ text, server, uri }: ResourceMention): Promise<Attached | Unresolved> => {
    const connection = connectionOf(server);
    if (connection === undefined) return { text, reason: `the MCP server ${server} is not running` };
    try {
      const { name, description, contents } = await connection.read(uri, ending.signal);
      const about = { type: "resource_attached" as const, server, uri, name };
      return { ...about, ...(description === undefined ? {} : { description }), contents };
    } catch (error) {
      return { text, reason: errorText(error) };
    }
  };
  const record = async (found: readonly (Attached | Unresolved)[], turn: TurnInfo) => {
    const read = found.flatMap((one) => ("reason" in one ? [] : [one]));
    await turn.record(read);
    return { found: read.length, unresolved: found.flatMap((one) => ("reason" in one ? [one] : [])) };
  };
  const comeLater = (loading: Promise<Attached | Unresolved>, turn: TurnInfo) => {
    const rest = loading
      .then(async (found) => {
        if (ending.signal.aborted && "reason" in found) return;
        const { unresolved } = await record([found], turn);
        given.push(...unresolved);
        given.splice(0, given.length - MOST);
      })
      .catch(() => undefined);
    late.add(rest);
    void rest.then(() => late.delete(rest));
  };

  return {
    async read(mentions, { turn, signal }) {
      const before = given.splice(0);
      const loading = mentions.slice(0, MOST).map((mention) => ({ mention, loaded: load(mention) }));
      const isThere = await inTime(
        loading.map(({ loaded }) => loaded),
        { ms: turn.settings.timeout_ms * PATIENCE, signal },
      );
      const slow = loading.filter((_one, index) => !isThere[index]);
      // The prompt comes only once: what is slow is not given up.
      for (const { loaded } of slow) comeLater(loaded, turn);
      const ready = await Promise.all(
        loading.flatMap(({ loaded }, index) => (isThere[index] ? [loaded] : [])),
      );
      const { found, unresolved } = await record(ready, turn);
      const left = mentions.slice(MOST).map(({ text }) => ({
        text,
        reason: `more than ${MOST} are mentioned: this one is left out`,
      }));
      const waiting = slow.map(({ mention: { text } }) => ({ text, reason: SLOW }));
      return { found, unresolved: [...unresolved, ...waiting, ...left, ...before] };
    },
    async close() {
      ending.abort();
      await Promise.all(late);
    },
  };
}

/** Which of them were there when all were, or the time was up. */
async function inTime(
  loading: readonly Promise<unknown>[],
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<boolean[]> {
  const isThere = loading.map(() => false);
  const all = Promise.all(
    loading.map(async (one, index) => {
      await one;
      isThere[index] = true;
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([all, enough]);
  clearTimeout(timer);
  return [...isThere];
}
