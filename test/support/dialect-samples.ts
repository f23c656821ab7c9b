// What the properties of dialects are tried with: places, reminders one can tell, bodies that cannot be changed.

import fc from "fast-check";
import type { Dialect, Insertion, Position } from "../../packages/sotto/src/dialects/dialect.ts";
import type { ReminderBlock } from "../../packages/sotto/src/render/reminder.ts";

type Fields = Record<string, unknown>;
export type Breakpoint = { field: string; value: object };

const TAG = "<own>";
const IMAGE = "T3du";

const text = fc
  .string({ maxLength: 8 })
  .map((value): ReminderBlock => ({ type: "text", text: `${TAG}${value}` }));
const image = fc.constant<ReminderBlock>({ type: "image", mediaType: "image/png", data: IMAGE });
const reminder = fc
  .tuple(text, fc.array(fc.oneof(text, image), { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest]);

/** Two reminders, each at least a text. */
export const reminders = fc.tuple(reminder, reminder);

const nearPart = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ functionResponse: fc.anything(), thought: fc.anything() }),
  fc.record({ inline_data: fc.anything() }),
  fc.anything(),
);

/** Messages as a careless client may send them. */
export const nearMessages = fc.record(
  {
    role: fc.oneof(fc.constantFrom("user", "assistant", "system", "tool", "model"), fc.anything()),
    type: fc.oneof(
      fc.constantFrom("message", "reasoning", "function_call", "function_call_output", "item_reference"),
      fc.anything(),
    ),
    id: fc.oneof(fc.string(), fc.anything()),
    output: fc.anything(),
    parts: fc.oneof(fc.array(nearPart), fc.anything()),
    content: fc.oneof(
      fc.string(),
      fc.constant(null),
      fc.array(
        fc.oneof(
          fc.record({
            type: fc.constantFrom("text", "tool_use", "tool_result", "image_url", "input_text"),
            text: fc.string(),
          }),
          fc.record({ type: fc.string(), content: fc.anything() }),
          fc.anything(),
        ),
      ),
      fc.anything(),
    ),
    tool_calls: fc.oneof(fc.array(fc.record({ id: fc.string(), function: fc.anything() })), fc.anything()),
    cache_control: fc.anything(),
  },
  { requiredKeys: [] },
);

export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

/** Every place there is, behind the last block of a message and past the end included. */
export function placesIn<Body>(dialect: Dialect<Body>, body: Body): Position[] {
  const places = dialect.messages(body).flatMap((message, index) => {
    const last = dialect.read(message, index).at(-1)?.index ?? -1;
    return Array.from({ length: last + 3 }, (_, at) => ({ message: index, index: at }));
  });
  return [...places, { message: dialect.messages(body).length, index: 0 }];
}

/** The reminders at some of the legal places. */
export function insertionsInto<Body>(
  { dialect, body }: { dialect: Dialect<Body>; body: Body },
  picks: readonly number[],
  blocks: Insertion["blocks"],
): Insertion[] {
  const places = placesIn(dialect, body);
  return picks.map((pick) => {
    const at = places[pick % places.length] as Position;
    return { at: dialect.legal(body, at), blocks };
  });
}

/** Where the blocks of reminders are. */
export function ownOf<Body>(dialect: Dialect<Body>, body: Body): Position[] {
  return dialect
    .messages(body)
    .flatMap((message, index) => dialect.read(message, index))
    .filter(
      ({ kind, text: said, identity }) =>
        said?.startsWith(TAG) || (kind === "image" && identity.includes(IMAGE)),
    )
    .map(({ message, index }) => ({ message, index }));
}

/** The beginning of a list's JSON, up to the end of its last item. */
export function opening(messages: readonly unknown[]): string {
  return JSON.stringify(messages).slice(0, -1);
}

/** The same body with fields that nobody knows, everywhere. */
export function strange<Body extends object>(body: Body, field: string): Body {
  const odd = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(odd);
    if (typeof value !== "object" || value === null) return value;
    const { content, parts } = value as Fields;
    const inner = {
      ...(content !== undefined && { content: odd(content) }),
      ...(parts !== undefined && { parts: odd(parts) }),
    };
    return { odd_first: 1, ...value, ...inner, odd_last: [2] };
  };
  return { odd_first: 1, ...body, [field]: odd((body as Fields)[field]), odd_last: { deep: [3] } };
}

/** As a host does that marks the last blocks of the history it keeps; lone strings cannot be marked. */
export function withBreakpoints<Body extends object>(
  dialect: Dialect<Body>,
  body: Body,
  { places, field, value }: Breakpoint & { places: readonly Position[] },
): Body {
  const copy = structuredClone(body);
  for (const block of blocksAt(dialect, copy, places)) block[field] = value;
  return copy;
}

export function blocksAt<Body extends object>(
  dialect: Dialect<Body>,
  body: Body,
  places: readonly Position[],
): Fields[] {
  return places.flatMap(({ message, index }) => {
    const { content } = dialect.messages(body)[message] as { content: unknown };
    return Array.isArray(content) ? [content[index]] : [];
  });
}

export function breakpointsIn(value: unknown, { field }: Breakpoint): number {
  return JSON.stringify(value).split(`"${field}":`).length - 1;
}
