import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { lspDiagnostics } from "./lsp-diagnostics.ts";

const publish = (origin: "host" | "lsp", messages: string[]) =>
  ({
    type: "diagnostics_published",
    origin,
    filePath: "/repo/a.ts",
    diagnostics: messages.map((message) => ({ message, severity: "Error" as const, line: 1 })),
  }) as const;

const told = async (attachments: Record<string, boolean> = {}) => {
  const session = openSession({ config: { attachments } });
  await session.record(publish("host", ["Host."]));
  await session.record(publish("lsp", ["Server."]));
  const turn = await answered(session);
  return {
    types: turn.attachments.map(({ type }) => type),
    said: turn.reminders.map(({ type, text }) => `${type}: ${/\] (.*)/u.exec(text)?.[1]}`),
    outcomes: ["diagnostics", "lsp_diagnostics"].map((type) => outcomeOf(turn, type)),
  };
};

describe("diagnostics of language servers", () => {
  it("AC-2 read like those of the host", () => {
    expect(examplesAsRead(lspDiagnostics)).toMatchInlineSnapshot(`
      "# one file
      <system-reminder>
      <new-diagnostics>The following new diagnostic issues were detected:

      File: /repo/src/a.ts
      Line 1: [error] ';' expected.
      </new-diagnostics>
      </system-reminder>"
    `);
  });

  it("are diagnostics to the host, with a trace entry of their own", async () => {
    expect(await told()).toEqual({
      types: ["diagnostics", "diagnostics"],
      said: ["diagnostics: Host.", "diagnostics: Server."],
      outcomes: ["sent: 1 sent", "sent: 1 sent"],
    });
  });

  it("AC-16 lsp_diagnostics switches them alone, diagnostics both", async () => {
    expect(await told({ lsp_diagnostics: false })).toEqual({
      types: ["diagnostics"],
      said: ["diagnostics: Host."],
      outcomes: ["sent: 1 sent", "off: switched off: attachments.lsp_diagnostics"],
    });
    expect((await told({ diagnostics: false })).said).toEqual([]);
    expect((await told({ diagnostics: false, lsp_diagnostics: true })).said).toEqual([
      "diagnostics: Server.",
    ]);
  });

  it("what is gone before it was said is told under their own name", async () => {
    const session = openSession();
    await session.record(publish("lsp", ["One."]));
    await session.record(publish("lsp", []));
    const turn = await session.turn();
    expect(says(turn, "diagnostics")).toBe(false);
    expect(outcomeOf(turn, "lsp_diagnostics")).toBe(
      "superseded: 1 in /repo/a.ts was gone before it was said",
    );
    expect(outcomeOf(turn, "diagnostics")).toBe("nothing: no new diagnostics since the last ones were sent");
  });
});
