// Putting reminders into a request: earlier ones back where they stood, new ones at the end or behind the context.

import type { Dialect, InsertedBlock, Insertion, Position } from "../dialects/dialect.ts";
import type { Anchor } from "../log/entries.ts";
import {
  anchorAt,
  bodyPosition,
  chainPosition,
  type History,
  isWhollyReminder,
  type ReminderTexts,
} from "./history.ts";

export interface Piece {
  /** How many blocks of the history stand before it. */
  at: number;
  /** Among pieces at one place the older first. */
  order: number;
  blocks: readonly InsertedBlock[];
}

export function insertPieces<Body>(
  { dialect, body, history }: { dialect: Dialect<Body>; body: Body; history: History },
  pieces: readonly Piece[],
): Body {
  const places = new Map<string, { at: Position; pieces: Piece[] }>();
  const sorted = [...pieces].sort((a, b) => a.at - b.at || a.order - b.order);
  for (const piece of sorted) {
    const at = dialect.legal(body, bodyPosition(history, piece.at));
    const key = `${at.message}.${at.index}`;
    const place = places.get(key) ?? { at, pieces: [] };
    place.pieces.push(piece);
    places.set(key, place);
  }
  const insertions = [...places.values()].map(
    ({ at, pieces: there }): Insertion => ({ at, blocks: together(there) }),
  );
  return dialect.insert(
    body,
    insertions,
    history.own.filter((block) => block.whole).map((block) => block.position),
  );
}

/**
 * Trusted words of one turn are one message: providers take no two of that role in a row. What a retry adds comes
 * apart, so that no earlier byte changes.
 */
function together(pieces: readonly Piece[]): (readonly InsertedBlock[])[] {
  return pieces.reduce<(readonly InsertedBlock[])[]>((reminders, { blocks, order }, index) => {
    const before = pieces[index - 1];
    const last = reminders.at(-1);
    const joins =
      before !== undefined && before.order === order - 1 && isNative(before.blocks) && isNative(blocks);
    if (last !== undefined && joins) reminders[reminders.length - 1] = [...last, ...blocks];
    else reminders.push(blocks);
    return reminders;
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

/** How many blocks belong to messages at the front that are context through and through. */
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
