// Date change: the calendar date is no longer the one the session began with, or was told last.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ newDate: v.pipe(v.string(), v.isoDate()) });

export const dateChange = defineAttachment({
  type: "date_change",
  summary: "The calendar date changed during the session.",
  tier: "event",
  when: "the date is another than at the start of the session, or than the last one said",
  needs: ["calendar"],
  schema,
  carries: "own",
  ownWords: ["newDate"],
  trigger({ calendar }, said) {
    if (!calendar.known) return skip(calendar.why);
    const { today, start } = calendar.value;
    const last = said.last?.data?.newDate;
    if (today === (last ?? start))
      return skip(`it is ${today}, as ${last === undefined ? "when the session began" : "was said"}`);
    return [{ data: { newDate: today } }];
  },
  render: ({ newDate }) => `The date has changed during this session: today's date is now ${newDate}.`,
  examples: [{ title: "the next day", data: { newDate: "2026-11-16" } }],
});
