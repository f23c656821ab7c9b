import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { fillTemplate } from "./apply-template.ts";
import { parseTemplate } from "./parse-template.ts";

const schema = v.object({
  name: v.string(),
  count: v.optional(v.number()),
  done: v.optional(v.boolean()),
  from: v.object({ path: v.string(), line: v.number() }),
  items: v.array(v.object({ text: v.string(), tags: v.array(v.string()), name: v.optional(v.string()) })),
  content: v.variant("type", [
    v.object({ type: v.literal("text"), text: v.string() }),
    v.object({ type: v.literal("image"), data: v.string() }),
  ]),
  extra: v.record(v.string(), v.string()),
  prompt: v.union([v.string(), v.array(v.string())]),
});
const data = {
  name: "Ada",
  count: 3,
  done: false,
  from: { path: "/a.ts", line: 7 },
  items: [
    { text: "one", tags: ["x", "y"] },
    { text: "two", tags: [], name: "own" },
  ],
  content: { type: "text", text: "hello" },
  extra: { date: "today" },
  prompt: "ask",
};

function fill(source: string): string {
  const template = parseTemplate(source, schema);
  if ("problem" in template) return `${template.line}:${template.column} ${template.problem}`;
  return fillTemplate(template, data);
}

describe("a template", () => {
  it.each([
    ["a plain text", "No field { here } or }} there.", "No field { here } or }} there."],
    ["fields", "{{name}} has {{ count }}.", "Ada has 3."],
    ["dotted fields", "{{from.path}}:{{from.line}}", "/a.ts:7"],
    ["a field of one alternative", "{{content.text}}{{content.data}}", "hello"],
    ["a field of a record", "{{extra.date}}{{extra.none}}", "today"],
    ["a field that may be a text or a list", "{{prompt}}", "ask"],
    [
      "what is there and what is not",
      "{{#if count}}some{{/if}}{{#if done}}done{{else}}open{{/if}}",
      "someopen",
    ],
    ["a list", "{{#each items}}{{text}} {{/each}}", "one two"],
    [
      "a list in a list",
      "{{#each items}}{{text}}:{{#each tags}}[{{this}}]{{/each}};{{/each}}",
      "one:[x][y];two:;",
    ],
    ["the item itself by its fields", "{{#each items}}{{this.text}}{{/each}}", "onetwo"],
    ["fields from outside of a list", "{{#each items}}{{#each tags}}{{count}}{{/each}}{{/each}}", "33"],
    [
      "a name of the item before one from outside, also where it has none",
      "{{#each items}}({{name}}){{/each}}",
      "()(own)",
    ],
    ["an empty list", "{{#each items}}{{#if tags}}+{{else}}-{{/if}}{{/each}}", "+-"],
  ])("fills in %s", (_, source, text) => {
    expect(fill(source)).toBe(text);
  });

  it("a block tag alone on its line takes the line with it", () => {
    const source =
      "List:\n{{#each items}}\n  - {{text}}\n  {{#if name}}\n    by {{name}}\r\n  {{/if}}\r\n{{/each}}\nEnd\n";
    expect(fill(source)).toBe("List:\n  - one\n  - two\n    by own\r\nEnd");
  });

  it.each([
    ["{{nmae}}", '1:1 "nmae": there is no field "nmae"; did you mean "name"?'],
    ["a\nb {{from.lin}}", '2:3 "from.lin": there is no field "lin"; did you mean "line"?'],
    ["{{this}}", '1:1 "this": there is no field "this"'],
    [
      "{{#each items}}{{this.txt}}{{/each}}",
      '1:16 "this.txt": there is no field "txt"; did you mean "text"?',
    ],
    ["{{items}}", '1:1 "items" is not text; use {{#each}} for a list'],
    ["{{from}}", '1:1 "from" is not text; use {{#each}} for a list'],
    ["{{#each name}}{{/each}}", '1:1 "name" is not a list'],
    ["x {{#if name}}", "1:3 {{#if}} is never closed"],
    ["{{#each items}}{{#if text}}{{/each}}", "1:28 {{/each}} closes {{#if}}"],
    ["{{/if}}", "1:1 {{/if}} closes nothing"],
    ["{{else}}", "1:1 {{else}} is not inside {{#if}}"],
    ["{{#if name}}{{else}}{{else}}{{/if}}", "1:21 {{else}} is not inside {{#if}}"],
    ["{{#each items}}{{else}}{{/each}}", "1:16 {{else}} is not inside {{#if}}"],
    ["{{#unless name}}", "1:1 {{#unless name}} is not known; there are #if, #each, else, /if, /each"],
    ["{{name", "1:1 {{ is never closed"],
    ["{{}}", '1:1 "" is not a field: write name or name.inner'],
    ["{{name | upper}}", '1:1 "name | upper" is not a field: write name or name.inner'],
    ["{{constructor}}", '1:1 "constructor": there is no field "constructor"'],
    ["{{name.length}}", '1:1 "name.length": there is no field "length"'],
    [`{{${"x".repeat(300)}}}`, "1:1 {{ is not closed on its line"],
    ["x".repeat(100_001), "1:1 a template has at most 100000 characters, this one 100001"],
    ["{{#if name}}".repeat(21), "1:241 blocks may be nested at most 20 deep"],
  ])("%j is refused with its place", (source, problem) => {
    expect(fill(source)).toBe(problem);
  });

  it("AC-46 grows no further than its bounds", () => {
    const list = v.object({ items: v.array(v.string()) });
    const items = Array.from({ length: 200 }, () => "x".repeat(20));
    const nested = `${"{{#each items}}".repeat(6)}{{this}}${"{{/each}}".repeat(6)}`;
    const deep = `${"{{#each items}}".repeat(6)}${"{{/each}}".repeat(6)}`;
    const filled = (source: string) => {
      const template = parseTemplate(source, list);
      if ("problem" in template) throw new Error(template.problem);
      return () => fillTemplate(template, { items });
    };
    expect(filled(nested)).toThrow(/its template (produces|takes) more than \d+/u);
    expect(filled(deep)).toThrow("its template takes more than 200000 steps");
    // Each item is a step, also where nothing is done with it.
    const idle = "{{#each items}}{{/each}}".repeat(2000);
    expect(filled(idle)).toThrow("its template takes more than 200000 steps");
  });

  it("whatever stands in it, reading it ends with a template or a problem, and text alone stays text", () => {
    const piece = fc.constantFrom(
      ...[
        "{{",
        "}}",
        "{{#if name}}",
        "{{else}}",
        "{{/if}}",
        "{{#each items}}",
        "{{/each}}",
        "{{name}}",
        "{{text}}",
      ],
      ...["\n", "  ", "word", "{", "}", "{{#if", "\r\n"],
    );
    const texts = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
      fc.string(),
    );
    const property = fc.property(texts, (source) => {
      const template = parseTemplate(source, schema);
      if ("problem" in template) {
        expect(template.line).toBeGreaterThan(0);
        expect(template.column).toBeGreaterThan(0);
      } else if (!source.includes("{{")) expect(fillTemplate(template, data)).toBe(source.trim());
      else expect(fillTemplate(template, data)).not.toMatch(/undefined|\[object/u);
    });
    fc.assert(property, runs(500));
  });
});
