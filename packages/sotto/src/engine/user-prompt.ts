// What the user typed for this turn: as the host says, or else the texts after the last answer or result in the request.

import type { HistoryBlock } from "../dialects/dialect.ts";
import { cutOut } from "../history/said-texts.ts";

import type { Engine } from "./engine.ts";
import { type Request, reminderTexts } from "./read-request.ts";
import { deliveredIn } from "./without-reminders.ts";

export function promptIn(
  engine: Engine,
  { userPrompt, request }: { userPrompt?: string | undefined; request?: Request | undefined },
): string | undefined {
  if (userPrompt !== undefined || request === undefined) return userPrompt === "" ? undefined : userPrompt;
  const blocks = lastBlocks(request);
  const texts = blocks.flatMap(({ text }) => (text === undefined ? [] : [text]));
  if (texts.length === 0) return undefined;
  const said = wordsOf(texts, engine).filter((text) => text.trim() !== "");
  return said.length === 0 ? undefined : said.join("\n");
}

/** The user's blocks after the last one that is not; read from the end, as a history is long. */
function lastBlocks({ dialect, body, read }: Request): HistoryBlock[] {
  const messages = dialect.messages(body);
  const { message: end } = dialect.end(body);
  const found: HistoryBlock[] = [];
  for (let index = Math.min(end, messages.length) - 1; index >= 0; index--) {
    const blocks = read?.(index) ?? dialect.read(messages[index], index);
    const last = blocks.findLastIndex(isNotTheUser);
    for (let at = blocks.length - 1; at > last; at--) found.push(blocks[at] as HistoryBlock);
    if (last >= 0) break;
  }
  return found.reverse();
}

function isNotTheUser({ role, kind }: HistoryBlock): boolean {
  return role !== "user" || kind === "result" || kind === "call";
}

/** Without reminders: ours, and texts that the agent itself wraps in such tags. */
function wordsOf(texts: readonly string[], engine: Engine): string[] {
  const { wrapping } = engine.tags;
  if (!texts.some((text) => text.includes("<"))) return [...texts];
  const isDelivered = deliveredIn(engine);
  const reminders = reminderTexts(engine.journal.state, wrapping);
  return texts
    .filter((text) => !isDelivered(text.trim()))
    .map((text) => withoutTagged(cutOut(text, reminders).rest, wrapping));
}

function withoutTagged(text: string, tags: readonly string[]): string {
  let rest = text;
  for (const tag of tags) {
    const kept: string[] = [];
    let from = 0;
    for (let at = rest.indexOf(`<${tag}`); at >= 0; ) {
      const isTag = /[\s>]/u.test(rest[at + tag.length + 1] ?? "");
      const close = isTag ? rest.indexOf(`</${tag}>`, at) : at;
      if (close < 0) break;
      if (isTag) {
        kept.push(rest.slice(from, at));
        from = close + tag.length + 3;
      }
      at = rest.indexOf(`<${tag}`, Math.max(from, at + 1));
    }
    if (from > 0) rest = [...kept, rest.slice(from)].join("\n");
  }
  return rest;
}
