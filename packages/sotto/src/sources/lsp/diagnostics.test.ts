import type { SessionEvent } from "sotto";
import { expect, it } from "vitest";
import { createReportQueue, type FileReport } from "./diagnostics.ts";
import { TIMING } from "./timing.ts";

const report = (messages: string[], rest: Partial<FileReport> = {}): FileReport => ({
  filePath: "/a.ts",
  baseline: false,
  findings: {
    diagnostics: messages.map((message) => ({ message, severity: "Error", line: 1 })),
    more: 0,
  },
  ...rest,
});

function open(isKnown = true) {
  const kept: string[] = [];
  const trouble = { now: false };
  const reports = createReportQueue({
    timing: TIMING,
    isKnown: () => isKnown,
    async record(events: readonly SessionEvent[]) {
      if (trouble.now) throw new Error("the disk is full");
      for (const event of events)
        if (event.type === "diagnostics_published")
          kept.push(
            `${event.baseline ? "was" : "is"} ${event.diagnostics.map(({ message }) => message).join()}`,
          );
    },
  });
  return { reports, kept, trouble };
}

it("keeps the latest report about a file, and how it stood before", async () => {
  const { reports, kept } = open();
  reports.put(report(["old"], { baseline: true }));
  reports.put(report(["old", "one"]));
  reports.put(report(["old", "two"]));
  await reports.flush();
  expect({ kept, isEmpty: reports.isEmpty() }).toEqual({ kept: ["was old", "is old,two"], isEmpty: true });
});

it("keeps nothing twice, and not that there is nothing where nothing is known", async () => {
  const known = open();
  for (const messages of [["one"], ["one"], [], []]) {
    known.reports.put(report(messages));
    await known.reports.flush();
  }
  expect(known.kept).toEqual(["is one", "is "]);
  const unknown = open(false);
  for (const messages of [[], ["one"], []]) {
    unknown.reports.put(report(messages));
    await unknown.reports.flush();
  }
  expect(unknown.kept).toEqual(["is one", "is "]);
});

it("tries again with what could not be written", async () => {
  const { reports, kept, trouble } = open();
  trouble.now = true;
  reports.put(report(["old"], { baseline: true }));
  reports.put(report(["old", "one"]));
  await reports.flush();
  expect({ kept, isEmpty: reports.isEmpty() }).toEqual({ kept: [], isEmpty: false });
  trouble.now = false;
  await reports.flush();
  expect(kept).toEqual(["was old", "is old,one"]);
});
