// Settings as people and programs leave them: any indentation, any white space, hooks of others, hooks of ours.

import fc from "fast-check";

/** Written with white space from a list, taken in turn. */
export function oddJson(value: unknown, spaces: readonly string[]): string {
  let next = 0;
  const space = () => (spaces.length === 0 ? "" : (spaces[next++ % spaces.length] ?? ""));
  const write = (part: unknown): string => {
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    const inner = Array.isArray(part)
      ? part.map((item) => `${space()}${write(item)}${space()}`)
      : Object.entries(part).map(
          ([key, item]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${write(item)}${space()}`,
        );
    const [open, close] = Array.isArray(part) ? ["[", "]"] : ["{", "}"];
    return `${open}${inner.length === 0 ? space() : inner.join(",")}${close}`;
  };
  return `${space()}${write(value)}${space()}`;
}

const text = fc.string({ unit: "grapheme", maxLength: 8 });
/** Commands of others that speak of ours. */
export const alike: readonly string[] = [
  "my sotto hook",
  "./notify.sh sotto hook claude-code",
  'echo "no sotto hook here"',
  "./log.sh && sotto hook claude-code",
  "sotto hook claude-code; ./log.sh",
  "sotto hook claude-code | tee log",
  'grep -q "sotto hook" notes.txt',
  "echo sotto hook",
  "notsotto hook claude-code",
  "sotto explain hook",
];
const handler = fc.record(
  {
    type: fc.constant("command"),
    command: fc.oneof(text, fc.constantFrom(...alike)),
    timeout: fc.nat(90),
  },
  { requiredKeys: ["type", "command"] },
);
const own = fc.record({
  type: fc.constant("command"),
  command: fc.constantFrom("sotto hook claude-code", "/n/node '/a b/bin/sotto.js' hook claude-code"),
  timeout: fc.constantFrom(5, 60),
});
const events = fc.constantFrom("PostToolUse", "SessionStart", "Stop", "PreToolUse", "Mine");

function hooksOf(handlers: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const group = fc.record(
    { matcher: fc.constantFrom("", "Edit"), hooks: fc.array(handlers, { maxLength: 3 }) },
    { requiredKeys: ["hooks"] },
  );
  return fc.dictionary(events, fc.array(group, { maxLength: 3 }), { maxKeys: 4 });
}

const others = fc.dictionary(
  text.filter((key) => key !== "hooks"),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 4 },
);

function withHooks(hooks: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const settings = fc
    .tuple(others, fc.option(hooks, { nil: undefined }), others)
    .map(([before, table, after]) => ({
      ...before,
      ...(table === undefined ? {} : { hooks: table }),
      ...after,
    }));
  // What JSON cannot hold, like -0, is in no file.
  return settings.map((one) => JSON.parse(JSON.stringify(one)) as object);
}

/** Nothing of ours in it. */
export const foreignSettings = withHooks(hooksOf(handler));
/** Hooks of ours, too, older ones and misplaced ones. */
export const mixedSettings = withHooks(hooksOf(fc.oneof(handler, own)));

/** As a program writes it. */
export const neatStyle = fc.constantFrom<string | number | undefined>(2, 4, "\t", undefined);
export const oddSpaces = fc.array(fc.constantFrom("", " ", "\n", "\t", "\r\n", "\n  "), { maxLength: 7 });
