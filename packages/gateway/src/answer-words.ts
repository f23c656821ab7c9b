// What an answer begins with, in the answer itself and in the history that a client sends back: enough to tell which of
// several answers to the same words a conversation got.

import type { HistoryBlock } from "sotto/extend";
import { fieldsOf } from "./body-parts.ts";

const CHARACTERS = 200;

/** Clients change white space. */
export function beginningOf(words: string): string {
  return words.replace(/\s+/gu, "").slice(0, CHARACTERS);
}

export function isEnough(words: string): boolean {
  return words.length >= 2 * CHARACTERS || beginningOf(words).length === CHARACTERS;
}

/** In a message of a history: its text, and the ids of its calls. */
export function wordsOf(blocks: readonly HistoryBlock[]): string {
  return blocks
    .map(({ kind, text, call }) => (kind === "text" ? text : kind === "call" ? call?.id : undefined) ?? "")
    .join("");
}

/** In an answer, or an event of one, of any provider. */
export function wordsIn(value: unknown): string {
  const { type, content, content_block, delta, choices, output, item, candidates } = fieldsOf(value);
  if (type === "response.output_text.delta") return textOf(delta);
  if (type === "response.output_item.added") return textOf(fieldsOf(item).call_id);
  if (Array.isArray(choices)) return choices.slice(0, 1).map(inChoice).join("");
  if (Array.isArray(output)) return output.map(inItem).join("");
  if (Array.isArray(candidates))
    return listOf(fieldsOf(fieldsOf(candidates[0]).content).parts)
      .map(inBlock)
      .join("");
  return [...listOf(content), content_block, delta].map(inBlock).join("");
}

function inChoice(choice: unknown): string {
  const { message, delta } = fieldsOf(choice);
  const { content, tool_calls } = fieldsOf(message ?? delta);
  return (
    textOf(content) +
    listOf(tool_calls)
      .map((call) => textOf(fieldsOf(call).id))
      .join("")
  );
}

function inItem(item: unknown): string {
  const { content, call_id } = fieldsOf(item);
  return listOf(content).map(inBlock).join("") + textOf(call_id);
}

function inBlock(block: unknown): string {
  const { type, text, id, thought, functionCall } = fieldsOf(block);
  if (thought === true) return "";
  return textOf(text) + (type === "tool_use" ? textOf(id) : textOf(fieldsOf(functionCall).id));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
