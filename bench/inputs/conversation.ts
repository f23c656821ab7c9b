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

/** An agent that looks at code: each result is some 3,000 characters with quotes, tabs and backslashes. */
export function codeTalk(characters: number): Message[] {
  const list: Message[] = [{ role: "user", content: [text("Mend the parser.")] }];
  while (list.length * (CODE.length / 2) < characters) codeTalkOn(list);
  return list;
}

export function codeTalkOn(messages: Message[]): void {
  const turn = messages.length;
  const input = { symbol: `reader${turn}`, note: 'with its "callers"' };
  messages.push(
    {
      role: "assistant",
      content: [
        text(`Step ${turn}: who calls \`reader${turn}\`?`),
        { type: "tool_use", id: `call_${turn}`, name: "outline", input },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `call_${turn}`, content: `// ${turn}\n${CODE}` }],
    },
  );
}

const CODE = `export function unquote(text: string): string {
\tconst plain = text.replace(/\\\\(["\\\\/bfnrt])/g, (_, mark) => MARKS[mark] ?? mark);
\tif (!plain.startsWith("\\"")) throw new Error(\`expected a quote: "\${plain}"\`);
\treturn plain.slice(1, -1); // "C:\\\\Users\\\\ada" stays as it is
}

`.repeat(11);

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

/** As agents declare them: each with a page about it, and a schema. */
export function declaredTools(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `What tool ${index} does, when to use it, and when not. `.repeat(30),
    input_schema: {
      type: "object",
      properties: {
        file_path: { type: "string", description: "The absolute path of a file." },
        offset: { type: "number", description: "The line to begin with." },
      },
      required: ["file_path"],
    },
  }));
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
