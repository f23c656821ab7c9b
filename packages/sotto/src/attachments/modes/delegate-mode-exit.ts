// Delegate mode was left: all tools are available again.

import * as v from "valibot";
import { sendOnce } from "../common-kinds.ts";
import { exitsFrom } from "../shared/mode-edges.ts";

export const delegateModeExit = sendOnce({
  type: "delegate_mode_exit",
  summary: "Delegate mode was left: all tools are available again.",
  tier: "core",
  when: "delegate mode was left, and the model knew that it was on",
  needs: ["mode"],
  schema: v.object({}),
  repeat: "never",
  content: "trusted",
  pending: ({ mode }) => exitsFrom("delegate", mode),
  each: () => ({}),
  none: "delegate mode was not left, or that was sent already",
  render: () => "## Exited Delegate Mode\n\nDelegate mode was left: all tools are available again.",
  examples: [{ title: "left", data: {} }],
});
