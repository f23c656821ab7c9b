// Where reminders go in a request: earlier ones where they were, new ones at the end or after the leading context.

import type { Dialect, InsertedBlock, Insertion, Position } from "../dialects/dialect.ts";
import type { Anchor } from "../log/entries.ts";
import { anchorAt, bodyPosition, chainPosition, type History } from "./history.ts";
import { isWhollyReminder, type ReminderTexts } from "./said-texts.ts";

/** A reminder with its place in the history: `at` blocks stand before it. */
export interface PlacedBlocks {
  at: number;
  seq: number;
  blocks: readonly InsertedBlock[];
}

/** Inserts reminders into a request. At one place the older one comes first. */
export function insertAt<Body>(
  { dialect, body, history }: { dialect: Dialect<Body>; body: Body; history: History },
  reminders: readonly PlacedBlocks[],
): Body {
  const places = new Map<string, { at: Position; there: PlacedBlocks[] }>();
  for (const one of [...reminders].sort((a, b) => a.at - b.at || a.seq - b.seq)) {
    const at = dialect.legal(body, bodyPosition(history, one.at));
    const key = `${at.message}.${at.index}`;
    const place = places.get(key) ?? { at, there: [] };
    place.there.push(one);
    places.set(key, place);
  }
  const insertions = [...places.values()].map(({ at, there }): Insertion => ({ at, blocks: joined(there) }));
  const own = history.own.filter((block) => block.whole).map((block) => block.position);
  return dialect.insert(body, insertions, own);
}

/**
 * Native reminders of one turn become one message, as providers reject two of that role in a row. What a retry adds
 * stays apart, so that no earlier byte changes.
 */
function joined(reminders: readonly PlacedBlocks[]): (readonly InsertedBlock[])[] {
  return reminders.reduce<(readonly InsertedBlock[])[]>((messages, { blocks, seq }, index) => {
    const before = reminders[index - 1];
    const last = messages.at(-1);
    const joins =
      before !== undefined && before.seq === seq - 1 && isNative(before.blocks) && isNative(blocks);
    if (last !== undefined && joins) messages[messages.length - 1] = [...last, ...blocks];
    else messages.push(blocks);
    return messages;
  }, []);
}

function isNative(blocks: readonly InsertedBlock[]): boolean {
  return blocks.every(({ native }) => native === true);
}

export type Placement = "append" | "after_context" | "start";

/** Where new reminders go. */
export function placeFor<Body>(
  placement: Placement,
  {
    dialect,
    body,
    history,
    reminders,
  }: { dialect: Dialect<Body>; body: Body; history: History; reminders: ReminderTexts },
  contextForms: readonly string[],
): { at: number; anchor: Anchor } {
  const { end } = history;
  const at =
    placement === "append"
      ? end
      : Math.min(end, leadingBlocks(history, dialect, body, leads(placement, contextForms, reminders.tags)));
  return { at, anchor: anchorAt(history, at) };
}

const CONTEXT_FORMS = ["<environment_context>", "<user_instructions>", "# AGENTS.md"];

type Leads = (block: { role: string; text?: string }) => boolean;

function leads(placement: Placement, contextForms: readonly string[], tags: readonly string[]): Leads {
  const forms = placement === "start" ? [] : [...CONTEXT_FORMS, ...contextForms];
  return ({ role, text }) => {
    if (role === "system") return true;
    const start = text?.trimStart();
    if (role !== "user" || start === undefined) return false;
    return (
      forms.some((form) => start.startsWith(form)) || (forms.length > 0 && isWhollyReminder(start, tags))
    );
  };
}

/** How many blocks belong to the messages at the front that hold nothing but context. */
function leadingBlocks<Body>(history: History, dialect: Dialect<Body>, body: Body, isLeading: Leads): number {
  const messages = dialect.messages(body);
  let index = 0;
  while (index < messages.length) {
    const blocks = dialect.read(messages[index], index);
    const leads = history.hollow.has(index) || (blocks.length > 0 && blocks.every(isLeading));
    if (!leads) break;
    index++;
  }
  return chainPosition(history, { message: index, index: 0 });
}
