// Filling a request: reminders back in their places and new ones in theirs, images out of the store.

import type { Attachment } from "../attachments/attachment.ts";
import type { Dialect, InsertedBlock } from "../dialects/dialect.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { insertPieces, type Piece } from "../history/place.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import type { Neutraliser } from "../render/neutralise/neutralise.ts";
import { type Reminder, type ReminderBlock, textOf, uuidOf } from "../render/reminder.ts";
import type { SessionContext } from "./context.ts";
import type { Decision } from "./decide.ts";
import type { Offer } from "./offer.ts";

export async function insertIntoBody(
  context: SessionContext,
  { situation, offers }: Decision,
): Promise<unknown> {
  const { read } = situation;
  if (read === undefined) return undefined;
  const { deliveries } = context.journal.state;
  const added = offers.flatMap((offer) => {
    const delivery = deliveries[deliveryKey(offer)];
    const at = offer.again ? undefined : offer.anchor?.blocks;
    return at === undefined || delivery === undefined ? [] : [{ delivery, at }];
  });
  return insertPieces(read, await toInsertions(context, [...situation.view.inView, ...added]));
}

/** Those that have to be put into the request. */
export async function toInsertions(
  context: SessionContext,
  placed: readonly { delivery: Delivery; at?: number }[],
): Promise<Piece[]> {
  const missing = placed.flatMap(({ delivery, at }) =>
    at === undefined || delivery.blocks.length === 0 ? [] : [{ delivery, at }],
  );
  return Promise.all(
    missing.map(async ({ delivery, at }) => ({
      at,
      order: delivery.seq,
      blocks: inRole(delivery, await withImages(context, delivery.blocks)),
    })),
  );
}

export async function toReminder(context: SessionContext, offer: Offer): Promise<Reminder> {
  const { id, tokens, again } = offer;
  const type = publicType(context.catalogue, offer.type);
  // A type of a host that is gone by now was an event to this one.
  const tier = context.catalogue.find((one) => one.type === offer.type)?.tier ?? "event";
  const blocks = await withImages(context, offer.blocks);
  const { uuid, timestamp } = markOf(context, offer);
  const said = { id, type, text: textOf(blocks), blocks, tokens };
  return { ...said, role: "user", isMeta: true, tier, uuid, timestamp, again };
}

/** By what it is known in a transcript. */
export function markOf({ platform }: SessionContext, { id, offeredAt, at }: Offer) {
  const uuid = uuidOf(platform.fromBase64(platform.hash(`transcript\n${id}`)));
  return { uuid, timestamp: offeredAt ?? at };
}

/** As it was offered, whatever the config says by now; the dialect knows whether the model has such a role. */
function inRole({ native }: Delivery, blocks: readonly ReminderBlock[]): readonly InsertedBlock[] {
  return native ? blocks.map((block) => ({ ...block, native })) : blocks;
}

/** What a host knows it as. */
export function publicType(catalogue: readonly Attachment[], type: string): string {
  return catalogue.find((one) => one.type === type)?.yields ?? type;
}

/** An attachment's data as hosts keep it: an image has its bytes, not the place in our store. */
export async function withImageData(context: SessionContext, data: unknown): Promise<unknown> {
  const { content, prompt } = (data ?? {}) as { content?: unknown; prompt?: unknown };
  if (isStoredImage(content)) return { ...(data as object), content: await imageWithData(context, content) };
  if (!Array.isArray(prompt) || !prompt.some(isStoredImage)) return data;
  const blocks = prompt.map((block) => (isStoredImage(block) ? imageWithData(context, block) : block));
  return { ...(data as object), prompt: await Promise.all(blocks) };
}

type StoredImage = Extract<StoredBlock, { type: "image" }>;

function isStoredImage(value: unknown): value is StoredImage {
  const { type, blob } = (value ?? {}) as { type?: unknown; blob?: unknown };
  return type === "image" && typeof blob === "string";
}

/** What the store has lost stays without. */
async function imageWithData(context: SessionContext, { type, mediaType, blob }: StoredImage) {
  const bytes = await context.store.getBlob(blob).catch(() => undefined);
  return { type, mediaType, ...(bytes === undefined ? {} : { data: context.platform.toBase64(bytes) }) };
}

async function withImages(context: SessionContext, blocks: Offer["blocks"]): Promise<ReminderBlock[]> {
  const full = await Promise.all(
    blocks.map(async (block): Promise<ReminderBlock[]> => {
      if (block.type === "text") return [block];
      const { data, ...image } = await imageWithData(context, block);
      return data === undefined ? [] : [{ ...image, data }];
    }),
  );
  return full.flat();
}

// What tools gave, neutralised in a request that is about to be sent: for hosts that ask for it.

/** Of a long history most was seen the turn before. */
const MOST_REMEMBERED = 32_000_000;
const SHORT = 200;

export type NeutralResults = <Body>(dialect: Dialect<Body>, body: Body) => Body;

/** `neutraliser` is asked for at each turn: names of tags can change. */
export function createNeutralResults(neutraliser: () => Neutraliser): NeutralResults {
  let known = new Map<string, string>();
  let remembered = 0;
  let current: Neutraliser | undefined;

  function neutral(text: string): string {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = current?.text(text) ?? text;
    if (text.length < SHORT) return made;
    remembered += text.length;
    if (remembered > MOST_REMEMBERED) {
      known = new Map();
      remembered = text.length;
    }
    known.set(text, made);
    return made;
  }

  return (dialect, body) => {
    try {
      if (dialect.problem(body) !== undefined) return body;
      const latest = neutraliser();
      if (latest !== current) known = new Map();
      current = latest;
      return dialect.mapResults(body, neutral);
    } catch {
      // A getter or a proxy of the host's threw: nothing that anyone could send.
      return body;
    }
  };
}
