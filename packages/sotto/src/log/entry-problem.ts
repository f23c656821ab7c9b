// Validation of entries that were read: valid JSON may still not be a valid entry.

import * as v from "valibot";
import { issueText, parseStoredEvent } from "../facts/parse-event.ts";
import { errorText } from "../platform/errors.ts";
import type { Entry } from "./entries.ts";

const strings = v.array(v.string());
const anchor = v.looseObject({ hash: v.string(), blocks: v.number() });
const hunk = v.looseObject({ at: v.number(), drop: v.number(), add: strings });
const branchPoint = v.looseObject({
  branch: v.string(),
  turn: v.number(),
  blocks: v.optional(v.number()),
});

const offer = v.looseObject({
  id: v.string(),
  branch: v.string(),
  turn: v.number(),
  type: v.string(),
  hash: v.string(),
  covers: strings,
  divides: v.optional(v.looseObject({ id: v.string(), at: v.number() })),
  blocks: v.array(
    v.variant("type", [
      v.looseObject({ type: v.literal("text"), text: v.string() }),
      v.looseObject({ type: v.literal("image"), mediaType: v.string(), blob: v.string() }),
    ]),
  ),
  textHashes: strings,
  tokens: v.number(),
  anchor: v.optional(anchor),
  assistantTurns: v.number(),
  assistantsBehind: v.number(),
  owner: v.string(),
  expiresAt: v.number(),
});

const settlement = v.looseObject({
  state: v.picklist(["confirmed", "abandoned", "handed"]),
  id: v.string(),
  branch: v.string(),
});

const turn = v.looseObject({
  turn: v.number(),
  branch: v.string(),
  parent: v.optional(branchPoint),
  head: v.optional(
    v.looseObject({
      anchor,
      assistants: v.number(),
      since: v.optional(v.number()),
      hunks: v.optional(v.array(hunk)),
    }),
  ),
  assistantTurns: v.number(),
  outcomes: v.record(v.string(), v.looseObject({ outcome: v.string(), reason: v.string() })),
  spared: v.optional(v.record(v.string(), v.looseObject({ count: v.number(), tokens: v.number() }))),
  problems: v.optional(v.array(v.string())),
});

/** The problem of an entry, or undefined if it is valid. `hash`: the hash function of its texts. */
export function entryProblem(entry: Entry, hash?: (text: string) => string): string | undefined {
  if (entry.kind === "event") {
    try {
      parseStoredEvent(entry.event);
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  }
  const schema = entry.kind === "turn" ? turn : entry.state === "offered" ? offer : settlement;
  const { issues } = v.safeParse(schema as v.GenericSchema, entry, { abortEarly: true });
  if (issues !== undefined) return issueText(entry.kind, issues[0]);
  if (hash === undefined || entry.kind !== "delivery" || entry.state !== "offered") return undefined;
  const hashes = entry.blocks.flatMap((block) => (block.type === "text" ? [hash(block.text)] : []));
  const isSame =
    hashes.length === entry.textHashes.length && hashes.every((one, at) => one === entry.textHashes[at]);
  return isSame ? undefined : "the text of the delivery is not what its hash says";
}
