// Hook system message: a word of a hook to the user. Noted, nothing is said to the model.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ hookName: v.string(), hookEvent: v.optional(v.string()) });

export const hookSystemMessage = defineAttachment({
  type: "hook_system_message",
  summary: "A hook had a message for the user. Silent.",
  tier: "event",
  when: "a hook that was waited for gave a system message, or a host notes one",
  needs: ["hooks", "notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks, notes }) {
    const ran = hookEdges(hooks, "system_message").map(({ id, hook }) => ({
      data: { ...hook },
      covers: [id],
    }));
    const due = [...ran, ...notedAs<(typeof ran)[number]["data"]>(notes, "hook_system_message")];
    return due.length > 0 ? due : skip("no hook had a message for the user");
  },
  render: () => [],
  examples: [
    {
      title: "a message",
      data: { hookName: "Stop", hookEvent: "Stop", systemMessage: "Formatted 3 files." },
    },
  ],
});
