// `sotto run`: the reference agent, at a terminal or in one shot.

import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type ExitCode, wrongUse } from "../../../agent/src/terminal/failure.ts";
import type { AgentEvent, Listener } from "../../../agent/src/agent-events.ts";
import { type Complete, createComplete } from "../../../agent/src/face/complete.ts";
import { createDenyAsker } from "../../../agent/src/face/deny-asker.ts";
import { createAnswerFace, type OutputFormat } from "../../../agent/src/face/json-face.ts";
import { pageOn } from "../../../agent/src/face/page.ts";
import { pipedPrompt } from "../input/piped-prompt.ts";
import { createTerminal, type Terminal } from "../../../agent/src/face/terminal.ts";
import { createTerminalAsker } from "../../../agent/src/face/askers.ts";
import { createTextFace } from "../../../agent/src/face/text-face.ts";
import { SET_A_MODEL } from "../../../agent/src/model/resolve-model.ts";
import { openRun } from "../../../agent/src/open-run.ts";
import type { Run, RunOptions } from "../../../agent/src/run-options.ts";
import { createTalk, type Talk } from "../../../agent/src/face/talk.ts";
import { createPermissions, isAllowedBeforehand } from "../../../agent/src/tools/permissions.ts";
import { workingDirectory } from "../input/arguments.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { wrapped } from "../../../agent/src/terminal/word-wrap.ts";
import { note, whenNobodyReads } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { createRunEnding, endNow } from "./ending.ts";
import { checkTeam, endWithLead, MATE_LAST_MS, type TeamCommand, teamOf } from "./run-team.ts";

export interface RunCommand extends TeamCommand {
  scenario?: string;
  resume?: string | true;
  fork?: string;
  permissionMode?: "ask" | "auto-edit" | "all";
  allow?: string[];
  notes?: boolean;
  check?: string;
  memoryFile?: string;
  remote?: string;
  style?: string;
  showReminders?: boolean;
  outputFormat?: OutputFormat;
}

export const SCENARIOS = new URL(
  import.meta.url.endsWith(".ts") ? "../../scenarios/" : "../scenarios/",
  import.meta.url,
);
// How long the end of a program waits for a collector.
const REPORT_MS = 500;
const USUAL = fileURLToPath(new URL("first-session.yaml", SCENARIOS));

export async function run(command: RunCommand): Promise<ExitCode> {
  if (command.outputFormat !== undefined && command.print === undefined)
    throw wrongUse("--output-format needs -p: a conversation at the terminal has a page of its own");
  if (command.resume !== undefined && command.fork !== undefined)
    throw wrongUse("--resume and --fork: give one of them");
  checkTeam(command);
  const reporting = startReporting(process.env);
  try {
    return await (command.print === undefined ? atTerminal(command) : inOneShot(command));
  } finally {
    await reporting?.end(REPORT_MS);
  }
}

async function inOneShot(command: RunCommand): Promise<ExitCode> {
  const prompt = await pipedPrompt({
    prompt: command.print === true ? "" : (command.print ?? ""),
    input: process.stdin,
    note,
  });
  if (prompt.trim() === "") throw wrongUse('-p: the prompt is empty, e.g. sotto run -p "What does this do?"');
  const stopping = new AbortController();
  const ending = createRunEnding({
    signals: ["SIGINT", "SIGTERM", "SIGHUP"],
    stop: () => stopping.abort(),
    ...(command.mateOf === undefined ? {} : { lastMs: MATE_LAST_MS }),
  });
  whenNobodyReads(() => stopping.abort());
  if (command.mateOf !== undefined) endWithLead(ending);
  const voice = lateListener();
  const permissions = createPermissions(command.permissionMode, command.allow);
  const options = await optionsFor(command, {
    permissions,
    asker: createDenyAsker({ say: note, allows: (name) => isAllowedBeforehand(name, permissions) }),
    listen: voice.listen,
    onInterrupt: () => stopping.abort(),
  });
  const opened = await openRun(options);
  ending.opened();
  try {
    tell(opened);
    const face = createAnswerFace({
      format: command.outputFormat ?? "text",
      out: process.stdout,
      errors: process.stderr,
      session: { sessionId: opened.sessionId, model: opened.modelName, cwd: opened.cwd },
    });
    voice.speak(face.listen);
    await opened.agent.run(prompt, stopping.signal);
    const { isError } = face.end();
    await opened.end();
    if (stopping.signal.aborted) return 130;
    return isError ? 1 : 0;
  } finally {
    await opened.close();
    await options.store.close();
    ending.close();
  }
}

