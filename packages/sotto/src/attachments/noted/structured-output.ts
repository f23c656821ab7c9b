// Structured output: an answer in a shape that was asked for. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({});

export const structuredOutput = defineAttachment({
  type: "structured_output",
  summary: "An answer in a shape that was asked for. Silent.",
  tier: "event",
  when: "a host notes an answer that has a shape",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "structured_output");
    return due.length > 0 ? due : skip("the host noted no structured output");
  },
  render: () => [],
  examples: [{ title: "an answer", data: { data: { verdict: "pass" } } }],
});
