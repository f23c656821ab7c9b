// A line of the gateway's log, for people.

import { count } from "sotto-agent/terminal";
import type { LogLine } from "sotto-gateway";

export function lineWords(line: LogLine): string {
  const { method, path, status, ms, message, session, foundBy, reminders, unchanged } = line;
  const request = [method, path].filter((one) => one !== undefined).join(" ");
  const result = [status, ms === undefined ? undefined : `${Math.round(ms)} ms`].filter(
    (one) => one !== undefined,
  );
  const about = [
    message === "answered" ? undefined : message,
    session === undefined ? undefined : `session ${session} (by ${foundBy})`,
    reminders === undefined || unchanged !== undefined ? undefined : count(reminders, "new reminder"),
    unchanged === undefined || unchanged === "" ? undefined : `sent as it came: ${unchanged}`,
  ].filter((one) => one !== undefined);
  return [request, result.join(", "), about.join("; ")].filter((one) => one !== "").join(" · ");
}
