// Servers that hang, flood, lie, die or are not there: bounded, started again, given up, and no turn waits for them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  fakeServer,
  messagesIn,
  notesIn,
  openStage,
  type Stage,
  type StageOptions,
} from "../../../../../test/support/language-servers.ts";
import { outcomeOf } from "../../../../../test/support/telling.ts";

const QUICK = { settleMs: 100, quietMs: 10, shutdownMs: 200, backOffMs: [1, 1, 1] };
// Wide for a busy machine, and far below what a hanging server would cost.
// A turn that waited for a server would take its whole deadline, a minute.
const NO_WAIT_MS = 30_000;

let stage: Stage;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-notes-"));
});
afterEach(async () => {
  await stage.close();
  rmSync(directory, { recursive: true, force: true });
});

function open(mode: string, options: Partial<StageOptions> = {}): Stage {
  stage = openStage({
    servers: fakeServer(mode, join(directory, "notes")),
    files: { "a.fake": "fine\n" },
    timing: QUICK,
    ...options,
  });
  return stage;
}

describe("is given up after three more tries, and says why", () => {
  it.each([
    ["hangs", "it did not answer initialize within 500 ms, also after 3 retries"],
    ["deaf", "it did not answer initialize within 500 ms, also after 3 retries"],
    ["dies", "it exited with code 3, also after 3 retries"],
    ["nonsense", "it sent something that is not a message, also after 3 retries"],
    ["huge", "it announced a message of 99999999999 bytes, also after 3 retries"],
    ["junk", "it answered initialize with something else, also after 3 retries"],
  ])("one that %s", async (mode, detail) => {
    // The one that may be slow to start, and the ones that must be found out by their silence.
    const initializeMs = mode === "hangs" || mode === "deaf" ? 500 : 30_000;
    const one = open(mode, { timing: { ...QUICK, initializeMs } });
    await one.write("a.fake", "BAD Mine.\n");
    expect(await one.untilState("given up")).toEqual({ name: "fake", state: "given up", detail });
    const turn = await one.turn();
    expect(outcomeOf(turn, "lsp_diagnostics")).toBe(
      `nothing: no new diagnostics since the last ones were sent; language server fake is given up: ${detail}`,
    );
  });

  it("one that sends broken JSON", async () => {
    const one = open("bad json");
    await one.write("a.fake", "BAD Mine.\n");
    expect((await one.untilState("given up")).detail).toContain("it sent something that is not a message: ");
  });

  it("one that asks without end", async () => {
    const one = open("asks without end");
    await one.write("a.fake", "BAD Mine.\n");
    expect((await one.untilState("given up")).detail).toContain(
      "it sent more than 5000 messages in 10 seconds",
    );
  });

  it("one whose program is not there is missing, and is not tried at all", async () => {
    const servers = { fake: { command: ["no-such-server"], extensions: [".fake"] } };
    const one = open("", { servers });
    await one.write("a.fake", "x\n");
    expect((await one.untilState("missing")).detail).toBe(
      "no-such-server is neither in the project nor on the PATH",
    );
  });

  it("one that was given up starts again when somebody asks for it", async () => {
    const one = open("dies");
    await one.write("a.fake", "BAD Mine.\n");
    await one.untilState("given up");
    const runs = () =>
      notesIn(join(directory, "notes")).filter(({ method }) => method === "environment").length;
    expect(runs()).toBe(4);
    await one.source.restart();
    await one.until(() => runs() === 8);
    await one.untilState("given up");
    for (const enabled of [false, true])
      await one.session.record({ type: "config_changed", config: { language_servers: enabled } });
    await one.turn();
    await one.until(() => runs() === 12);
  });
});

describe("costs a turn nothing", () => {
  it.each(["hangs", "deaf", "silent", "asks without end"])("one that %s", async (mode) => {
    const one = open(mode);
    for (let index = 0; index < 5; index++) {
      await one.write("a.fake", `BAD Mine ${index}.\n`);
      const from = performance.now();
      const turn = await one.turn();
      expect(performance.now() - from).toBeLessThan(NO_WAIT_MS);
      expect(messagesIn(turn)).toEqual([]);
    }
  });
});

describe("says what it has to say", () => {
  it("a flood of 10,000 diagnostics comes in parts: the first in full, and how many more", async () => {
    const one = open("flood");
    await one.read("a.fake");
    await one.write("a.fake", "FLOOD\n");
    const told = await one.untilTold();
    expect(told).toHaveLength(31);
    expect([told[0], told.at(-1)]).toEqual(["1 Issue 0.", "and 9800 more, not listed."]);
    expect(await one.told()).toHaveLength(30);
    const [flood] = (await one.published()).filter(({ diagnostics }) => diagnostics.length > 0);
    expect([flood?.diagnostics.length, flood?.more]).toEqual([200, 9800]);
    await one.write("a.fake", "fine\nFLOOD\n");
    await one.write("a.fake", "fine\n");
    await one.until(async () => (await one.published()).at(-1)?.diagnostics.length === 0);
    expect(await one.told()).toEqual([]);
  });

  it("junk among diagnostics is left out", async () => {
    const one = open("junk diagnostics");
    await one.read("a.fake");
    await one.write("a.fake", "BAD Mine.\n");
    expect(await one.untilTold()).toEqual(["1 Mine."]);
  });

  it("one that is killed in the middle comes back, and tells nothing twice", async () => {
    const one = open("good");
    await one.read("a.fake");
    await one.write("a.fake", "BAD First.\n");
    expect(await one.untilTold()).toEqual(["1 First."]);
    const pid = Number.parseInt(running(directory)[0] as string, 10);
    process.kill(pid, "SIGKILL");
    await one.write("a.fake", "BAD First.\nBAD Second.\n");
    expect(await one.untilTold()).toEqual(["2 Second."]);
    expect(await one.told()).toEqual([]);
  });

  it("one that dies of a change is told all at once when it is back", async () => {
    const one = open("dies on change");
    await one.read("a.fake");
    await one.untilState("ready");
    await one.write("a.fake", "BAD First.\n");
    expect(await one.untilTold()).toEqual(["1 First."]);
  });
});

describe("leaves nothing behind", () => {
  it.each(["good", "stubborn", "deaf", "hangs"])("one that is %s", async (mode) => {
    const one = open(mode);
    await one.read("a.fake");
    if (mode !== "deaf") await one.until(() => notesIn(join(directory, "notes")).length > 1);
    else await one.untilState("starting");
    await one.session.close();
    expect(running(directory)).toEqual([]);
  });
});

/** Processes that were started with this directory among their arguments. */
function running(mark: string): string[] {
  const list = execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" });
  return list
    .split("\n")
    .filter(
      (line) => line.includes(mark) && line.includes("fake-language-server") && !/^\s*\d+\s+Z/u.test(line),
    );
}
