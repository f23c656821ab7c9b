import type { SessionEvent } from "sotto";
import type { Source, SourceSession } from "sotto/extend";
import { expect, it } from "vitest";
import { answered, openSession, textOf } from "../../../../test/support/telling.ts";

const diagnostic = { message: "Broken.", severity: "Error" as const, line: 1 };
const published: SessionEvent = {
  type: "diagnostics_published",
  origin: "lsp",
  filePath: "/repo/a.ts",
  diagnostics: [diagnostic],
};

/** A source that hears of things between turns. */
function listening() {
  const started: SourceSession[] = [];
  const noticed: string[] = [];
  const source: Source<"planFile"> = {
    fact: "planFile",
    observe: () => ({ exists: false }),
    start: (session) => void started.push(session),
    notice: (event) => void noticed.push(event.type),
  };
  return { source, started, noticed };
}

it("a source is started once, when the log is open, and records between turns", async () => {
  const { source, started } = listening();
  const session = openSession({ id: "s", sources: [source] });
  expect(started).toEqual([]);
  await session.open();
  await session.open();
  expect(started.map(({ id, cwd }) => ({ id, cwd }))).toEqual([{ id: "s", cwd: "/repo" }]);
  await started[0]?.record([published]);
  expect(textOf(await answered(session), "diagnostics")).toContain("Broken.");
});

it("what a source records is checked like anything else, and the others hear of it", async () => {
  const { source, started, noticed } = listening();
  const session = openSession({ sources: [source] });
  await session.open();
  await expect(started[0]?.record([{ type: "nonsense" } as never])).rejects.toThrow("nonsense");
  await started[0]?.record([published]);
  expect(noticed).toEqual(["diagnostics_published"]);
});

it("a source that cannot be started costs only itself", async () => {
  const source: Source<"planFile"> = {
    fact: "planFile",
    observe: () => ({ exists: false }),
    start() {
      throw new Error("no");
    },
  };
  const session = openSession({ sources: [source] });
  await session.record(published);
  expect(textOf(await answered(session), "diagnostics")).toContain("Broken.");
});

it("a source of the host is not started again for a sub-agent or a fork", async () => {
  const { source, started } = listening();
  const session = openSession({ id: "s", sources: [source] });
  await session.open();
  await session.subagent({ agentType: "Explore" }).open();
  await (await session.fork()).open();
  expect(started.map(({ id }) => id)).toEqual(["s"]);
});
