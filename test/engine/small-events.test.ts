// Small things that happen around an agent, each told once: results cleared, empty files, a new day, a word of caution.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Source } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered, openSession, outcomeOf, says, textOf } from "../support/telling.ts";

const patient = { timeout_ms: 30_000 };

describe("AC-38 cleared tool results", () => {
  it("are counted together and told once, also to sub-agents", async () => {
    const session = openSession().subagent({ agentType: "Explore" });
    await session.record({ type: "tool_results_cleared", count: 3 });
    await session.record({ type: "tool_results_cleared", count: 0 });
    await session.record({ type: "tool_results_cleared", count: 4 });
    await (await session.turn()).abandon();
    expect(textOf(await answered(session), "micro_compact")).toBe(
      "<system-reminder>\nMicro-compact cleared 7 tool result(s) to reduce context size.\n</system-reminder>",
    );
    expect(outcomeOf(await answered(session), "micro_compact")).toBe(
      "nothing: no tool result was cleared since the last one was sent",
    );
    await session.record({ type: "tool_results_cleared", count: 1 });
    expect(says(await answered(session), "micro_compact")).toBe(true);
  });
});

describe("an empty file", () => {
  const type = "empty_file_warning";
  let cwd: string;
  let path: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "sotto-empty-"));
    path = join(cwd, "empty.ts");
    await writeFile(path, "");
  });
  afterEach(() => rm(cwd, { recursive: true }));
  const open = () => openSession({ cwd, home: cwd, config: patient });

  it("that was read is told of once while that is in view", async () => {
    const session = open();
    await session.record({ type: "file_read", path });
    await session.record({ type: "file_read", path });
    await (await session.turn()).abandon();
    expect((await answered(session)).attachments).toEqual([{ type, data: { filename: path } }]);
    await session.record({ type: "file_read", path });
    expect(says(await answered(session), type)).toBe(false);
    await session.record({ type: "compacted" });
    await session.record({ type: "file_read", path, content: "" });
    expect(says(await answered(session), type)).toBe(true);
    await session.close();
  });

  it("is named, so that two of them are two texts", async () => {
    const session = open();
    const other = join(cwd, "other.ts");
    await writeFile(other, "");
    for (const one of [path, other]) await session.record({ type: "file_read", path: one });
    const texts = (await session.turn()).reminders.map(({ text }) => text);
    expect(texts).toEqual(
      [path, other].map(
        (one) =>
          `<system-reminder>\nWarning: the file ${one} exists but the contents are empty.\n</system-reminder>`,
      ),
    );
    await session.close();
  });

  it("that has been written to before that was said is not", async () => {
    const session = open();
    await session.record({ type: "file_read", path });
    await writeFile(path, "x");
    await session.record({ type: "file_written", path, content: "x" });
    expect(outcomeOf(await answered(session), type)).toBe(
      "nothing: no read found an empty file that was not reported yet",
    );
    await writeFile(path, "");
    await session.record({ type: "file_read", path });
    expect(says(await answered(session), type)).toBe(true);
    await session.close();
  });

  it("is not one with a space in it, nor one that is not there", async () => {
    const session = open();
    await writeFile(path, " ");
    await session.record({ type: "file_read", path });
    await session.record({ type: "file_read", path: join(cwd, "none.ts") });
    expect(says(await answered(session), type)).toBe(false);
    await session.close();
  });
});

describe("a new day", () => {
  const type = "date_change";
  const calendar = { today: "2026-11-15", start: "2026-11-15" };
  const source: Source = { fact: "calendar", observe: () => ({ ...calendar }) };

  it("is told once, until it was heard, and again after compaction", async () => {
    const session = openSession({ sources: [source] });
    expect(outcomeOf(await answered(session), type)).toBe(
      "nothing: it is 2026-11-15, as at the start of the session",
    );
    calendar.today = "2026-11-16";
    await (await session.turn()).abandon();
    expect((await answered(session)).attachments).toEqual([{ type, data: { newDate: "2026-11-16" } }]);
    expect(outcomeOf(await answered(session), type)).toBe("nothing: sent in turn 3, unchanged since");
    calendar.today = "2026-11-17";
    expect(says(await answered(session), type)).toBe(true);
    expect(says(await answered(session), type)).toBe(false);
    await session.record({ type: "compacted" });
    expect(says(await answered(session), type)).toBe(true);
    expect(says(await answered(session), type)).toBe(false);
  });

  it("is not there at the start, by the built-in calendar", async () => {
    expect(outcomeOf(await openSession().turn(), type)).toMatch(
      /^nothing: it is \d{4}-\d\d-\d\d, as at the start of the session$/u,
    );
  });
});

describe("a word of caution about files", () => {
  const type = "file_read_caution";
  const read = { type: "file_read", path: "/repo/none.ts" } as const;

  it("is off by default", async () => {
    const session = openSession();
    await session.record(read);
    expect(outcomeOf(await answered(session), type)).toBe(`off: switched off: attachments.${type}`);
    await session.close();
  });

  it("comes with the first read and never again, not even after compaction", async () => {
    const session = openSession({ config: { attachments: { [type]: true } } });
    expect(outcomeOf(await answered(session), type)).toBe("nothing: no file was read yet");
    await session.record(read);
    expect(says(await answered(session), type)).toBe(true);
    await session.record(read);
    expect(says(await answered(session), type)).toBe(false);
    await session.record({ type: "compacted" });
    await session.record(read);
    expect(outcomeOf(await answered(session), type)).toBe(
      "throttled: sent 1 of at most 1 times in this session",
    );
    await session.close();
  });
});
