import fc from "fast-check";
import { expect, test } from "vitest";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import { createAgentTools } from "./agent-tools.ts";

const agent = { kind: "main" } as const;

/** Requests that declare tools, and uses of tools, in any order. */
const step = fc.oneof(
  fc.record({
    declares: fc.array(
      fc.record({
        name: fc.constantFrom("read_file", "shell", "get", "todo"),
        fields: fc.subarray(["path", "file", "command", "offset", "items"]),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    uses: fc.constantFrom("read_file", "shell", "get", "todo", "str_replace_editor"),
    input: fc.oneof(
      fc
        .subarray(["path", "file", "command", "offset", "items"])
        .map((fields) => Object.fromEntries(fields.map((field) => [field, "x"]))),
      fc.constantFrom("", "ls", '{"command":"ls"}', '{"path":"a"}', 7, null),
    ),
  }),
);

function request(declared: readonly { name: string; fields: readonly string[] }[]) {
  const tools = declared.map(({ name, fields }) => ({
    name,
    input_schema: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, {}])) },
  }));
  return { dialect: anthropicMessages, body: { model: "m", max_tokens: 1, messages: [], tools } };
}

test("what a use means is what it would mean if no use had come before", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const tools = createAgentTools({ agent });
      const declared: ReturnType<typeof request>[] = [];
      for (const one of steps) {
        if ("declares" in one) {
          declared.push(request(one.declares));
          tools.wordsFor(declared.at(-1) as never, new Set());
          continue;
        }
        const fresh = createAgentTools({ agent });
        for (const earlier of declared) fresh.wordsFor(earlier as never, new Set());
        expect(tools.meaning(one.uses, one.input)).toEqual(fresh.meaning(one.uses, one.input));
      }
    }),
  );
});
