// Recognises reminders in a text: by the delivery's text if the log is at hand, otherwise by tags.

/** The deliveries of a session that have a text. */
interface SaidText {
  /** The same text may have been sent more than once. */
  deliveries: readonly string[];
  /** How many images follow it in its reminder. */
  images: number;
}

export interface ReminderTexts {
  texts: ReadonlyMap<string, SaidText>;
  tags: readonly string[];
}

/** Removes reminders from a text; returns the rest and their texts. */
export function cutOut(text: string, { texts, tags }: ReminderTexts): { rest: string; said: string[] } {
  if (texts.has(text)) return { rest: "", said: [text] };
  if (!tags.some((tag) => text.includes(`<${tag}`))) return { rest: text, said: [] };
  let rest = text;
  const said: string[] = [];
  for (const reminder of texts.keys())
    for (let at = placeOf(reminder, rest); at !== undefined; at = placeOf(reminder, rest)) {
      rest = `${rest.slice(0, at).trimEnd()}${rest.slice(at + reminder.length)}`;
      said.push(reminder);
    }
  return { rest, said };
}

/** Where a client has joined it with other text: in front, at the end, or on separate lines. Anywhere else is a quote. */
function placeOf(reminder: string, text: string): number | undefined {
  for (let at = text.indexOf(reminder); at >= 0; at = text.indexOf(reminder, at + 1)) {
    const [before, behind] = [text.slice(0, at), text.slice(at + reminder.length)];
    const alone = before.endsWith("\n") && behind.startsWith("\n");
    if (alone || before.trim() === "" || behind.trim() === "") return at;
  }
  return undefined;
}

/** Whether a text consists of our tags and their content only. */
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
