// A made-up conversation of any length, for the benchmarks.

export interface Message {
  role: "user" | "assistant";
  content: { type: string; [field: string]: unknown }[];
}

export function conversation(messages: number): Message[] {
  const list: Message[] = [];
  for (let turn = 0; list.length < messages; turn++)
    list.push(
      { role: "user", content: turn === 0 ? [text("Mend the parser.")] : [result(turn - 1)] },
      { role: "assistant", content: [text(`Step ${turn}: reading on.`), call(turn)] },
    );
  if (list.at(-1)?.role === "assistant") list.push({ role: "user", content: [result(list.length / 2 - 1)] });
  return list;
}

/** The next assistant message and the tool result behind it. */
export function goOn(messages: Message[]): void {
  const turn = messages.length;
  messages.push(
    { role: "assistant", content: [text(`Step ${turn}: reading on.`), call(turn)] },
    { role: "user", content: [result(turn)] },
  );
}

function text(words: string) {
  return { type: "text", text: words };
}

function call(turn: number) {
  return { type: "tool_use", id: `call_${turn}`, name: "Read", input: { file_path: `/repo/src/${turn}.ts` } };
}

function result(turn: number) {
  return {
    type: "tool_result",
    tool_use_id: `call_${turn}`,
    content: `export const value${turn} = ${turn};`,
  };
}
