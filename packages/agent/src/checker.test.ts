import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, type Turn } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Checker, createChecker } from "./checker.ts";

let cwd: string;
let checker: Checker | undefined;
const problems: string[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "sotto-checker-"));
  problems.length = 0;
});
afterEach(async () => {
  await checker?.close();
  rmSync(cwd, { recursive: true, force: true });
});

function open(command: string) {
  const config = { timeout_ms: 20_000 };
  const session = createSession({
    cwd,
    home: cwd,
    agent: { kind: "main" },
    config,
    configFiles: { read: false },
  });
  const started = createChecker({ command, cwd, session, onProblem: (text) => void problems.push(text) });
  checker = started;
  /** What turns say until one says something, or the checker has complained. */
  const told = async (): Promise<string[]> => {
    for (;;) {
      const turn: Turn = await session.turn();
      await turn.commit();
      if (turn.reminders.length > 0) return turn.reminders.map(({ text }) => text);
      if (problems.length > 0) return [];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const write = async (content: string) => {
    await started.ready(AbortSignal.timeout(20_000));
    writeFileSync(join(cwd, "a.txt"), content);
    started.changed();
  };
  return { told, write };
}

const GREP = "grep -n bad a.txt | sed 's/^\\([0-9]*\\):/a.txt:\\1:1: error: /'; exit 1";

it("what was wrong before the agent came is no news, though the first change comes at once", async () => {
  writeFileSync(join(cwd, "a.txt"), "bad old\n");
  // Slow: the change waits for it.
  const { told, write } = open(`sleep 0.3; ${GREP}`);
  await write("bad old\nbad new\n");
  const [text] = await told();
  expect(text).toContain("Line 2: [error] bad new");
  expect(text).not.toContain("bad old");
});

it("one that says nothing that can be read is reported", async () => {
  const { told } = open("echo oops; exit 3");
  expect(await told()).toEqual([]);
  expect(problems).toEqual(["the checker exited with 3 and reported no file and line"]);
});

it("ends with the agent", async () => {
  open("sleep 300");
  await checker?.close();
  expect(problems).toEqual([]);
});
