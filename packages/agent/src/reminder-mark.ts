// What a reminder is about, in a few words, for the mark that stands for it.

import { catalogue, type Reminder, type Turn } from "sotto";
import type { Listener, ShownReminder } from "./agent-events.ts";

const generators = new Map(catalogue.map(({ type, generator }) => [type, generator]));

/** Each reminder of a turn that was not told yet, with what it is about. */
export function showReminders(
  { reminders, attachments }: Turn<unknown>,
  { listen, told }: { listen: Listener; told: Set<string> },
): void {
  const left = [...attachments];
  for (const reminder of reminders) {
    const at = left.findIndex(({ type }) => type === reminder.type);
    const [attachment] = at < 0 ? [] : left.splice(at, 1);
    if (told.has(reminder.id)) continue;
    told.add(reminder.id);
    listen({ type: "reminder", reminder: toShown(reminder, attachment?.data) });
  }
}

function toShown(reminder: Reminder, data: unknown): ShownReminder {
  const { id, type, tokens, text, again } = reminder;
  return { id, type, generator: generators.get(type) ?? type, about: aboutOf(data), tokens, text, again };
}

/** The first of its fields that names something. */
function aboutOf(data: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  const { filename, path, taskId, status, planFilePath, prompt, agentType } = data as Record<string, unknown>;
  if (typeof taskId === "string")
    return [taskId, status].filter((part) => typeof part === "string").join(" ");
  const name = [filename, path, planFilePath, agentType, prompt].find((value) => typeof value === "string");
  return String(name ?? "")
    .replace(/\s+/gu, " ")
    .slice(0, 80);
}
