// Puts reminders into a request, and turns offers into what a host gets: reminders and attachments.

import type { Attachment } from "../attachments/attachment.ts";
import type { InsertedBlock } from "../dialects/dialect.ts";
import type { StoredBlock } from "../facts/event-fields.ts";
import { insertAt, type PlacedBlocks } from "../history/insertion.ts";
import type { Place, ReadRequest, View } from "../history/view.ts";
import type { OfferEntry } from "../log/entries.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import { copyOf } from "../platform/plain-data.ts";
import { type Reminder, type ReminderBlock, textOf, uuidOf } from "../render/reminder.ts";
import type { Decision } from "./decide.ts";
import type { Engine } from "./engine.ts";

/** The request with earlier reminders back in their places and new ones in theirs; undefined without a request. */
export async function insert(engine: Engine, { requestView, fresh, problem }: Decision): Promise<unknown> {
  const { read, view } = requestView;
  if (read === undefined) return undefined;
  if (problem !== undefined) return insertEarlier(engine, read, view);
  const { deliveries } = engine.journal.state;
  const added = fresh.flatMap((entry): [Delivery, Place][] => {
    const delivery = deliveries[deliveryKey(entry)];
    const at = entry.anchor?.blocks;
    return at === undefined || delivery === undefined ? [] : [[delivery, { at }]];
  });
  return insertDeliveries(engine, read, [...view.inView, ...added]);
}

/**
 * For a turn that cannot be written: the request with what was sent before. Behind a history that the provider keeps, what
 * was not confirmed stays out, as no later request would show that it was sent: it is still due.
 */
export async function insertEarlier(engine: Engine, read: ReadRequest, { inView }: View): Promise<unknown> {
  const isKept = read.history.kept !== undefined;
  const sent = [...inView].filter(([delivery]) => !isKept || delivery.state === "confirmed");
  return insertDeliveries(engine, read, sent);
}

/** Inserts the deliveries that the request does not contain yet. */
export async function insertDeliveries(
  engine: Engine,
  read: ReadRequest,
  deliveries: Iterable<[Delivery, Place]>,
): Promise<unknown> {
  const reminders: PlacedBlocks[] = [];
  const waiting: Promise<void>[] = [];
  for (const [delivery, { at }] of deliveries) {
    const { blocks, seq } = delivery;
    if (at === undefined || blocks.length === 0) continue;
    const reminder: PlacedBlocks = { at, seq, blocks: [] };
    const set = (full: readonly ReminderBlock[]) => {
      reminder.blocks = inRole(delivery, full);
    };
    // Nearly all are text, and there may be many.
    if (blocks.every(isText)) set(blocks.map((block) => ({ ...block })));
    else waiting.push(withImages(engine, blocks).then(set));
    reminders.push(reminder);
  }
  await Promise.all(waiting);
  return insertAt(read, reminders);
}

/** `again`: an earlier turn offered it, and it was not confirmed. */
export async function toReminder(engine: Engine, entry: OfferEntry, again: boolean): Promise<Reminder> {
  const { id, tokens } = entry;
  const type = publicType(engine.catalogue, entry.type);
  // A type of a host that is gone by now counts as an event.
  const tier = engine.catalogue.find((one) => one.type === entry.type)?.tier ?? "event";
  const blocks = await withImages(engine, entry.blocks);
  const { uuid, timestamp } = markOf(engine, entry);
  const sent = { id, type, text: textOf(blocks), blocks, tokens };
  return { ...sent, role: "user", isMeta: true, tier, uuid, timestamp, again };
}

/** An attachment that a turn sends, with its data. */
export interface Attached {
  type: string;
  data: unknown;
  uuid: string;
  timestamp: string;
}

/** The log has the data of earlier offers, unless it was too large; new ones have it in their drafts. */
export function attachedIn(engine: Engine, { again, fresh, drafts }: Decision): Promise<Attached[]> {
  const all = [
    ...again.map((entry) => ({ entry, data: entry.data })),
    ...fresh.map((entry, index) => ({ entry, data: drafts[index]?.due.data })),
  ];
  return Promise.all(
    all
      .filter(({ data }) => data !== undefined)
      .map(async ({ entry, data }) => ({
        type: publicType(engine.catalogue, entry.type),
        data: copyOf(await withImageData(engine, data)),
        ...markOf(engine, entry),
      })),
  );
}

/** What identifies it in a transcript. */
function markOf({ platform }: Engine, { id, offeredAt, at }: OfferEntry) {
  const uuid = uuidOf(platform.fromBase64(platform.hash(`transcript\n${id}`)));
  return { uuid, timestamp: offeredAt ?? at };
}

/** In the role it was offered for, whatever config says now; the dialect knows whether the model has a trusted one. */
function inRole({ native }: Delivery, blocks: readonly ReminderBlock[]): readonly InsertedBlock[] {
  return native ? blocks.map((block) => ({ ...block, native })) : blocks;
}

/** The type as hosts know it. */
function publicType(catalogue: readonly Attachment[], type: string): string {
  return catalogue.find((one) => one.type === type)?.sentAs ?? type;
}

/** An attachment's data as hosts keep it: images with their bytes instead of a blob's hash. */
async function withImageData(engine: Engine, data: unknown): Promise<unknown> {
  const { content, prompt } = (data ?? {}) as { content?: unknown; prompt?: unknown };
  if (isStoredImage(content)) return { ...(data as object), content: await imageWithData(engine, content) };
  if (!Array.isArray(prompt) || !prompt.some(isStoredImage)) return data;
  const blocks = prompt.map((block) => (isStoredImage(block) ? imageWithData(engine, block) : block));
  return { ...(data as object), prompt: await Promise.all(blocks) };
}

type StoredImage = Extract<StoredBlock, { type: "image" }>;

function isText(block: StoredBlock): block is Exclude<StoredBlock, StoredImage> {
  return block.type === "text";
}

function isStoredImage(value: unknown): value is StoredImage {
  const { type, blob } = (value ?? {}) as { type?: unknown; blob?: unknown };
  return type === "image" && typeof blob === "string";
}

/** Without data if the store has lost the blob. */
async function imageWithData(engine: Engine, { type, mediaType, blob }: StoredImage) {
  const bytes = await engine.store.getBlob(blob).catch(() => undefined);
  return { type, mediaType, ...(bytes === undefined ? {} : { data: engine.platform.toBase64(bytes) }) };
}

async function withImages(engine: Engine, blocks: readonly StoredBlock[]): Promise<ReminderBlock[]> {
  const full = await Promise.all(
    blocks.map(async (block): Promise<ReminderBlock[]> => {
      if (block.type === "text") return [{ ...block }];
      const { data, ...image } = await imageWithData(engine, block);
      return data === undefined ? [] : [{ ...image, data }];
    }),
  );
  return full.flat();
}
