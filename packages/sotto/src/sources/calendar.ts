// The calendar date where the user is: today, and when the session began.

import type { Source } from "./source.ts";

export interface CalendarOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export function createCalendarSource({ now = Date.now }: CalendarOptions = {}): Source<"calendar"> {
  return {
    fact: "calendar",
    observe({ facts }) {
      const today = dateOf(new Date(now()));
      const { at } = facts.start;
      return { today, start: at === undefined ? today : dateOf(new Date(at)) };
    },
  };
}

/** `YYYY-MM-DD`, by the local calendar. */
function dateOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
