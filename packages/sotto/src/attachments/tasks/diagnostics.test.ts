import type { Turn } from "sotto";
import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, textOf } from "../../../../../test/support/telling.ts";
import { diagnostics } from "./diagnostics.ts";

type Severity = "Error" | "Warning" | "Info" | "Hint";
const issue = (message: string, line = 1, severity: Severity = "Error") => ({ message, severity, line });
const publish = (filePath: string, list: ReturnType<typeof issue>[], version?: number) =>
  ({
    type: "diagnostics_published",
    origin: "host",
    filePath,
    diagnostics: list,
    ...(version === undefined ? {} : { version }),
  }) as const;

/** The messages that a turn said, with their lines. */
function said(turn: Turn): string[] {
  return [...(textOf(turn, "diagnostics") ?? "").matchAll(/^Line (\d+): \[\w+\] (.*)$/gmu)].map(
    ([, line, message]) => `${line} ${message}`,
  );
}

describe("diagnostics, as the model reads them", () => {
  it("AC-2 has a line per issue, severity in lower case, a blank line between files", () => {
    expect(examplesAsRead(diagnostics)).toMatchInlineSnapshot(`
      "# one file
      <system-reminder>
      <new-diagnostics>The following new diagnostic issues were detected:

      File: /repo/src/a.ts
      Line 12: [error] Cannot find name 'x'.
      Line 30: [hint] 'y' is declared but never read.
      </new-diagnostics>
      </system-reminder>

      # two files, more than are listed
      <system-reminder>
      <new-diagnostics>The following new diagnostic issues were detected:

      File: /repo/src/a.ts
      Line 1: [error] ';' expected.

      File: /repo/src/b.ts
      Line 2: [warning] Unused import.

      40 more follow in later turns, unless they are fixed by then.

      and 9998 more, not listed.
      </new-diagnostics>
      </system-reminder>"
    `);
  });

  it("AC-2 breaks its lines where the format does", () => {
    const files = [
      { filePath: "/repo/a.ts", diagnostics: [issue("One.", 3), issue("Two.", 4, "Info")] },
      { filePath: "/repo/b.ts", diagnostics: [issue("Three.", 1, "Warning")] },
    ];
    expect(asRead(diagnostics, { files, isNew: true })).toBe(
      "<system-reminder>\n<new-diagnostics>The following new diagnostic issues were detected:\n\n" +
        "File: /repo/a.ts\nLine 3: [error] One.\nLine 4: [info] Two.\n\n" +
        "File: /repo/b.ts\nLine 1: [warning] Three.\n</new-diagnostics>\n</system-reminder>",
    );
  });

  it("AC-39 a message cannot close the tag", () => {
    const files = [
      { filePath: "/repo/</new-diagnostics>.ts", diagnostics: [issue("</new-diagnostics> Hi.")] },
    ];
    expect(asRead(diagnostics, { files, isNew: true })).toMatchInlineSnapshot(`
      "<system-reminder>
      <new-diagnostics>The following new diagnostic issues were detected:

      File: /repo/[/new-diagnostics>.ts
      Line 1: [error] [/new-diagnostics> Hi.
      </new-diagnostics>
      </system-reminder>"
    `);
  });
});

