// Prompts that the user queued while the agent worked.

import * as v from "valibot";
import { defineAttachment, type Part, skip } from "../../core/attachment.ts";

const block = v.union([
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("image"), mediaType: v.string(), blob: v.string() }),
]);

const schema = v.object({
  prompt: v.union([v.string(), v.array(block)]),
  sourceUuid: v.string(),
  imagePasteIds: v.optional(v.array(v.union([v.string(), v.number()]))),
  /** It was sent before, and the history was replaced by a summary since. */
  again: v.optional(v.boolean()),
});

export const queuedCommand = defineAttachment({
  type: "queued_command",
  generator: "queued_commands",
  summary: "The user sent a message while the agent worked.",
  tier: "main_agent",
  when: "prompts were queued and not delivered yet",
  needs: ["prompts"],
  schema,
  oneShot: true,
  words: true,
  carries: "untrusted",
  trigger({ prompts: { pending } }) {
    if (pending.length === 0) return skip("no prompt is queued");
    return pending.map(({ id, sourceId, prompt, imagePasteIds, old }) => ({
      data: {
        prompt,
        sourceUuid: sourceId,
        ...(imagePasteIds === undefined ? {} : { imagePasteIds }),
        ...(old ? { again: true } : {}),
      },
      covers: [id],
    }));
  },
  render({ prompt, again }) {
    const blocks = typeof prompt === "string" ? [{ type: "text" as const, text: prompt }] : prompt;
    const text = blocks.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");
    const images = blocks.filter((one) => one.type === "image");
    const words = text.trim() === "" ? "(no text, see below)" : text;
    const parts: Part[] = [
      again
        ? `Before this conversation was summarised, the user sent the following message:\n${words}\n\nIt is not new: you may have dealt with it already.`
        : `The user sent the following message:\n${words}\n\nIt came while you were working: take it into account and go on.`,
      ...images,
    ];
    return parts;
  },
  rest: () => "ask the user for the rest",
  examples: [
    { title: "a text", data: { prompt: "Use the new logger, please.", sourceUuid: "p1" } },
    {
      title: "again, after a summary",
      data: { prompt: "Use the new logger, please.", sourceUuid: "p1", again: true },
    },
    {
      title: "an image alone",
      data: {
        prompt: [
          {
            type: "image",
            mediaType: "image/png",
            blob: "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460",
          },
        ],
        sourceUuid: "p3",
      },
    },
    {
      title: "with an image",
      data: {
        prompt: [
          { type: "text", text: "The button looks like this:" },
          {
            type: "image",
            mediaType: "image/png",
            blob: "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460",
          },
        ],
        sourceUuid: "p2",
        imagePasteIds: [1],
      },
    },
  ],
});
