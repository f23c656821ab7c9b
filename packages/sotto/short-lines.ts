// Part of the build. Of an error that nobody catches Node prints the line that threw it: with a whole file in one line, it
// would fill the screen. So every statement, and every method, begins a line.

import type { Plugin } from "rolldown";

export const shortLines: Plugin = {
  name: "short-lines",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk" && chunk.fileName.endsWith(".js"))
        chunk.code = inLines(chunk.code, this.parse(chunk.code).body);
  },
};

function inLines(code: string, statements: unknown): string {
  let at = 0;
  let result = "";
  for (const start of startsIn(statements).sort((a, b) => a - b)) {
    result += `${code.slice(at, start).trimEnd()}\n`;
    at = start;
  }
  return (result + code.slice(at)).trimStart();
}

interface Listed {
  start: number;
}

/** Whatever stands in the list of a block, a class or a case. */
function startsIn(list: unknown): number[] {
  const starts = (list as Listed[]).map(({ start }) => start);
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { type, body, consequent } = value as Record<string, unknown>;
    const own = type === "SwitchCase" ? consequent : body;
    if (Array.isArray(own)) for (const { start } of own as Listed[]) starts.push(start);
    for (const child of Object.values(value)) look(child);
  };
  look(list);
  return starts;
}
