// Formats reminders for an agent: as many as it takes, in its own format.

import type { Reminder } from "sotto";
import { catalogue } from "sotto/inspect";
import type { HookAgent, HookEventRule } from "./event-rules.ts";

type SentReminder = Pick<Reminder, "id" | "type" | "blocks">;

const BETWEEN = "\n\n";
const CUT = "\n… (cut: the agent takes no more at once)";
const NO_IMAGE = "(An image belongs here that cannot be passed on this way.)";

/** `given`: the reminders that fit, the rest stays due. `output`: for stdout, empty if there are none. */
export function answer<One extends SentReminder>(
  reminders: readonly One[],
  { agent, event, rule }: { agent: HookAgent; event: string; rule: HookEventRule },
): { given: One[]; output: string } {
  const { given, text } = fit(reminders, agent, rule);
  if (text === "") return { given, output: "" };
  const hookSpecificOutput = { hookEventName: event, additionalContext: text };
  return { given, output: `${JSON.stringify({ hookSpecificOutput })}\n` };
}

/** In order; one that does not fit waits, smaller ones after it may still fit. */
function fit<One extends SentReminder>(
  reminders: readonly One[],
  agent: HookAgent,
  { lead }: HookEventRule,
): { given: One[]; text: string } {
  const opening = lead === undefined ? "" : `${lead}\n`;
  const given: One[] = [];
  let text = "";
  for (const reminder of reminders) {
    const words = wordsOf(reminder, agent);
    if (words === "") {
      given.push(reminder);
      continue;
    }
    const longer = text === "" ? opening + words : text + BETWEEN + words;
    if (agent.limit.fits(longer)) text = longer;
    // It would not fit alone either.
    else if (text === "" && !agent.limit.fits(opening + words)) text = cut(opening + words, agent);
    else continue;
    given.push(reminder);
  }
  return { given, text };
}

function wordsOf({ type, blocks }: SentReminder, { tags }: HookAgent): string {
  const own = catalogue.find((one) => one.type === type)?.wrap === "own-tags";
  const texts = blocks.map((block) => {
    if (block.type !== "text") return NO_IMAGE;
    return tags ? block.text : withoutTag(block.text, own);
  });
  return texts.join("\n");
}

/**
 * Removes the tag around a reminder, for agents that add their own. The text inside was neutralised for that tag, so the
 * last line that closes it is ours. Types with a meaningful tag of their own keep it.
 */
export function withoutTag(text: string, own: boolean): string {
  const [, name] = /^<([a-z][a-z0-9_-]*)>\n/u.exec(text) ?? [];
  if (name === undefined || (own && name !== "system-reminder")) return text;
  const end = `\n</${name}>`;
  return text.endsWith(end) ? text.slice(name.length + 3, -end.length) : text;
}

function cut(text: string, { limit }: HookAgent): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (limit.fits(text.slice(0, middle).toWellFormed() + CUT)) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low).toWellFormed() + CUT;
}