async function atTerminal(command: RunCommand): Promise<ExitCode> {
  const style = createStyle();
  const width = lineWidth();
  const talk: { current?: Talk; complete?: Complete } = {};
  const terminal = createTerminal({
    input: process.stdin,
    output: process.stdout,
    style,
    complete: async (line) => (await talk.complete?.(line)) ?? [[], line],
    onQueued: (text) => talk.current?.queue(text),
    // Nothing to stop yet: then the program is what is meant.
    onAbort: () => (talk.current === undefined ? endNow("SIGINT") : talk.current.abort()),
    onEnd: () => talk.current?.end(),
  });
  const stop = () => {
    talk.current?.end();
    terminal.close();
  };
  const ending = createRunEnding({ signals: ["SIGTERM", "SIGHUP"], stop });
  const voice = lateListener();
  whenNobodyReads(stop);
  try {
    const permissions = createPermissions(command.permissionMode, command.allow);
    const options = await optionsFor(command, {
      permissions,
      asker: terminal.isTty
        ? createTerminalAsker({ terminal, style, width })
        : createDenyAsker({
            say: (text) => voice.listen({ type: "notice", text }),
            allows: (name) => isAllowedBeforehand(name, permissions),
          }),
      listen: voice.listen,
      onInterrupt: () => talk.current?.abort(),
    });
    const opened = await openRun(options);
    try {
      tell(opened);
      const page = createTextFace({
        out: process.stdout,
        style,
        width,
        cwd: opened.cwd,
        isTty: process.stdout.isTTY === true,
        ...(command.showReminders ? { showReminders: true } : {}),
      });
      voice.speak(page);
      const print = (text: string) => void process.stdout.write(`${text}\n`);
      talk.complete = createComplete({ cwd: opened.cwd, denyRead: command.deny ?? [] });
      talk.current = createTalk({ run: opened, listen: page, print });
      ending.opened();
      const code = await talk.current.converse(createPrompts(opened, terminal, print));
      await opened.end();
      if (terminal.isTty) sayHowToGoOn(opened, command);
      return code;
    } finally {
      await opened.close();
      await options.store.close();
    }
  } finally {
    // No row is left behind that still says what goes on.
    if (process.stdout.isTTY) pageOn(process.stdout).status("");
    terminal.close();
    ending.close();
  }
}

/** Behind the last word of a conversation. A rehearsal cannot be resumed. */
function sayHowToGoOn({ sessionId, rehearsal }: Run, command: RunCommand): void {
  if (command.store === "memory:") return;
  const place = command.store === undefined ? "" : ` --store ${command.store}`;
  const lookBack = `sotto explain ${sessionId}${place} shows what it was told`;
  note(rehearsal !== undefined ? lookBack : `to go on: sotto run --resume ${sessionId}${place}; ${lookBack}`);
}

/** In a rehearsal the script types; a person at the keyboard may send its words, or others. */
function createPrompts({ rehearsal }: Run, terminal: Terminal, print: (text: string) => void) {
  /** A command was typed first: the script still waits to type this. */
  let waiting: string | undefined;
  return async (): Promise<string | undefined> => {
    const scripted = waiting ?? (await rehearsal?.nextPrompt());
    if (!terminal.isTty && rehearsal !== undefined) {
      if (scripted !== undefined) print(`\n› ${scripted}\n`);
      return scripted;
    }
    if (scripted !== undefined)
      print(wrapped(`The script would type this, Enter sends it: ${scripted}`, lineWidth()));
    const typed = await terminal.prompt({ emptyIs: scripted });
    waiting = typed !== scripted && typed?.startsWith("/") ? scripted : undefined;
    return typed;
  };
}

/** What is heard before anyone can show it is shown first. */
function lateListener(): { listen: Listener; speak(face: Listener): void } {
  const early: AgentEvent[] = [];
  let face: Listener = (event) => void early.push(event);
  return {
    listen: (event) => face(event),
    speak(given) {
      face = given;
      early.splice(0).forEach(given);
    },
  };
}

function tell({ rehearsal, sessionId, modelName, cwd, resumed, problems }: Run): void {
  if (rehearsal !== undefined)
    note(
      `this is a rehearsal: no model is set, a script on this machine plays one in ${cwd}. For a real one, ${SET_A_MODEL}`,
    );
  else
    note(
      `session ${sessionId}, ${modelName}${resumed === undefined ? "" : `, resumed after ${resumed.messages.length} messages`}`,
    );
  for (const problem of problems) note(problem);
}

async function optionsFor(
  command: RunCommand,
  voices: Pick<RunOptions, "asker" | "listen" | "onInterrupt" | "permissions">,
): Promise<RunOptions> {
  const { store } = openStore(command.store);
  return {
    ...voices,
    cwd: workingDirectory(command.cwd),
    model: command.model,
    baseUrl: command.baseUrl,
    window: command.window,
    scenario: command.scenario === undefined ? undefined : resolve(command.scenario),
    usualScenario: USUAL,
    resume: command.resume,
    fork: command.fork === undefined ? undefined : parseFork(command.fork),
    store,
    stateDirectory: command.store === "memory:" ? undefined : stateDirectory(),
    asksInSample: command.permissionMode !== undefined,
    extraDirectories: (command.addDir ?? []).map((directory) => resolve(directory)),
    denyRead: command.deny ?? [],
    mcpConfig: command.mcpConfig,
    ide: command.ide,
    maxTurns: command.maxTurns,
    notes: command.notes,
    check: command.check,
    memoryFile: command.memoryFile === undefined ? undefined : resolve(command.memoryFile),
    remote: command.remote,
    style: command.style,
    ...teamOf(command),
  };
}

function parseFork(text: string): { id: string; turn?: number } {
  const [, id = text, turn] = /^(.+)@(\d+)$/u.exec(text) ?? [];
  return turn === undefined ? { id } : { id, turn: Number(turn) };
}
