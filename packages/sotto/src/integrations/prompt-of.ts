// What the user said last, where a request begins with it: the texts behind the last answer or result.

import type { Dialect, HistoryBlock } from "../core/dialect.ts";
import { isReminder } from "../core/strip.ts";

export function promptOf<Body>(dialect: Dialect<Body>, body: Body): string | undefined {
  const messages = dialect.messages(body);
  const { message: end } = dialect.end(body);
  const said: string[] = [];
  for (let index = Math.min(end, messages.length) - 1; index >= 0; index--) {
    const message = messages[index];
    if (isReminder(dialect, message)) continue;
    const blocks = dialect.read(message, index);
    if (blocks.some(isNotTheUser)) break;
    said.unshift(...blocks.flatMap(({ text }) => (text === undefined ? [] : [text])));
  }
  return said.length === 0 ? undefined : said.join("\n");
}

function isNotTheUser({ role, kind }: HistoryBlock): boolean {
  return role !== "user" || kind === "result" || kind === "call";
}
