// Made-up conversations of any length.

export interface Message {
  role: "user" | "assistant";
  content: string | { type: string; [field: string]: unknown }[];
}

/** An agent that reads file after file: each answer is a sentence and a call, each call has its result. */
export function conversation(messages: number): Message[] {
  const list: Message[] = [{ role: "user", content: [text("Mend the parser.")] }];
  while (list.length < messages) goOn(list);
  return list;
}

/** The next assistant message and the tool result after it. */
export function goOn(messages: Message[]): void {
  const turn = messages.length;
  messages.push(
    { role: "assistant", content: [text(`Step ${turn}: reading on.`), call(turn)] },
    { role: "user", content: [result(turn)] },
  );
}

const LENGTH = 200;

/** People and an assistant who talk: plain messages of 200 characters. It ends with the user. */
export function talk(messages: number): Message[] {
  const list: Message[] = [{ role: "user", content: sentence(0) }];
  while (list.length < messages) talkOn(list);
  return list;
}

export function talkOn(messages: Message[]): void {
  const turn = messages.length;
  messages.push(
    { role: "assistant", content: sentence(turn) },
    { role: "user", content: sentence(turn + 1) },
  );
}

export function requestOf(messages: readonly Message[]) {
  return { model: "m", max_tokens: 1, messages };
}

function sentence(turn: number): string {
  return `${turn}: ${"the parser reads on, and the lexer gives it tokens; ".repeat(4)}`.slice(0, LENGTH);
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
