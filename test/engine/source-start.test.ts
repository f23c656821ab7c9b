// Sources that hear of things between turns: started with the log, and what they record is kept.

import { createMemoryStore } from "sotto";
import type { Source, SourceSession } from "sotto/extend";
import { expect, it } from "vitest";
import { useOwnDeadlines } from "../support/deadlines.ts";
import { answered, openSession, outcomeOf, textOf } from "../support/telling.ts";

useOwnDeadlines();

/** Gives the fact that the reminder about the date asks for. */
function listener(run: (session: SourceSession) => void | Promise<void>): Source<"calendar"> {
  return { fact: "calendar", observe: () => ({ today: "2026-01-01", start: "2026-01-01" }), start: run };
}

const open = (file: string) => ({ type: "ide_changed", ideName: "an editor", openFile: file }) as const;

it("is started once, when the log is opened, and knows the session", async () => {
  const started: unknown[] = [];
  const source = listener(({ id, cwd, settings }) => {
    started.push({ id, cwd, timeout: settings().timeout_ms });
  });
  const session = openSession({ id: "one", sources: [source], config: { timeout_ms: 500 } });
  expect(started).toEqual([]);
  await answered(session);
  await answered(session);
  expect(started).toEqual([{ id: "one", cwd: "/repo", timeout: 500 }]);
});

it("what it records between turns the next one says, also when another process asks for it", async () => {
  const store = createMemoryStore();
  const heard = Promise.withResolvers<SourceSession>();
  const session = openSession({ id: "one", store, sources: [listener(heard.resolve)] });
  await answered(session);
  await (await heard.promise).record([open("/nowhere/a.ts")]);
  const other = openSession({ id: "one", store });
  expect(textOf(await other.turn(), "opened_file_in_ide")).toContain("/nowhere/a.ts");
});

it("a turn waits for what is being recorded", async () => {
  const heard = Promise.withResolvers<SourceSession>();
  const session = openSession({ sources: [listener(heard.resolve)] });
  await answered(session);
  void (await heard.promise).record([open("/nowhere/a.ts")]);
  expect(textOf(await session.turn(), "opened_file_in_ide")).toContain("/nowhere/a.ts");
});

it("a wrong event is refused to the source, and costs nobody else anything", async () => {
  const heard = Promise.withResolvers<SourceSession>();
  const session = openSession({ sources: [listener(heard.resolve)] });
  await answered(session);
  const { record } = await heard.promise;
  await expect(record([{ type: "ide_changed" } as never])).rejects.toThrow("ide_changed.ideName: missing");
  expect(outcomeOf(await session.turn(), "opened_file_in_ide")).toMatch(/^nothing: /u);
});

it("one that cannot start costs the turn nothing", async () => {
  const session = openSession({
    sources: [
      listener(() => {
        throw new Error("no");
      }),
    ],
  });
  expect((await session.turn()).problem).toBeUndefined();
});

it("AC-16 it is not started while nothing asks for its fact, and is once something does", async () => {
  let starts = 0;
  const source = listener(() => void starts++);
  const session = openSession({ sources: [source], config: { attachments: { date_change: false } } });
  await answered(session);
  expect(starts).toBe(0);
  await session.record({ type: "config_changed", config: { attachments: { date_change: true } } });
  await answered(session);
  expect(starts).toBe(1);
});

it("a fork has the sources it is given, and closes them; without any it borrows", async () => {
  const closed: string[] = [];
  const named = (name: string): Source => ({
    ...listener(() => undefined),
    close: () => void closed.push(name),
  });
  const session = openSession({ sources: [named("parent's")] });
  await answered(session);
  const borrowing = await session.fork();
  await answered(borrowing);
  await borrowing.close();
  expect(closed).toEqual([]);
  const owning = await session.fork({ sources: [named("fork's")] });
  await answered(owning);
  await owning.close();
  expect(closed).toEqual(["fork's"]);
  await session.close();
  expect(closed).toEqual(["fork's", "parent's"]);
});
