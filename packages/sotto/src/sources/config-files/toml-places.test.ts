import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { placeOfKey } from "./read-toml.ts";

const TEXT = `# [not.a.table]
title = "a # in a text, and a ] too"
long = """
[system_reminder]
enabled = 1
"""

[system_reminder]
enabled = true   # with a word
timeout_ms=5
memory.file_names = ["a", "b"]
memory . 'user_dirs' = []

[system_reminder.attachments]
"plan_mode" = { full_every = 0, nested = { deep = [ { x = 1 }, { y = 'it' } ] } }
changed_files = { enabled = true,
  max_diff_lines = 60 }

[[other]]
a = 1
[[other]]
a = 2
`;

describe("the place of a key", () => {
  it.each([
    ["title", 2, 1],
    ["system_reminder", 8, 2],
    ["system_reminder.enabled", 9, 1],
    ["system_reminder.timeout_ms", 10, 1],
    ["system_reminder.memory.file_names", 11, 8],
    ["system_reminder.memory.user_dirs", 12, 10],
    ["system_reminder.attachments", 14, 18],
    ["system_reminder.attachments.plan_mode", 15, 1],
    ["system_reminder.attachments.plan_mode.full_every", 15, 17],
    ["system_reminder.attachments.changed_files.max_diff_lines", 17, 3],
  ])("%s is line %i, column %i", (name, line, column) => {
    expect(placeOfKey(TEXT, name.split("."))).toMatchObject({ line, column });
  });

  it("of what is not written down is that of the table around it", () => {
    const text = "[system_reminder]\ncontext_forms = ['ab']\n";
    expect(placeOfKey(text, ["system_reminder", "context_forms", "0"])).toEqual({
      depth: 2,
      line: 2,
      column: 1,
    });
    expect(placeOfKey(text, ["elsewhere"])).toBeUndefined();
  });

  it.each([
    ["a key of 100,000 parts", (count: number) => `${"a.".repeat(count)}b = 1\n`],
    ["100,000 keys", (count: number) => Array.from({ length: count }, (_, at) => `k${at} = 1\n`).join("")],
    ["100,000 tables", (count: number) => "[[t]]\n".repeat(count)],
  ])("is found behind %s in one pass", (_what, textOf) => {
    const text = `[system_reminder]\n${textOf(100_000)}[system_reminder.tasks]\nstyle = 5\n`;
    const place = placeOfKey(text, ["system_reminder", "tasks", "style"]);
    expect(place).toMatchObject({ depth: 3, line: text.split("\n").length - 1 });
  });

  it("is found for every key of any document, whatever its texts hold", () => {
    const key = fc.oneof(
      fc.stringMatching(/^[\w-]{1,8}$/u),
      fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name.isWellFormed() && name !== "__proto__"),
    );
    const leaf = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.string().filter((text) => text.isWellFormed()),
      fc.array(fc.string().filter((text) => text.isWellFormed())),
    );
    const { document } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small" }, leaf, tie("document")),
      document: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(document as fc.Arbitrary<Record<string, unknown>>, (value) => {
        const text = stringify(value);
        const lines = text.split("\n");
        for (const keys of pathsIn(parse(text))) {
          const { depth, line, column } = placeOfKey(text, keys) ?? { depth: 0, line: 0, column: 0 };
          expect(depth, `${keys} in ${text}`).toBe(keys.length);
          const there = lines[line - 1]?.slice(column - 1) ?? "";
          const name = keys.at(-1) as string;
          expect(there.startsWith(name) || /^["']/u.test(there), `${there} is not ${name}`).toBe(true);
        }
      }),
      runs(300),
    );
  });
});

function pathsIn(value: unknown, above: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [...above, key],
    ...pathsIn(inner, [...above, key]),
  ]);
}
