// Autocheckpointing: a host has saved where things stand. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({});

export const autocheckpointing = defineAttachment({
  type: "autocheckpointing",
  summary: "A host has saved where things stand. Silent.",
  tier: "event",
  when: "a host notes that it has saved a checkpoint",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "autocheckpointing");
    return due.length > 0 ? due : skip("the host noted no checkpoint");
  },
  render: () => [],
  examples: [{ title: "a checkpoint", data: { checkpointId: "c1" } }],
});
