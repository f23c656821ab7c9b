// `sotto catalog`: every type, for programs, people and documents.

import { catalogue } from "sotto";
import { expect, test } from "vitest";
import { runSotto } from "../../packages/cli/test/run-sotto.ts";

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
  expect(byType.get("critical_system_reminder")?.examples).toEqual([
    { text: "<system-reminder>\nAlways run the tests before you commit.\n</system-reminder>" },
  ]);
});

test("as text: type, default, switch and when, by tier", async () => {
  const { stdout } = await runSotto(["catalog"]);
  expect(stdout).toMatch(/^for every agent$/mu);
  for (const { type, generator, defaultEnabled } of catalogue)
    expect(stdout).toMatch(
      new RegExp(`^  ${type} +${(defaultEnabled ?? true) ? "on" : "off"} +${generator} +\\S`, "mu"),
    );
});

test("--markdown: a section a type, with its examples", async () => {
  const { stdout } = await runSotto(["catalog", "--markdown"]);
  expect(stdout.match(/^## `\w+`$/gmu)).toEqual(catalogue.map(({ type }) => `## \`${type}\``));
  expect(stdout).toContain(
    "```text\n<system-reminder>\nToken usage: 100500/200000; 99500 remaining\n</system-reminder>\n```",
  );
});
