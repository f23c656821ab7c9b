// Command permissions: what a command of the user allows. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ allowedTools: v.optional(v.array(v.string())) });

export const commandPermissions = defineAttachment({
  type: "command_permissions",
  summary: "What a command of the user allows. Silent.",
  tier: "event",
  when: "a host notes what tools a command of the user allows",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "command_permissions");
    return due.length > 0 ? due : skip("the host noted no permissions of a command");
  },
  render: () => [],
  examples: [{ title: "two tools", data: { allowedTools: ["Read", "Bash"] } }],
});