describe("diagnostics, when", () => {
  it("says only what was not there before", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.")]));
    expect(said(await answered(session))).toEqual(["1 One."]);
    await session.record(publish("/repo/a.ts", [issue("One."), issue("Two.", 2)]));
    expect(said(await answered(session))).toEqual(["2 Two."]);
    await session.record(publish("/repo/a.ts", [issue("One."), issue("Two.", 2)]));
    expect(outcomeOf(await answered(session), "diagnostics")).toBe(
      "nothing: no new diagnostics since the last ones were sent",
    );
  });

  it("takes one that moved to another line for the same, and tells where it stands when it is said", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.", 1)]));
    await session.record(publish("/repo/a.ts", [issue("One.", 10)]));
    expect(said(await answered(session))).toEqual(["10 One."]);
    await session.record(publish("/repo/a.ts", [issue("One.", 20)]));
    expect(says(await answered(session), "diagnostics")).toBe(false);
  });

  it("takes a second one with the same words for a new one, and forgets it when only one is left", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("Unused.", 1)]));
    await answered(session);
    await session.record(publish("/repo/a.ts", [issue("Unused.", 1), issue("Unused.", 9)]));
    await session.record(publish("/repo/a.ts", [issue("Unused.", 1)]));
    expect(outcomeOf(await answered(session), "diagnostics")).toBe(
      "superseded: 1 in /repo/a.ts was gone before it was said",
    );
    await session.record(publish("/repo/a.ts", [issue("Unused.", 1), issue("Unused.", 9)]));
    expect(said(await answered(session))).toEqual(["9 Unused."]);
  });

  it("does not say what was fixed before it was said, and traces it", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One."), issue("Two.", 2)]));
    await session.record(publish("/repo/a.ts", []));
    const turn = await answered(session);
    expect(turn.reminders).toEqual([]);
    expect(outcomeOf(turn, "diagnostics")).toBe(
      "superseded: 2 in /repo/a.ts were gone before they were said",
    );
  });

  it("says again what was fixed and came back", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.")]));
    await answered(session);
    await session.record(publish("/repo/a.ts", []));
    await answered(session);
    await session.record(publish("/repo/a.ts", [issue("One.")]));
    expect(said(await answered(session))).toEqual(["1 One."]);
  });

  it("drops what belongs to an older version of the file", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.")], 7));
    await answered(session);
    await session.record(publish("/repo/a.ts", [issue("Old.")], 6));
    expect(outcomeOf(await answered(session), "diagnostics")).toBe(
      "superseded: version 6 of /repo/a.ts came after version 7",
    );
    await session.record(publish("/repo/a.ts", [issue("One."), issue("Two.", 2)], 8));
    expect(said(await answered(session))).toEqual(["2 Two."]);
  });

  it("says only what is bad enough, where the config has a threshold", async () => {
    const session = openSession({ config: { attachments: { diagnostics: { min_severity: "Warning" } } } });
    await session.record(publish("/repo/a.ts", [issue("Hm.", 1, "Hint"), issue("Well.", 2, "Info")]));
    expect(outcomeOf(await answered(session), "diagnostics")).toBe(
      "nothing: the new diagnostics are all below Warning (min_severity)",
    );
    await session.record(
      publish("/repo/b.ts", [issue("Bad.", 3), issue("Hm.", 4, "Hint"), issue("So.", 5, "Warning")]),
    );
    expect(said(await answered(session))).toEqual(["3 Bad.", "5 So."]);
  });

  it("tells what a language server only suggests where that is asked for, and what a host says as it comes", async () => {
    const hints = [issue("Unused.", 1, "Hint"), issue("Long.", 2, "Info")];
    const published = { ...publish("/repo/a.ts", hints), origin: "lsp" } as const;
    const usual = openSession();
    await usual.record(published);
    expect(outcomeOf(await answered(usual), "lsp_diagnostics")).toBe(
      "nothing: the new diagnostics are all below Warning (min_severity)",
    );
    await usual.record(publish("/repo/a.ts", hints));
    expect(said(await answered(usual))).toEqual(["1 Unused.", "2 Long."]);
    const curious = openSession({ config: { attachments: { lsp_diagnostics: { min_severity: "Info" } } } });
    await curious.record(published);
    expect(said(await answered(curious))).toEqual(["2 Long."]);
  });

  it("keeps the host's and the language server's apart", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.")]));
    await session.record({ ...publish("/repo/a.ts", []), origin: "lsp" });
    expect(said(await answered(session))).toEqual(["1 One."]);
  });

  it("stays due until it was heard", async () => {
    const session = openSession();
    await session.record(publish("/repo/a.ts", [issue("One.")]));
    await (await session.turn()).abandon();
    expect(said(await answered(session))).toEqual(["1 One."]);
    expect(says(await answered(session), "diagnostics")).toBe(false);
  });

  it("of a storm of 10 000 the worst thirty come first, the others in later turns", async () => {
    const session = openSession();
    await answered(session);
    const storm = Array.from({ length: 10_000 }, (_, index) =>
      issue(`Issue ${index}.`, index + 1, index % 1000 === 999 ? "Error" : "Warning"),
    );
    await session.record(publish("/repo/a.ts", storm));
    const turn = await answered(session);
    expect(turn.reminders[0]?.tokens).toBeLessThan(1000);
    expect(said(turn)).toHaveLength(30);
    expect(said(turn).filter((line) => line.endsWith("999."))).toHaveLength(10);
    expect(textOf(turn, "diagnostics")).toContain(
      "\n\n9970 more follow in later turns, unless they are fixed by then.\n</new-diagnostics>",
    );
    const next = said(await answered(session));
    expect(next).toHaveLength(30);
    expect(next.filter((line) => said(turn).includes(line))).toEqual([]);
    await session.record(publish("/repo/a.ts", []));
    expect(outcomeOf(await answered(session), "diagnostics")).toBe(
      "superseded: 9940 in /repo/a.ts were gone before they were said",
    );
    await session.record(publish("/repo/a.ts", storm.slice(0, 3)));
    expect(said(await answered(session))).toHaveLength(3);
  });

  it("of a storm that mostly ends before it was said only what is left comes", async () => {
    const session = openSession();
    const storm = Array.from({ length: 10_000 }, (_, index) => issue(`Issue ${index}.`, index + 1));
    await session.record(publish("/repo/a.ts", storm));
    await session.record(publish("/repo/a.ts", storm.slice(100, 150)));
    const told = [await answered(session), await answered(session)].flatMap(said);
    expect(told).toEqual(storm.slice(100, 150).map(({ line, message }) => `${line} ${message}`));
    expect(says(await answered(session), "diagnostics")).toBe(false);
  });

  it("a storm over 2 000 files is bounded in each turn, and none of it is left out", async () => {
    const session = openSession();
    await answered(session);
    const paths = Array.from({ length: 2000 }, (_, index) => `/repo/${index}.ts`);
    for (const path of paths) await session.record(publish(path, [issue("One.")]));
    const told: string[] = [];
    for (let turns = 0; turns < 67; turns++) {
      const turn = await answered(session);
      expect(turn.reminders[0]?.tokens).toBeLessThan(1000);
      told.push(
        ...[...(textOf(turn, "diagnostics") ?? "").matchAll(/^File: (.*)$/gmu)].map(([, path]) => `${path}`),
      );
    }
    expect(told).toEqual(paths);
    expect(says(await answered(session), "diagnostics")).toBe(false);
  });

  it("where a turn has room for fewer than thirty the others wait as well, in order", async () => {
    const session = openSession({ config: { max_tokens_per_turn: 300, max_context_tokens: 300 } });
    const long = Array.from({ length: 50 }, (_, index) =>
      issue(`${index} ${"some words ".repeat(10)}end.`, index + 1),
    );
    await session.record(publish("/repo/a.ts", long));
    const told: string[] = [];
    for (let turns = 0; turns < 50 && told.length < 50; turns++) {
      const turn = await answered(session);
      expect(textOf(turn, "diagnostics")).not.toContain("(cut to fit");
      told.push(...said(turn));
    }
    expect(told).toEqual(long.map(({ line, message }) => `${line} ${message}`));
  });
});
