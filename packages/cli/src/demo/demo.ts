// `sotto demo`: the reference agent rehearsed before the user's eyes, with what was measured at the end.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSqliteStore } from "sotto";
import type { Heard, Listener, Run } from "sotto-agent";
import { createDenyAsker, createPermissions, createTextFace, measure, openRun, pageOn } from "sotto-agent";
import { createStyle, type ExitCode, failed, lineWidth, wrapped } from "sotto-agent/terminal";
import { onClosedOutput, writeJson, writeLine } from "../output/write.ts";
import { SCENARIOS } from "../run/run.ts";
import { comparisonPage, type DemoMeasured, demoMeasures, demoPage, requestPage } from "./pages.ts";

export interface DemoCommand {
  showReminders?: boolean;
  /** Without time to read. */
  fast?: boolean;
  keep?: boolean;
  json?: boolean;
}

const WELCOME =
  "This is a rehearsal: the model is a script on 127.0.0.1, and nothing leaves this machine. The agent, the engine, its log, the files, the processes and the HTTP calls are real. Lines with · are reminders: what Sotto tells the model besides the conversation. Three of them are shown in full, as they stand in the request.";
const KEYS = "Any key goes on at once; Ctrl-C ends.";
const NEXT =
  "Try it next: `npx sotto run` in a project of yours, or `npx sotto init` there to wire the coding agent you already use.";

// Of a line that stands for a reminder: what it takes to read it.
const MARK_LENGTH = 20;

/** Shown in full, with what happened. */
const SPOTLIGHTS: ReadonlyMap<string, string> = new Map([
  ["task_status", "the tests it started in the background have failed; it hears of it without asking."],
  ["edited_text_file", "somebody saved src/money.js, which it had read, while it worked on another file."],
  ["queued_command", "you typed this while it worked; it takes it along, without being stopped."],
]);

// The longest there is: on a busy machine the demo takes longer, and says the same.
const PATIENT_MS = 60_000;

export async function demo(command: DemoCommand): Promise<ExitCode> {
  const ending = new AbortController();
  const end = () => ending.abort(failed("ended", "interrupted"));
  process.once("SIGINT", end).once("SIGTERM", end);
  const reading = onClosedOutput(end);
  const directory = await mkdtemp(join(tmpdir(), "sotto-demo-"));
  const store = join(directory, "sotto.db");
  try {
    const { measured, beside } = await rehearse(command, { directory, store, signal: ending.signal, end });
    if (ending.signal.aborted) return 130;
    if (command.json) await writeJson({ ...measured, ...(command.keep ? { store } : {}) });
    else await writeLine(lastPage(measured, { beside, ...(command.keep ? { store } : {}) }));
    return measured.good ? 0 : 1;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    reading();
    if (!command.keep) await rm(directory, { recursive: true, force: true });
  }
}

interface Place {
  directory: string;
  store: string;
  signal: AbortSignal;
  end(): void;
}

async function rehearse(
  command: DemoCommand,
  { directory, store: path, signal, end }: Place,
): Promise<{ measured: DemoMeasured; beside: string }> {
  const from = performance.now();
  const store = createSqliteStore({ path });
  const isPaced = process.stdout.isTTY === true && !command.json && !command.fast;
  const pace = createPace({ input: process.stdin, isOn: isPaced, signal, onInterrupt: end });
  if (!command.json) await say(`${WELCOME}${isPaced && process.stdin.isTTY ? ` ${KEYS}` : ""}`);
  const stage: Stage = { listen: () => undefined, left: new Map(command.showReminders ? [] : SPOTLIGHTS) };
  const run = await openRun({
    // The script says what the editor shows.
    ide: false,
    cwd: directory,
    sessionId: "demo",
    scenario: fileURLToPath(new URL("demo.yaml", SCENARIOS)),
    usualScenario: "",
    store,
    // The same for everyone, whatever they have configured.
    readConfig: false,
    stateDirectory: directory,
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    asker: createDenyAsker(),
    // The same everywhere, whatever is installed and however busy the machine is.
    config: { language_servers: false, timeout_ms: PATIENT_MS },
    listen(event) {
      if (event.type === "text") pace.wrote(event.text.length);
      else if (event.type === "reminder") pace.wrote(MARK_LENGTH);
      stage.listen(event);
    },
    async onRequest(_request, heard) {
      const page = requestIn(heard, stage);
      if (page !== undefined) pageOn(process.stdout).write(`\n${page}\n`);
      pace.wrote(page?.length ?? 0);
      await pace.rest();
    },
  });
  try {
    if (!command.json) Object.assign(stage, { run, listen: pageFor(run, command) });
    for (let prompt = await run.rehearsal?.nextPrompt(); prompt !== undefined; ) {
      if (!command.json) await say(`\n› ${prompt}\n`);
      pace.wrote(prompt.length);
      await run.agent.run(prompt, signal);
      if (signal.aborted) break;
      prompt = await run.rehearsal?.nextPrompt();
    }
    const { requests = [], problems = [] } = run.rehearsal ?? {};
    const seconds = (performance.now() - from) / 1000;
    const measured = demoMeasures(measure(requests, { typeOf: run.typeOf }), { problems, seconds });
    const look = { style: createStyle(), width: lineWidth(), typeOf: run.typeOf };
    return { measured, beside: command.json ? "" : comparisonPage(requests, look) };
  } finally {
    pace.close();
    await run.close();
    await store.close();
  }
}

