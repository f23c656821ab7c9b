// The resources of one connection: their names, what was read of them, and whether that still holds.

import type { EventOf } from "../../facts/events.ts";
import { createRemainingLimits } from "../cut-text.ts";
import { LOAD_LIMITS } from "../mentions/content.ts";
import type { Redact } from "../redact.ts";
import type { Client } from "./sdk.ts";

export interface ReadResource {
  name: string;
  description?: string;
  contents: ShownContents;
}

export interface ServerResources {
  read(uri: string, signal: AbortSignal): Promise<ReadResource>;
  /** The server reports that it has changed. */
  updated(uri: string): void;
  /** Requests the list again. */
  list(): Promise<void>;
  count(): number;
}

interface Entry {
  /** Incremented by every reported update. */
  version: number;
  subscribed: boolean;
  /** The last content, as long as the server has reported no change since. */
  current?: ShownContents;
}

const READ_MS = 30_000;
const LIST_MS = 20_000;
const MOST_LISTED = 2000;
const MOST_KEPT = 50;
const LONGEST_WORDS = 500;

export function createServerResources(client: Client, redact: Redact): ServerResources {
  const { subscribe: canSubscribe = false } = client.getServerCapabilities()?.resources ?? {};
  const known = new Map<string, { name: string; description?: string }>();
  const entries = new Map<string, Entry>();

  const entryFor = (uri: string) => {
    const entry = entries.get(uri) ?? { version: 0, subscribed: false };
    // Most recent last: the first one is dropped.
    entries.delete(uri);
    entries.set(uri, entry);
    const [oldest] = entries.keys();
    if (entries.size > MOST_KEPT && oldest !== undefined) forget(oldest);
    return entry;
  };
  const forget = (uri: string) => {
    const { subscribed } = entries.get(uri) as Entry;
    entries.delete(uri);
    if (subscribed) void client.unsubscribeResource({ uri }).catch(() => undefined);
  };
  const subscribe = async (uri: string, entry: Entry) => {
    if (!canSubscribe || entry.subscribed) return;
    await client.subscribeResource({ uri }, { timeout: READ_MS });
    entry.subscribed = true;
  };

  return {
    async read(uri, signal) {
      const entry = entryFor(uri);
      const { version, subscribed } = entry;
      const words = known.get(uri) ?? { name: uri };
      if (entry.current !== undefined) return { ...words, contents: entry.current };
      void subscribe(uri, entry).catch(() => undefined);
      const { contents } = await client.readResource(
        { uri },
        { signal, timeout: READ_MS, cacheMode: "bypass" },
      );
      const shown = showContents(contents, redact);
      // Only a content that was read under a subscription, without an update meanwhile, is known to hold.
      if (subscribed && entry.version === version) entry.current = shown;
      return { ...words, contents: shown };
    },
    updated(uri) {
      const entry = entries.get(uri);
      if (entry === undefined) return;
      entry.version += 1;
      delete entry.current;
    },
    async list() {
      if (client.getServerCapabilities()?.resources === undefined) return;
      const { resources } = await client.listResources(undefined, { timeout: LIST_MS, cacheMode: "bypass" });
      known.clear();
      for (const { uri, name, description } of resources.slice(0, MOST_LISTED))
        known.set(uri, {
          name: words(name, redact),
          ...(description === undefined ? {} : { description: words(description, redact) }),
        });
    },
    count: () => known.size,
  };
}

function words(text: string, redact: Redact): string {
  return redact(text).slice(0, LONGEST_WORDS).toWellFormed();
}

// The content of a resource as it is kept: texts cut to what a file may show, for anything else its type.

export type ShownContents = EventOf<"resource_attached">["contents"];

const MOST_PARTS = 100;
const LONGEST_TYPE = 100;

export function showContents(contents: readonly unknown[], redact: Redact): ShownContents {
  const room = createRemainingLimits(LOAD_LIMITS);
  const shown: ShownContents = [];
  for (const part of contents.slice(0, MOST_PARTS)) {
    if (!room.isLeft()) break;
    shown.push(showPart(part, (text) => room.take(redact(text))));
  }
  if (!room.isCut() && shown.length === contents.length) return shown;
  const note = `(cut: this is the beginning, ${lengthOf(contents)} characters in all)`;
  const last = shown.findLastIndex(({ text }) => text !== undefined);
  return shown.map((part, index) => (index === last ? { text: `${part.text}\n${note}` } : part));
}

function showPart(part: unknown, take: (text: string) => string): ShownContents[number] {
  const { text, blob, mimeType } = (part ?? {}) as Record<string, unknown>;
  if (typeof text === "string") return { text: take(text) };
  if (typeof blob !== "string") return {};
  const type = typeof mimeType === "string" ? mimeType.slice(0, LONGEST_TYPE) : "application/octet-stream";
  return { blob: "", mimeType: type };
}

function lengthOf(contents: readonly unknown[]): number {
  return contents.reduce<number>((sum, part) => {
    const { text } = (part ?? {}) as { text?: unknown };
    return sum + (typeof text === "string" ? text.length : 0);
  }, 0);
}
