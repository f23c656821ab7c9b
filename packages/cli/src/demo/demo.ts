// `sotto demo`: runs the reference agent against a script, and prints measurements at the end.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSqliteStore } from "sotto";
import type { Listener, NewInput, Run } from "sotto-agent";
import { createDenyAsker, createPermissions, createTextFace, measure, openRun, pageOn } from "sotto-agent";
import { createStyle, type ExitCode, failed, lineWidth, wrapped } from "sotto-agent/terminal";
import { onClosedOutput, writeJson, writeLine } from "../output/write.ts";
import { SCENARIOS } from "../run/run.ts";
import { comparisonPage, type DemoMeasured, demoMeasures, demoPage, requestPage } from "./pages.ts";

export interface DemoCommand {
  showReminders?: boolean;
  /** Do not pause for reading. */
  fast?: boolean;
  keep?: boolean;
  json?: boolean;
}

const WELCOME =
  "This is a rehearsal: the model is a script on 127.0.0.1, and nothing leaves this machine. The agent, the engine, its log, the files, the processes and the HTTP calls are real. Lines with · are reminders that Sotto adds to the requests. Three of them are shown in full, as the model receives them.";
const KEYS = "Any key continues; Ctrl-C ends.";
const NEXT =
  "Next: run `npx sotto run` in a project of yours, or `npx sotto init` to add Sotto to the coding agent you already use.";

// Reading time of a reminder's line, in characters.
const MARK_LENGTH = 20;

/** Types shown in full, each with what happened. */
const SPOTLIGHTS: ReadonlyMap<string, string> = new Map([
  [
    "task_status",
    "the tests it started in the background have failed; the agent learns of it without asking.",
  ],
  [
    "edited_text_file",
    "somebody saved src/money.js, which the agent had read, while it worked on another file.",
  ],
  ["queued_command", "you typed this while the agent worked; it reads it without stopping."],
]);

// The maximum, so that a busy machine gives the same result.
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
    // The script plays the editor.
    ide: false,
    cwd: directory,
    sessionId: "demo",
    scenario: fileURLToPath(new URL("demo.yaml", SCENARIOS)),
    usualScenario: "",
    store,
    // Independent of the user's config.
    readConfig: false,
    stateDirectory: directory,
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    asker: createDenyAsker(),
    // Independent of installed programs and of the load.
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
  /** Types not shown in full yet. */
  left: Map<string, string>;
}

/** The request's page, if it is the first with a reminder to show in full. */
function requestIn(heard: readonly NewInput[], { run, left }: Stage): string | undefined {
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
      : [`Inspect it:\n  sotto explain demo --store ${store}\n  sotto log demo --store ${store}`];
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

/** Pauses for reading on a terminal; any key continues. */
export interface Pace {
  /** Adds to what there is to read. */
  wrote(characters: number): void;
  /** Waits as long as reading takes. */
  rest(): Promise<void>;
  close(): void;
}

export interface PaceOptions {
  input: Pick<NodeJS.ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "resume" | "pause">;
  isOn: boolean;
  signal: AbortSignal;
  /** Ctrl-C: in raw mode the terminal sends no signal. */
  onInterrupt(): void;
}

// About the speed of reading unfamiliar text.
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
