// Part of the build. Half of all schemas are `v.string()` and its like without a message: the same each time, and never
// changed. So there is one of each: making a schema takes longer than what most are ever used for.

import type { Plugin } from "rolldown";

const ALIKE = ["string", "number", "boolean", "unknown"];

export const sharedSchemas: Plugin = {
  name: "shared-schemas",
  transform(code, id) {
    if (!/valibot\/dist\/index\.mjs$/u.test(id)) return undefined;
    return { code: ALIKE.reduce(withShared, code), map: null };
  },
};

function withShared(code: string, name: string): string {
  const found = new RegExp(`^function ${name}\\((.*)\\) \\{$`, "mu").exec(code);
  if (found === null) throw new Error(`valibot has no function ${name} of the form that was expected`);
  const [head, message] = found;
  const own = `${name}$own`;
  const shared = `let ${name}$shared;
function ${name}(...message) {
	return message[0] === undefined ? (${name}$shared ??= ${own}()) : ${own}(...message);
}`;
  return code.replace(head, `${shared}\nfunction ${own}(${message}) {`);
}
