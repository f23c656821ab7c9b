// The two common kinds of attachment: sent once per thing that happened, and sent when the state has changed.

import type { FactName, Facts } from "../facts/facts.ts";
import {
  type Attachment,
  type AttachmentDefinition,
  type Due,
  defineAttachment,
  type Sent,
  type SentDelivery,
  type Skip,
  skip,
  withNote,
} from "./attachment.ts";

type Untriggered<Data, Needs extends FactName, Options> = Omit<
  AttachmentDefinition<Data, Needs, Options>,
  "trigger"
>;

/** Something that happened: covered by its own id, or by the ids of all that it sums up. */
type Happened = { readonly id: string } | { readonly covers: readonly string[] };

/** What `sendOnce` takes: an attachment without a trigger, and how to find what happened. */
export interface OnceDefinition<Data, Needs extends FactName, Options, Item extends Happened>
  extends Untriggered<Data, Needs, Options> {
  /** What happened and was not sent yet, oldest first, or `skip` with the reason why it cannot be sent. */
  pending(facts: Readonly<Pick<Facts, Needs>>, sent: Sent<Data>, options: Options): readonly Item[] | Skip;
  /** The data of one reminder per item. Either this or `together` is required. */
  each?(item: NoInfer<Item>, facts: Readonly<Pick<Facts, Needs>>): Data;
  /** The data of one reminder for all items. */
  together?(items: readonly [NoInfer<Item>, ...NoInfer<Item>[]], facts: Readonly<Pick<Facts, Needs>>): Data;
  /** What an item is about, see `Due.key`. */
  keyOf?(item: NoInfer<Item>): string;
  /** The reason to skip when nothing is pending. */
  none: string | ((facts: Readonly<Pick<Facts, Needs>>) => string);
  /** What was left out, for the trace. Also the reason to skip, in place of a plain `none`. */
  leftOut?(facts: Readonly<Pick<Facts, Needs>>, sent: Sent<Data>): string | undefined;
}

/** Defines an attachment that reports each thing that happened once. */
export function sendOnce<
  Data,
  Item extends Happened,
  const Needs extends FactName = never,
  Options = Record<never, never>,
>(definition: OnceDefinition<Data, Needs, Options, Item>): Attachment {
  const { pending, each, together, keyOf, none, leftOut, ...rest } = definition;
  const dueFor = (data: Data, items: readonly Item[]): Due<Data> => {
    const covers = items.flatMap((item) => ("covers" in item ? item.covers : [item.id]));
    const [only] = items;
    return { data, covers, ...(keyOf && only ? { key: keyOf(only) } : {}) };
  };
  return defineAttachment<Data, Needs, Options>({
    ...rest,
    trigger(facts, sent, options) {
      const items = pending(facts, sent, options);
      if ("skip" in items) return items;
      const [first, ...others] = items;
      const note = leftOut?.(facts, sent);
      if (first === undefined) return skip(typeof none === "function" ? none(facts) : (note ?? none));
      const due =
        together === undefined
          ? items.map((item) => dueFor((each as NonNullable<typeof each>)(item, facts), [item]))
          : [dueFor(together([first, ...others], facts), items)];
      return withNote(due, note);
    },
  });
}

/** What `sendWhenChanged` takes: an attachment without a trigger, and how to read the state. */
export interface StateDefinition<Data, Needs extends FactName, Options>
  extends Untriggered<Data, Needs, Options> {
  /** The current state, or `skip` with the reason why there is nothing to send. */
  state(facts: Readonly<Pick<Facts, Needs>>, sent: Sent<Data>, options: Options): CurrentState<Data> | Skip;
  /** A note for the trace, added to the reason when it is sent. */
  note?(facts: Readonly<Pick<Facts, Needs>>): string | undefined;
}

/** The state that an attachment would send now. */
export interface CurrentState<Data> {
  /** The data to render. */
  data: Data;
  /** Differs for every change. Without it only the data is compared. */
  key?: string;
  /** A new key counts as a change even if the data is the same. */
  isNewByKey?: true;
}

/** Defines an attachment that is sent when the state differs from what was last sent and is still in view. */
export function sendWhenChanged<Data, const Needs extends FactName = never, Options = Record<never, never>>(
  definition: StateDefinition<Data, Needs, Options>,
): Attachment {
  const { state, note, ...rest } = definition;
  return defineAttachment<Data, Needs, Options>({
    repeat: "changed",
    ...rest,
    trigger(facts, sent, options) {
      const now = state(facts, sent, options);
      if ("skip" in now) return now;
      const before = sameState(sent, now);
      if (before !== undefined) return skip(`sent in turn ${before.turn}, unchanged since`);
      const { isNewByKey: _, ...due } = now;
      return withNote([due], note?.(facts));
    },
  });
}

/** The delivery that still describes the state: of the same change, or with the same data after all. */
function sameState<Data>(
  sent: Sent<Data>,
  { data, key, isNewByKey }: CurrentState<Data>,
): SentDelivery<Data> | undefined {
  if (isNewByKey && key !== undefined) return sent.about(key).last;
  const { last } = sent;
  const isSame =
    (key !== undefined && last?.key === key) || JSON.stringify(last?.data) === JSON.stringify(data);
  return isSame ? last : undefined;
}