interface Stage {
  listen: Listener;
  run?: Run;
  /** The types that are still to be shown in full. */
  left: Map<string, string>;
}

/** The request, where it is the first with a reminder that is to be shown in full. */
function requestIn(heard: readonly Heard[], { run, left }: Stage): string | undefined {
  if (run === undefined) return undefined;
  const look = { style: createStyle(), width: lineWidth(), typeOf: run.typeOf, spotlights: left };
  const page = requestPage(heard, look);
  for (const { kind, text } of heard) if (kind === "reminder") left.delete(run.typeOf(text) ?? "");
  return page;
}

function lastPage(measured: DemoMeasured, { beside, store }: { beside: string; store?: string }): string {
  const kept =
    store === undefined
      ? []
      : [`Look further:\n  sotto explain demo --store ${store}\n  sotto log demo --store ${store}`];
  return [demoPage(measured), beside, ...kept, wrapped(NEXT, lineWidth())].join("\n\n");
}

function say(text: string): Promise<void> {
  return writeLine(wrapped(text, lineWidth()));
}

function pageFor({ cwd }: Run, { showReminders }: DemoCommand) {
  return createTextFace({
    out: process.stdout,
    style: createStyle(),
    width: lineWidth(),
    cwd,
    isTty: process.stdout.isTTY === true,
    ...(showReminders ? { showReminders } : {}),
  });
}

// The pace of the demo: on a terminal it leaves time to read, and any key goes on at once.

export interface Pace {
  /** So much has been written that somebody may want to read. */
  wrote(characters: number): void;
  /** Time to read it. */
  rest(): Promise<void>;
  close(): void;
}

export interface PaceOptions {
  input: Pick<NodeJS.ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "resume" | "pause">;
  isOn: boolean;
  signal: AbortSignal;
  /** Ctrl-C: while keys are read one by one, the terminal makes no signal of it. */
  onInterrupt(): void;
}

// About as fast as people read what they have not seen before.
const MS_PER_CHARACTER = 16;
const SHORTEST_MS = 600;
const LONGEST_MS = 9000;
const CTRL_C = "\u0003";

export const noPace: Pace = { wrote: () => undefined, rest: async () => undefined, close: () => undefined };

export function createPace({ input, isOn, signal, onInterrupt }: PaceOptions): Pace {
  if (!isOn) return noPace;
  let unread = 0;
  let resting = new AbortController();
  const onKey = (key: Buffer) => (key.toString().includes(CTRL_C) ? onInterrupt() : resting.abort());
  if (input.isTTY) {
    input.setRawMode(true);
    input.on("data", onKey).resume();
  }
  return {
    wrote(characters) {
      unread += characters;
    },
    async rest() {
      const ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, unread * MS_PER_CHARACTER));
      unread = 0;
      resting = new AbortController();
      await after(ms, undefined, { signal: AbortSignal.any([signal, resting.signal]) }).catch(
        () => undefined,
      );
    },
    close() {
      if (!input.isTTY) return;
      input.off("data", onKey).pause();
      input.setRawMode(false);
    },
  };
}
