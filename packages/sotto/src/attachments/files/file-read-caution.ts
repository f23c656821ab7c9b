// File read caution: what to do with code that looks harmful. Off by default, sent once.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({});

export const fileReadCaution = defineAttachment({
  type: "file_read_caution",
  summary: "What to do with a file that looks like malware.",
  tier: "event",
  when: "a file came into view, once per session; off by default",
  needs: ["reads"],
  schema,
  defaultEnabled: false,
  throttle: { maxPerSession: 1 },
  content: "trusted",
  trigger: ({ reads }) => (reads.count === 0 ? skip("no file was read yet") : [{ data: {} }]),
  render: () =>
    "If a file you read looks like malware, analysing it and explaining what it does is fine; improving or extending it is not.",
  examples: [{ title: "once", data: {} }],
});
