// Resources of MCP servers that the user's prompt mentions: read by the host, and recorded.

import type { SourceEvent } from "../../facts/events.ts";
import type { Mentioned } from "../../facts/facts.ts";
import { parseEvent } from "../../facts/parse-event.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { errorText } from "../../platform/errors.ts";
import type { ReadResource, ResourceReader, Source, TurnInfo } from "../source.ts";
import { parseMentions } from "./parse-mentions.ts";

interface Wanted {
  text: string;
  server: string;
  uri: string;
}

type Unresolved = { text: string; reason: string };

// A share of the turn's time, as for files: slow ones are sent with a later turn.
const PATIENCE = 0.4;
// Resources that do not answer by then are dropped.
const LATEST_MS = 10_000;
// The limit for one prompt.
const MOST = 20;
const SLOW = "could not be read in time: it comes with a later turn";

export function createMentionedResourcesSource(reader: ResourceReader): Source<"mentionedResources"> {
  const late = new Set<Promise<unknown>>();
  return {
    fact: "mentionedResources",
    forPrompt: true,
    observe(turn) {
      const servers = reader.servers();
      const mentions = parseMentions(turn.userPrompt ?? "", { servers, agents: [] });
      const all = mentions.filter((mention) => mention.kind === "mcp");
      return all.length === 0 ? { found: 0, unresolved: [] } : collect(all, turn);
    },
    async close() {
      await Promise.allSettled(late);
    },
  };

  async function collect(all: readonly Wanted[], turn: TurnInfo): Promise<Mentioned> {
    const wanted = all.slice(0, MOST);
    const open = new Set<Wanted>(wanted);
    const unresolved: Unresolved[] = [];
    const reading = Promise.all(
      wanted.map(async (one) => {
        const refusal = await attach(one, reader, turn);
        open.delete(one);
        if (refusal !== undefined) unresolved.push({ text: one.text, reason: refusal });
      }),
    ).then(() => undefined);
    if (!(await endsWithin(reading, turn.settings.timeout_ms * PATIENCE))) {
      late.add(reading);
      void reading.finally(() => late.delete(reading)).catch(() => undefined);
    }
    const slow = [...open].map(({ text }) => ({ text, reason: SLOW }));
    const left = all.slice(MOST).map(({ text }) => ({
      text,
      reason: `more than ${MOST} are mentioned: this one is skipped`,
    }));
    return {
      found: wanted.length - open.size - unresolved.length,
      unresolved: [...unresolved, ...slow, ...left],
    };
  }
}

/** Recorded as soon as it is available; or the reason why not. Rejects if the log cannot be written. */
async function attach(
  { server, uri }: Wanted,
  reader: ResourceReader,
  turn: TurnInfo,
): Promise<string | undefined> {
  let event: SourceEvent;
  try {
    const signal = AbortSignal.timeout(LATEST_MS);
    const gaveUp = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`did not answer within ${LATEST_MS} ms`)));
    });
    event = toEvent({ server, uri }, await Promise.race([reader.read({ server, uri }, signal), gaveUp]));
  } catch (error) {
    return `cannot be read: ${errorText(error)}`;
  }
  await turn.record([event]);
  return undefined;
}

function toEvent(
  { server, uri }: { server: string; uri: string },
  { name, description, contents }: ReadResource,
): SourceEvent {
  return parseEvent({
    type: "resource_attached",
    server,
    uri,
    contents,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  }) as SourceEvent;
}
