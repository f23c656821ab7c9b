// Date change: the date differs from the start of the session, or from the last one sent.

import * as v from "valibot";
import { skip } from "../attachment.ts";
import { sendWhenChanged } from "../common-kinds.ts";

const schema = v.object({ newDate: v.pipe(v.string(), v.isoDate()) });

export const dateChange = sendWhenChanged({
  type: "date_change",
  summary: "The calendar date changed during the session.",
  tier: "event",
  when: "the date differs from the start of the session, or from the last one sent",
  needs: ["calendar"],
  schema,
  content: "trusted",
  trustedFields: ["newDate"],
  state({ calendar }, { last }) {
    if (!calendar.known) return skip(calendar.why);
    const { today, start } = calendar.value;
    const isStart = last?.data === undefined && today === start;
    return isStart ? skip(`it is ${today}, as at the start of the session`) : { data: { newDate: today } };
  },
  render: ({ newDate }) => `The date has changed during this session: today's date is now ${newDate}.`,
  examples: [{ title: "the next day", data: { newDate: "2026-11-16" } }],
});
