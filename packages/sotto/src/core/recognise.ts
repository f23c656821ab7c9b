// Telling reminders from everything else: by the delivery's own text where the log is at hand, else by tags.

/** Tags that stand around a whole block of ours. */
export const OWN_TAGS = ["system-reminder", "system-notification", "teammate-message"];

export interface ReminderTexts {
  /** Texts of deliveries with their keys; the same text may have been said more than once. */
  texts: ReadonlyMap<string, readonly string[]>;
  tags: readonly string[];
}

/** A text without the reminders that stand in it, and the deliveries they belong to. */
export function cutOut(text: string, { texts, tags }: ReminderTexts): { rest: string; deliveries: string[] } {
  const exact = texts.get(text);
  if (exact !== undefined) return { rest: "", deliveries: [...exact] };
  if (!tags.some((tag) => text.includes(`<${tag}`))) return { rest: text, deliveries: [] };
  let rest = text;
  const deliveries: string[] = [];
  for (const [said, keys] of texts) {
    const at = rest.indexOf(said);
    if (at < 0) continue;
    rest = `${rest.slice(0, at).trimEnd()}${rest.slice(at + said.length)}`;
    deliveries.push(...keys);
  }
  return { rest, deliveries };
}

/** Whether a text is nothing but one or more of our tags with what they wrap. */
export function isWhollyReminder(text: string, tags: readonly string[]): boolean {
  let rest = text.trim();
  if (rest === "") return false;
  while (rest !== "") {
    const tag = tags.find((name) => opens(rest, name));
    if (tag === undefined) return false;
    const close = rest.indexOf(`</${tag}>`);
    if (close < 0) return false;
    rest = rest.slice(close + tag.length + 3).trimStart();
  }
  return true;
}

function opens(text: string, tag: string): boolean {
  if (!text.startsWith(`<${tag}`)) return false;
  const next = text[tag.length + 1];
  return next === ">" || next === " ";
}
