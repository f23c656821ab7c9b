// What the model hears in a request that it had not heard before, and whether it is what a scenario expects.

import { anthropicMessages, isReminder } from "sotto";
import { type Block, blocksOf, commonLength, promptBlocks, type RequestBody, textOf } from "./requests.ts";
import type { Expectation } from "./scenario.ts";

export interface NewInput {
  kind: "reminder" | "text" | "result" | "image";
  text: string;
}

/** The type of a reminder by its text, as the host that sent it knows it. */
export type TypeOf = (reminder: string) => string | undefined;

/** Everything behind what the request has in common with the one before; the model's own words are not heard. */
export function newInputSince(before: RequestBody | undefined, body: RequestBody): NewInput[] {
  const only = (messages: RequestBody["messages"]) => promptBlocks({ model: "", messages });
  const known = commonLength(only(before?.messages ?? []), only(body.messages));
  return body.messages
    .flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, block })))
    .slice(known)
    .filter(({ role }) => role !== "assistant")
    .map(({ block }) => ({ kind: kindOf(block), text: textOf(block) }));
}

/** The reminders in a request, in their order. */
export function remindersIn({ messages }: RequestBody): string[] {
  return messages
    .filter(({ role }) => role !== "assistant")
    .flatMap(({ content }) => blocksOf(content))
    .filter((block) => kindOf(block) === "reminder")
    .map(textOf);
}

/** What is wrong, in words; nothing where the expectation holds. */
export function unmetExpectation(
  { kind, wanted, isPattern }: Expectation,
  heard: readonly NewInput[],
  typeOf: TypeOf | undefined,
): string | undefined {
  if (kind === "told" || kind === "not_told") {
    const matches = isPattern
      ? (text: string) => new RegExp(wanted, "su").test(text)
      : (text: string) => text.includes(wanted);
    const told = heard.some(({ text }) => matches(text));
    if (told === (kind === "told")) return undefined;
    const what = isPattern ? `something that matches /${wanted}/` : JSON.stringify(wanted);
    return `expected ${told ? "not " : ""}to be told ${what}; ${inShort(heard, typeOf)}`;
  }
  if (typeOf === undefined) return `this host does not say of which type its reminders are`;
  const said = heard.some(({ kind: is, text }) => is === "reminder" && typeOf(text) === wanted);
  if (said === (kind === "reminder")) return undefined;
  return `expected ${said ? "no" : "a"} reminder ${wanted}; ${inShort(heard, typeOf)}`;
}

const SHOWN = 6;
const SHOWN_LENGTH = 72;

function inShort(heard: readonly NewInput[], typeOf: TypeOf | undefined): string {
  if (heard.length === 0) return "nothing is new in the request";
  const shown = heard.slice(0, SHOWN).map(({ kind, text }) => {
    const type = kind === "reminder" ? typeOf?.(text) : undefined;
    const line = text
      .replace(/^<[^>]*>/u, "")
      .replace(/\s+/gu, " ")
      .trim();
    const cut = line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
    return `${type ?? kind} ${JSON.stringify(cut)}`;
  });
  const more = heard.length > SHOWN ? ` and ${heard.length - SHOWN} more` : "";
  return `new in the request: ${shown.join(", ")}${more}`;
}

function kindOf(block: Block): NewInput["kind"] {
  if (block.type === "tool_result") return "result";
  if (block.type !== "text") return "image";
  return isReminder(anthropicMessages, { role: "user", content: [block] }) ? "reminder" : "text";
}
