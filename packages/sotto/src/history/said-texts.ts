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
  /** None of the texts is without a `<`. */
  areTagged?: boolean;
}

/** Removes reminders from a text; returns the rest and their texts. */
export function cutOut(text: string, { texts, tags }: ReminderTexts): { rest: string; said: string[] } {
  if (texts.has(text)) return { rest: "", said: [text] };
  if (!tags.some((tag) => text.includes(`<${tag}`))) return { rest: text, said: [] };
  let rest = text;
  const said: string[] = [];
  const heads = headsIn(text, tags);
  for (const reminder of texts.keys()) {
    const isTagged = tags.some((tag) => reminder.startsWith(`<${tag}`));
    if (isTagged && reminder.length >= HEAD && !heads.has(reminder.slice(0, HEAD))) continue;
    const { kept, times } = without(reminder, rest);
    rest = kept;
    for (let time = 0; time < times; time++) said.push(reminder);
  }
  return { rest, said };
}

const HEAD = 64;

/** How each tag in a text goes on: a long session has thousands of reminders, and few of them are in one text. */
function headsIn(text: string, tags: readonly string[]): ReadonlySet<string> {
  const heads = new Set<string>();
  for (const tag of tags)
    for (let at = text.indexOf(`<${tag}`); at >= 0; at = text.indexOf(`<${tag}`, at + 1))
      heads.add(text.slice(at, at + HEAD));
  return heads;
}

/** Removes it where a client has joined it with other text: in front, at the end, or on separate lines. Elsewhere it is a quote. */
function without(reminder: string, text: string): { kept: string; times: number } {
  let times = 0;
  let end = text.length;
  let tail = "";
  while (end >= reminder.length) {
    const at = text.lastIndexOf(reminder, end - reminder.length);
    const behind = text.slice(at + reminder.length, end);
    if (at < 0 || behind.trim() !== "") break;
    tail = behind + tail;
    end = text.slice(0, at).trimEnd().length;
    times++;
  }
  const kept: string[] = [];
  let from = 0;
  let isFirst = true;
  for (let at = text.indexOf(reminder); at >= 0 && at + reminder.length <= end; ) {
    const behind = at + reminder.length;
    const isAlone = at > from && text[at - 1] === "\n" && text[behind] === "\n";
    isFirst &&= text.slice(from, at).trim() === "";
    if (isFirst || isAlone) {
      kept.push(text.slice(from, at).trimEnd());
      from = behind;
      times++;
    }
    at = text.indexOf(reminder, Math.max(from, at + 1));
  }
  return { kept: `${kept.join("")}${text.slice(from, end)}${tail}`, times };
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
