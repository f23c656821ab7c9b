// `sotto catalog`: every type, for programs, people and documents.

import { readFileSync } from "node:fs";
import { catalogue } from "sotto/inspect";
import { expect, test } from "vitest";
import { runSotto, sottoHere } from "../../packages/cli/test/run-sotto.ts";

interface Entry {
  type: string;
  tag: string;
  default: boolean;
  throttle: string;
  examples: { text: string }[];
}

test("--json: every type in the order of delivery, examples as the model reads them", async () => {
  const { code, stdout, stderr } = await runSotto(["catalog", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const entries = JSON.parse(stdout) as Entry[];
  expect(entries.map(({ type }) => type)).toEqual(catalogue.map(({ type }) => type));
  for (const entry of entries) {
    expect(entry).toEqual({
      type: expect.any(String),
      generator: expect.any(String),
      tier: expect.stringMatching(/^(?:event|user_prompt|core|main_agent)$/u),
      tag: expect.any(String),
      trigger: expect.stringMatching(/\w/u),
      throttle: expect.stringMatching(/\w/u),
      default: expect.any(Boolean),
      examples: expect.arrayContaining([{ text: expect.any(String) }]),
    });
    for (const { text } of entry.examples)
      if (text !== "") expect(text).toMatch(new RegExp(`^<${entry.tag}[ >].*</${entry.tag}>$`, "su"));
  }
  const byType = new Map(entries.map((entry) => [entry.type, entry]));
  expect(byType.get("token_usage")).toMatchObject({ default: false, tag: "system-reminder" });
  expect(byType.get("plan_mode")).toMatchObject({ default: true, throttle: "5 turns apart" });
  expect(byType.get("teammate_mailbox")).toMatchObject({ tag: "teammate-message", throttle: "once each" });
  expect(byType.get("critical_system_reminder")?.examples[0]).toEqual({
    text: "<system-reminder>\nAlways run the tests before you commit.\n</system-reminder>",
  });
});

test("as text: type, default and when, by tier", async () => {
  const { stdout } = await sottoHere(["catalog"]);
  expect(stdout).toMatch(/^for every agent$/mu);
  for (const { type, defaultEnabled } of catalogue)
    expect(stdout).toMatch(new RegExp(`^  ${type} +${(defaultEnabled ?? true) ? "on" : "off"} +\\S`, "mu"));
});

test("--markdown: a table for each tier, then a section a type with its fields, options and an example", async () => {
  const { stdout } = await sottoHere(["catalog", "--markdown"]);
  expect(stdout.match(/^### `\w+`$/gmu)).toEqual(catalogue.map(({ type }) => `### \`${type}\``));
  expect(stdout.match(/^\| \[`\w+`\]/gmu)).toEqual(catalogue.map(({ type }) => `| [\`${type}\`]`));
  for (const part of [
    "| [`token_usage`](#token_usage) | usage crosses 50, 75, 90 or 95% of the window, or every turn if configured | whenever it is due | off | `<system-reminder>` | 24 |",
    "- **fields**:\n  - `used`: number\n  - `total`: number\n  - `remaining`: number",
    "- **options**:\n  - `every_turn`, `false`: true / false\n  - `thresholds`, `[50,75,90,95]`: list of number",
    "```text\n<system-reminder>\nToken usage: 100500/200000; 99500 remaining\n</system-reminder>\n```",
  ])
    expect(stdout).toContain(part);
});

test("docs/attachments.md is what the catalogue gives", async () => {
  const { stdout } = await sottoHere(["catalog", "--markdown"]);
  expect(readFileSync(new URL("../../docs/attachments.md", import.meta.url), "utf8")).toBe(stdout);
});
