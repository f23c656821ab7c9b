// An OpenAI response as server-sent events: from its creation, item by item and piece by piece, to its end.
import type { Item } from "./openai-responses-store.ts";
import { piecesOf } from "./provider.ts";

type Event = { type: string } & Record<string, unknown>;

export function eventsOf(begun: object, completed: { output: Item[] }): string[] {
  const events: Event[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...completed.output.flatMap(itemEvents),
    { type: "response.completed", response: completed },
  ];
  return events.map((event, sequence_number) => {
    return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  });
}

function itemEvents(item: Item, output_index: number): Event[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", item: { ...item, ...EMPTY[String(item.type)] }, output_index },
    ...(INSIDE[String(item.type)]?.(item, place) ?? []),
    { type: "response.output_item.done", item, output_index },
  ];
}

/** How an item looks before anything is in it. */
const EMPTY: Record<string, object> = {
  message: { status: "in_progress", content: [] },
  function_call: { status: "in_progress", arguments: "" },
  reasoning: { summary: [] },
};

type Inside = (item: Item, place: object) => Event[];
const INSIDE: Record<string, Inside> = {
  message: ({ content }, place) =>
    (content as { text: string }[]).flatMap((part, content_index) => {
      const where = { ...place, content_index };
      const { text } = part;
      return [
        { type: "response.content_part.added", ...where, part: { ...part, text: "" } },
        ...piecesOf(text).map((delta) => ({
          ...{ type: "response.output_text.delta", ...where, delta, logprobs: [] },
        })),
        { type: "response.output_text.done", ...where, text, logprobs: [] },
        { type: "response.content_part.done", ...where, part },
      ];
    }),
  function_call: (item, place) => [
    ...piecesOf(String(item.arguments)).map((delta) => ({
      ...{ type: "response.function_call_arguments.delta", ...place, delta },
    })),
    { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
  ],
  reasoning: ({ summary }, place) =>
    (summary as { text: string }[]).flatMap((part, summary_index) => {
      const where = { ...place, summary_index };
      const { text } = part;
      return [
        { type: "response.reasoning_summary_part.added", ...where, part: { ...part, text: "" } },
        ...piecesOf(text).map((delta) => ({
          ...{ type: "response.reasoning_summary_text.delta", ...where, delta },
        })),
        { type: "response.reasoning_summary_text.done", ...where, text },
        { type: "response.reasoning_summary_part.done", ...where, part },
      ];
    }),
};
