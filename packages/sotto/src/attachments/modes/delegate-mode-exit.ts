// Delegate mode was left: all tools are there again.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

export const delegateModeExit = defineAttachment({
  type: "delegate_mode_exit",
  summary: "Delegate mode was left: all tools are available again.",
  tier: "core",
  when: "delegate mode was left, and the model had been told that it was on",
  needs: ["mode"],
  schema: v.object({}),
  oneShot: true,
  carries: "own",
  trigger({ mode: { pending } }) {
    const edge = pending.find(({ kind, mode }) => kind === "exit" && mode === "delegate");
    if (edge === undefined) return skip("delegate mode was not left, or that was said");
    if (pending.some(({ kind, entry }) => kind === "entry" && entry === edge.entry))
      return skip("delegate mode was entered and left before anything was said about it");
    return [{ data: {}, covers: [edge.id] }];
  },
  render: () => "## Exited Delegate Mode\n\nDelegate mode was left: all tools are available again.",
  examples: [{ title: "left", data: {} }],
});
