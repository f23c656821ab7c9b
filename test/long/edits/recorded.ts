// Reads conversations that others have recorded: prompts, and answers with their calls and what came of these.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Answer, Exchange } from "./plan.ts";

export interface Recorded {
  name: string;
  exchanges: Exchange[];
}

const root = resolve(import.meta.dirname, "../../..");
export const sharedFolder = process.env.SOTTO_SHARED ?? join(root, "../shared");

/** All conversations in `folder`; none where it is not there. */
export function readRecorded(folder: string): Recorded[] {
  const transcripts = filesIn(join(folder, "transcripts"), /\.(?:jsonl|traj)$/u);
  const recordings = filesIn(join(folder, "recordings"), /\.json$/u);
  const found = [
    ...transcripts.map((path) => ({ name: basename(path), spoken: transcriptOf(path) })),
    ...recordings.map((path) => ({ name: basename(path), spoken: requestOf(path) })),
  ];
  return found.flatMap(({ name, spoken }) => {
    const exchanges = exchangesOf(spoken);
    return exchanges.length > 0 ? [{ name, exchanges }] : [];
  });
}

/** Long ones in parts of `size` exchanges. */
export function inParts({ name, exchanges }: Recorded, size: number): Recorded[] {
  const count = Math.ceil(exchanges.length / size);
  return Array.from({ length: count }, (_, at) => ({
    name: count === 1 ? name : `${name} part ${at + 1}`,
    exchanges: exchanges.slice(at * size, (at + 1) * size),
  }));
}

type Fields = Record<string, unknown>;

/** What somebody said, in order; each dialect's words for it are read into this. */
type Spoken =
  | { by: "user"; text: string }
  | { by: "model"; is: "text"; text: string }
  | { by: "model"; is: "thinking"; text: string }
  | { by: "model"; is: "call"; id: string; name: string; input: Fields }
  | { by: "tool"; id: string; output: string };

function transcriptOf(path: string): Spoken[] {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".traj")) return (fieldsOf(JSON.parse(text)).history as Fields[]).flatMap(spokenIn);
  return text
    .split("\n")
    .flatMap((line) => (line === "" ? [] : spokenIn(fieldsOf(fieldsOf(JSON.parse(line)).message))));
}

/** The longest request of a recording. */
function requestOf(path: string): Spoken[] {
  const { interactions } = JSON.parse(readFileSync(path, "utf8")) as {
    interactions: { request: { body: string } }[];
  };
  const bodies = interactions.map(({ request }) => fieldsOf(JSON.parse(request.body)));
  const lists = bodies.map(({ messages, input, contents }) => (messages ?? input ?? contents) as Fields[]);
  const longest = lists.toSorted((a, b) => a.length - b.length).at(-1) ?? [];
  return longest.flatMap(spokenIn);
}

function spokenIn(message: Fields): Spoken[] {
  const { role, type } = message;
  if (role === "system" || role === "developer") return [];
  if (type === "function_call" || type === "function_call_output") return blockOf("model", message);
  if (role === "toolResult" || role === "tool") {
    const id = message.toolCallId ?? message.tool_call_id ?? message.tool_call_ids;
    return [{ by: "tool", id: String(id), output: wordsOf(message.content) }];
  }
  const by = role === "assistant" || role === "model" ? "model" : "user";
  const content = message.content ?? message.parts;
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [...blocks, ...calls].flatMap((block: unknown) => blockOf(by, fieldsOf(block)));
}

function blockOf(by: "user" | "model", block: Fields): Spoken[] {
  const call = fieldsOf(block.function ?? block.functionCall ?? block);
  const response = fieldsOf(block.functionResponse);
  const id = String(block.id ?? block.call_id ?? block.tool_use_id ?? call.id ?? call.name ?? response.name);
  const isCall = ["tool_use", "toolCall", "function", "function_call"].includes(String(block.type));
  if (isCall || block.functionCall !== undefined) {
    const input = call.input ?? call.arguments ?? call.args;
    const key = String(block.call_id ?? id);
    return [{ by: "model", is: "call", id: key, name: String(call.name), input: inputOf(input) }];
  }
  if (block.type === "tool_result")
    return [{ by: "tool", id: String(block.tool_use_id), output: wordsOf(block.content) }];
  if (block.type === "function_call_output")
    return [{ by: "tool", id: String(block.call_id), output: wordsOf(block.output) }];
  if (block.functionResponse !== undefined) return [{ by: "tool", id, output: wordsOf(response.response) }];
  const text = String(block.text ?? block.thinking ?? "");
  if (text.trim() === "") return [];
  if (by === "user") return [{ by, text }];
  return [{ by, is: block.type === "thinking" ? "thinking" : "text", text }];
}

/** Prompts, then an answer with its calls and their results; what has no answer is left out. */
function exchangesOf(spoken: readonly Spoken[]): Exchange[] {
  const outputs = new Map(
    spoken.flatMap((one) => (one.by === "tool" ? [[one.id, one.output] as const] : [])),
  );
  const exchanges: Exchange[] = [];
  let prompts: string[][] = [];
  let answer: Answer | undefined;
  const finish = () => {
    if (answer) exchanges.push({ prompts, answer });
    if (answer) prompts = [];
    answer = undefined;
  };
  let before: Spoken["by"] = "user";
  for (const one of spoken) {
    if (one.by === "user") {
      finish();
      prompts.push([one.text]);
    } else if (one.by === "model") {
      if (before === "tool") finish();
      answer ??= { calls: [] };
      if (one.is === "thinking") answer.thinking = one.text;
      else if (one.is === "text")
        answer.text = answer.text === undefined ? one.text : `${answer.text}\n${one.text}`;
      else
        answer.calls.push({
          name: one.name,
          input: one.input,
          output: outputs.get(one.id) ?? "[interrupted]",
        });
    }
    before = one.by;
  }
  finish();
  return exchanges;
}

function filesIn(folder: string, name: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => name.test(file))
    .sort()
    .map((file) => join(folder, file));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function inputOf(input: unknown): Fields {
  if (typeof input !== "string") return fieldsOf(input);
  try {
    return fieldsOf(JSON.parse(input));
  } catch {
    return { input };
  }
}

function wordsOf(content: unknown): string {
  const parts = Array.isArray(content)
    ? content.map((block: unknown) => String(fieldsOf(block).text ?? ""))
    : [];
  const text = Array.isArray(content)
    ? parts.join("\n")
    : typeof content === "string"
      ? content
      : JSON.stringify(content);
  return text?.trim() ? text : "(no output)";
}
