// Prompts that the user queued while the agent worked.

import * as v from "valibot";
import { textIn } from "../../facts/prompts.ts";
import type { Part } from "../../render/content.ts";
import { sendOnce } from "../common-kinds.ts";
import { goesOn, longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const block = v.union([
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.literal("image"), mediaType: v.string(), blob: v.string() }),
]);

const schema = v.object({
  prompt: v.union([v.string(), v.array(block)]),
  sourceUuid: v.string(),
  imagePasteIds: v.optional(v.array(v.union([v.string(), v.number()]))),
  /** Sent before; a summary has replaced the history since. */
  again: v.optional(v.boolean()),
  ...longFields,
});

export const queuedCommand = sendOnce({
  type: "queued_command",
  generator: "queued_commands",
  summary: "The user sent a message while the agent worked.",
  tier: "main_agent",
  when: "prompts were queued and not delivered yet",
  needs: ["prompts"],
  schema,
  repeat: "never",
  conversation: true,
  whenTooLong: "split",
  // It is a prompt, and most prompts fit whole.
  budget: "prompt",
  pending: ({ prompts }) => prompts.pending,
  each: ({ prompt, sourceId, imagePasteIds, old, part, cut }) =>
    withoutUndefined({ prompt, sourceUuid: sourceId, imagePasteIds, again: old, part, cut }),
  none: "no prompt is queued",
  render({ prompt, again, part, cut }) {
    const text = textIn(prompt);
    const images = typeof prompt === "string" ? [] : prompt.filter((one) => one.type === "image");
    const words = text.trim() === "" && part === undefined ? "(no text, see below)" : text;
    const sent = again
      ? "Before this conversation was summarised, the user sent the following message"
      : "The user sent the following message";
    const what = again
      ? "It is not new: you may have dealt with it already."
      : "It came while you were working: take it into account and go on.";
    const end = `${restNote({ part, cut })}${goesOn(part) ? "" : `\n\n${what}`}`;
    const parts: Part[] = [`${sent}${partInBrackets(part)}:\n${words}${end}`, ...images];
    return parts;
  },
  examples: [
    { title: "a text", data: { prompt: "Use the new logger, please.", sourceUuid: "p1" } },
    {
      title: "again, after a summary",
      data: { prompt: "Use the new logger, please.", sourceUuid: "p1", again: true },
    },
    {
      title: "a part of a long one",
      data: {
        prompt: "First of all, the tests.\n",
        sourceUuid: "p4",
        part: { from: 0, to: 25, of: 60 },
      },
    },
    {
      title: "the last part",
      data: {
        prompt: "And then the documentation, please.",
        sourceUuid: "p4",
        part: { from: 25, to: 60, of: 60 },
      },
    },
    {
      title: "the beginning of one that no request could hold",
      data: {
        prompt: "This is the whole log:\n",
        sourceUuid: "p5",
        cut: { path: "/home/ada/.local/state/sotto/words/s1/0f3a.txt", of: 900_000 },
      },
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
