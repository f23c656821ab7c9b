// Prompts that the user queued while the agent was working.

import type { StoredBlock } from "./event-fields.ts";
import type { EventOf } from "./events.ts";
import { beginningOf, type Edge, type Edges, edgeId, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface PromptEdge extends Edge {
  sourceId: string;
  prompt: string | StoredBlock[];
  imagePasteIds?: (string | number)[];
}

export interface PromptsFact extends Edges<PromptEdge> {
  /** Ids of queued prompts, so that one that is recorded twice is sent once. */
  seen: string[];
}

const SEEN_KEPT = 1000;

export const prompts = slice({
  initial: (): PromptsFact => ({ seen: [], ...noEdges<PromptEdge>() }),
  on: ["prompt_queued"],
  apply(state, event) {
    if (state.seen.includes(event.id)) return;
    state.seen.push(event.id);
    if (state.seen.length > SEEN_KEPT) state.seen.shift();
    state.pending.push(toEdge(event));
  },
  parts: {
    text: ({ prompt }) => textIn(prompt),
    behind: ({ prompt }) => imagesIn(prompt).length,
    split(edge, at) {
      const text = textIn(edge.prompt);
      const images = imagesIn(edge.prompt);
      const shown = Math.max(0, at - text.length);
      return [
        { ...edge, prompt: toPrompt(text.slice(0, at), images.slice(0, shown)) },
        { ...edge, prompt: toPrompt(text.slice(at), images.slice(shown)) },
      ];
    },
  },
});

function toEdge(event: EventOf<"prompt_queued">): PromptEdge {
  const { id, imagePasteIds, wholeIn } = event;
  // Image data was moved into blobs before the event was appended.
  const prompt = event.prompt as PromptEdge["prompt"];
  const { text, ...cut } = beginningOf(textIn(prompt), wholeIn);
  return {
    id: edgeId("prompts", id),
    sourceId: id,
    prompt: cut.cut === undefined ? prompt : toPrompt(text, imagesIn(prompt)),
    ...cut,
    ...(imagePasteIds === undefined ? {} : { imagePasteIds }),
  };
}

type Image = Extract<StoredBlock, { type: "image" }>;

export function textIn(prompt: PromptEdge["prompt"]): string {
  if (typeof prompt === "string") return prompt;
  return prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function imagesIn(prompt: PromptEdge["prompt"]): Image[] {
  return typeof prompt === "string" ? [] : prompt.filter((block) => block.type === "image");
}

function toPrompt(text: string, images: readonly Image[]): PromptEdge["prompt"] {
  if (images.length === 0) return text;
  return text === "" ? [...images] : [{ type: "text", text }, ...images];
}
