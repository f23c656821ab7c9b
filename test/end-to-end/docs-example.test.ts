import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createSession } from "sotto";
import type { Attachment } from "sotto/extend";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

it("AC-31 the attachment of docs/adding-an-attachment.md is one file, and works as written there", async () => {
  const page = await readFile(new URL("docs/adding-an-attachment.md", root), "utf8");
  const code = /```ts\n(\/\/ Lunch break[\s\S]*?)```/u.exec(page)?.[1];
  if (code === undefined) throw new Error("the page has no code for lunch-break.ts");
  const directory = await mkdtemp(join(tmpdir(), "sotto-docs-"));
  const file = join(directory, "lunch-break.ts");
  const local = code
    .replace("../../core/", new URL("packages/sotto/src/core/", root).href)
    .replace('"valibot"', JSON.stringify(import.meta.resolve("valibot")));
  await writeFile(file, local);
  const { lunchBreak } = (await import(pathToFileURL(file).href)) as { lunchBreak: Attachment };

  const session = createSession({ cwd: directory, agent: { kind: "main" }, attachments: [lunchBreak] });
  await session.record({ type: "todos_written", items: [{ content: "Fix the parser", status: "pending" }] });
  const early = await session.turn();
  expect(early.trace.find(({ type }) => type === "lunch_break")).toMatchObject({
    outcome: "nothing",
    reason: "0 of 40 turns",
  });
  await early.commit();
  for (let count = 0; count < 40; count++) await session.record({ type: "assistant_turn" });
  const turn = await session.turn();
  expect(turn.reminders.find(({ type }) => type === "lunch_break")?.text).toBe(
    "<system-reminder>\nThis has been a long stretch; open items: 1. If the user seems to wait, a summary and a pause may help.\n</system-reminder>",
  );
  await session.close();
  await rm(directory, { recursive: true });
});
