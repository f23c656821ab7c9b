// Hooks that ran, and the parts of their output, each sent once.

import type { EventOf } from "./events.ts";
import { beginningOf, type Edge, type Edges, MOST_CHARACTERS, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

/** The kinds of output of a hook. */
export type HookNews =
  | "blocking_error"
  | "success"
  | "additional_context"
  | "stopped"
  | "async_response"
  | "cancelled"
  | "non_blocking_error"
  | "system_message";

export interface HookEdge extends Edge {
  news: HookNews;
  /** The run. Only the first part of a long output has its texts. */
  hook: Omit<EventOf<"hook_finished">, "type" | "outcome" | "async" | "wholeIn">;
  /** The text of this part, or empty. */
  text: string;
}

export type HooksFact = Edges<HookEdge>;

/** Events at which the output of a hook is for the model. */
const SPOKEN_SUCCESS = new Set(["SessionStart", "UserPromptSubmit"]);
// Output of hooks can be large, so only that of the latest runs is kept for other branches. A run may have several edges.
const RUNS_KEPT = 20;

export const hooks = slice({
  initial: (): HooksFact => noEdges<HookEdge>(),
  on: ["hook_finished"],
  apply(state, event, { seq }) {
    const hook = runOf(event);
    if (isToldAgain(state, event)) return;
    for (const { news, text } of newsIn(event))
      state.pending.push({
        ...{ id: `hooks/${seq}/${news}`, news, hook },
        ...beginningOf(text, text.length > MOST_CHARACTERS ? event.wholeIn : undefined),
      });
  },
  settled(state) {
    const runs = [...new Set(state.settled.map(runId))];
    const kept = new Set(runs.slice(-RUNS_KEPT));
    if (kept.size < runs.length) state.settled = state.settled.filter((edge) => kept.has(runId(edge)));
  },
  parts: {
    text: ({ text }) => text,
    split: (edge, at) => [
      { ...edge, text: edge.text.slice(0, at) },
      { ...edge, hook: withoutTexts(edge.hook), text: edge.text.slice(at) },
    ],
  },
});

/** The part of an edge id such as `hooks/12/success` that all edges of one run share. */
function runId({ id }: HookEdge): string {
  return id.slice(0, id.indexOf("/", "hooks/".length));
}

/** For later parts: the first part has the texts. */
function withoutTexts(hook: HookEdge["hook"]): HookEdge["hook"] {
  const { message: _, systemMessage: _1, additionalContext: _2, stdout: _3, stderr: _4, ...rest } = hook;
  return rest;
}

/** The texts that are too long to send. Undefined if there are none. */
export function tooLong(event: EventOf<"hook_finished">): string | undefined {
  const texts = newsIn(event).flatMap(({ text }) => (text.length > MOST_CHARACTERS ? [text] : []));
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

export function hookEdges({ pending }: HooksFact, news: HookNews): HookEdge[] {
  return pending.filter((edge) => edge.news === news);
}

function runOf(event: EventOf<"hook_finished">): HookEdge["hook"] {
  const { type: _type, outcome: _outcome, async: _async, wholeIn: _wholeIn, ...hook } = event;
  return hook;
}

/** Whether the host recorded this run before: the same process with the same answer is the same run. */
function isToldAgain({ pending, settled }: HooksFact, event: EventOf<"hook_finished">): boolean {
  const { processId } = event;
  if (processId === undefined) return false;
  const hook = JSON.stringify(runOf(event));
  const same = [...settled, ...pending].filter((edge) => edge.hook.processId === processId);
  return newsIn(event).some(({ news }) =>
    same.some((edge) => edge.news === news && JSON.stringify(edge.hook) === hook),
  );
}

/** An async hook has one answer. Any other may have an outcome, a message and context. */
function newsIn(event: EventOf<"hook_finished">): { news: HookNews; text: string }[] {
  const { systemMessage, additionalContext } = event;
  if (event.async) return [{ news: "async_response", text: answerOf(event) }];
  const pieces = [
    { news: newsOfOutcome(event), text: textOfOutcome(event) },
    { news: "system_message" as const, text: systemMessage ?? "" },
    { news: "additional_context" as const, text: additionalContext ?? "" },
  ];
  return pieces.flatMap(({ news, text }) =>
    news === undefined || (isWorded(news) && isBlank(text)) ? [] : [{ news, text }],
  );
}

/** The answer of an async hook. Empty if it has no text. */
export function answerOf({
  systemMessage = "",
  additionalContext = "",
}: Pick<EventOf<"hook_finished">, "systemMessage" | "additionalContext">): string {
  return [systemMessage, additionalContext].filter((text) => !isBlank(text)).join("\n\n");
}

function newsOfOutcome({ outcome, hookEvent }: EventOf<"hook_finished">): HookNews | undefined {
  return outcome !== "success" || SPOKEN_SUCCESS.has(hookEvent) ? outcome : undefined;
}

function textOfOutcome(event: EventOf<"hook_finished">): string {
  const { outcome, message, stdout, stderr, systemMessage, additionalContext } = event;
  if (outcome !== "success") return firstText(message, stderr, stdout);
  // The host has already parsed such output into its fields.
  const isTakenApart = systemMessage !== undefined || additionalContext !== undefined;
  return firstText(message, isTakenApart ? undefined : stdout);
}

/** Kinds that are only text: without it there is nothing to send. */
function isWorded(news: HookNews): boolean {
  return news === "success" || news === "system_message" || news === "additional_context";
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => !isBlank(text))?.trim() ?? "";
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
