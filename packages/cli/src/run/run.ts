// `sotto run`: the reference agent, at a terminal or for one prompt.

import process from "node:process";
import { fileURLToPath } from "node:url";
import { redactedUrl, userDirectories } from "sotto/internal";
import type { AgentEvent, Listener, Run, RunOptions, TeamOptions } from "sotto-agent";
import {
  type Complete,
  createAnswerFace,
  createComplete,
  createDenyAsker,
  createPermissions,
  createTalk,
  createTerminal,
  createTerminalAsker,
  createTextFace,
  isAllowedBeforehand,
  LEAD,
  type OutputFormat,
  openRun,
  pageOn,
  SET_A_MODEL,
  type Talk,
  type Terminal,
} from "sotto-agent";
import { createStyle, type ExitCode, isTerminal, lineWidth, usageError, wrapped } from "sotto-agent/terminal";
import { existingDirectory, existingFile, parseAddress } from "../input/arguments.ts";
import { pipedPrompt } from "../input/stdin.ts";
import { note, onClosedOutput } from "../output/write.ts";
import { openPlace, storePlace } from "../sessions/open-store.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { createRunEnding, endNow, type RunEnding } from "./ending.ts";

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
// How long to wait for a telemetry collector on exit.
const REPORT_MS = 500;
const USUAL = fileURLToPath(new URL("first-session.yaml", SCENARIOS));

export async function run(command: RunCommand): Promise<ExitCode> {
  if (command.outputFormat !== undefined && command.print === undefined)
    throw usageError("--output-format needs -p");
  if (command.resume !== undefined && command.fork !== undefined)
    throw usageError("--resume and --fork cannot be combined");
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
  if (`${prompt.typed}${prompt.given}`.trim() === "")
    throw usageError('-p: the prompt is empty; try sotto run -p "What does this do?"');
  const stopping = new AbortController();
  const ending = createRunEnding({
    signals: ["SIGINT", "SIGTERM", "SIGHUP"],
    stop: () => stopping.abort(),
    ...(command.mateOf === undefined ? {} : { lastMs: MATE_LAST_MS }),
  });
  onClosedOutput(() => stopping.abort());
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
    announce(opened);
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
    // Nothing to stop yet, so end the program.
    onAbort: () => (talk.current === undefined ? endNow("SIGINT") : talk.current.abort()),
    onEnd: () => talk.current?.end(),
  });
  const stop = () => {
    talk.current?.end();
    terminal.close();
  };
  const ending = createRunEnding({ signals: ["SIGTERM", "SIGHUP"], stop });
  const voice = lateListener();
  onClosedOutput(stop);
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
      announce(opened);
      const page = createTextFace({
        out: process.stdout,
        style,
        width,
        cwd: opened.cwd,
        isTty: isTerminal(process.stdout),
        ...(command.showReminders ? { showReminders: true } : {}),
      });
      voice.speak(page);
      const print = (text: string) => void process.stdout.write(`${text}\n`);
      talk.complete = createComplete({ cwd: opened.cwd, denyRead: command.deny ?? [] });
      talk.current = createTalk({ run: opened, listen: page, print, width });
      ending.opened();
      const code = await talk.current.converse(createPrompts(opened, terminal, print));
      await opened.end();
      if (terminal.isTty) printHowToResume(opened, command);
      return code;
    } finally {
      await opened.close();
      await options.store.close();
    }
  } finally {
    // Clear the status line.
    if (process.stdout.isTTY) pageOn(process.stdout).status("");
    terminal.close();
    ending.close();
  }
}

/** A rehearsal cannot be resumed. */
function printHowToResume({ sessionId, rehearsal }: Run, command: RunCommand): void {
  if (storePlace(command.store).kind === "memory") return;
  const place = command.store === undefined ? "" : ` --store ${redactedUrl(command.store)}`;
  const lookBack = `sotto explain ${sessionId}${place} shows its reminders`;
  note(
    rehearsal !== undefined ? lookBack : `to resume: sotto run --resume ${sessionId}${place}; ${lookBack}`,
  );
}

/** In a rehearsal the script types; at a terminal the user may send its text or another. */
function createPrompts({ rehearsal }: Run, terminal: Terminal, print: (text: string) => void) {
  /** The script's text, while the user types a command first. */
  let waiting: string | undefined;
  return async (): Promise<string | undefined> => {
    const scripted = waiting ?? (await rehearsal?.nextPrompt());
    if (!terminal.isTty && rehearsal !== undefined) {
      if (scripted !== undefined) print(`\n› ${scripted}\n`);
      return scripted;
    }
    if (scripted !== undefined)
      print(wrapped(`Enter sends the script's next prompt: ${scripted}`, lineWidth()));
    const typed = await terminal.prompt({ emptyIs: scripted });
    waiting = typed !== scripted && typed?.startsWith("/") ? scripted : undefined;
    return typed;
  };
}

/** Buffers events until there is a face to show them. */
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

function announce({ rehearsal, sessionId, modelName, cwd, resumed, problems }: Run): void {
  if (rehearsal !== undefined)
    note(`rehearsal: no model is set, so a script plays one in ${cwd}. For a real model, ${SET_A_MODEL}`);
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
  const cwd = existingDirectory(command.cwd);
  const extraDirectories = (command.addDir ?? []).map((one) => existingDirectory(one, "--add-dir"));
  const { scenario, mcpConfig, memoryFile } = command;
  const files = {
    scenario: scenario === undefined ? undefined : existingFile(scenario, "--scenario"),
    mcpConfig: mcpConfig?.map((one) => existingFile(one, "--mcp-config")),
    memoryFile: memoryFile === undefined ? undefined : existingFile(memoryFile, "--memory-file"),
  };
  const place = storePlace(command.store);
  const { store } = await openPlace(place);
  return {
    ...voices,
    ...files,
    cwd,
    model: command.model,
    baseUrl: command.baseUrl,
    window: command.window,
    usualScenario: USUAL,
    resume: command.resume,
    fork: command.fork === undefined ? undefined : parseFork(command.fork),
    store,
    stateDirectory: place.kind === "memory" ? undefined : userDirectories().stateDirectory,
    asksInSample: command.permissionMode !== undefined,
    extraDirectories,
    denyRead: command.deny ?? [],
    ide: command.ide,
    maxTurns: command.maxTurns,
    notes: command.notes,
    check: command.check,
    remote: command.remote,
    style: command.style,
    ...teamOf(command),
  };
}

function parseFork(text: string): { id: string; turn?: number } {
  const [, id = text, turn] = /^(.+)@(\d+)$/u.exec(text) ?? [];
  return turn === undefined ? { id } : { id, turn: Number(turn) };
}

export interface TeamCommand {
  print?: string | true;
  model?: string;
  baseUrl?: string;
  window?: number;
  cwd?: string;
  store?: string;
  addDir?: string[];
  deny?: string[];
  mcpConfig?: string[];
  ide?: boolean;
  maxTurns?: number;
  mailbox?: string;
  team?: string;
  delegate?: boolean;
  mateOf?: string;
  agentType?: string;
}

// Less than a lead waits for its team mates.
export const MATE_LAST_MS = 3500;

export function checkTeam({ team, mailbox, delegate, mateOf, agentType, print }: TeamCommand): void {
  if (team !== undefined && mailbox !== undefined)
    throw usageError("--team and --mailbox cannot be combined: the lead of a team has the mailbox team/lead");
  if (delegate && team === undefined) throw usageError("--delegate needs --team");
  if (mateOf !== undefined && (mailbox === undefined || print === undefined))
    throw usageError("--mate-of needs --mailbox and -p");
  if (agentType !== undefined && mateOf === undefined) throw usageError("--agent-type needs --mate-of");
}

export function teamOf(command: TeamCommand): TeamOptions {
  const { team, mailbox, delegate = false, mateOf, agentType } = command;
  const address = team === undefined ? mailbox : `${team}/${LEAD}`;
  if (address === undefined) return {};
  return {
    mailbox: parseAddress(address),
    mateOf,
    agentType,
    ...(team === undefined ? {} : { leads: { delegates: delegate, mateArguments: mateArguments(command) } }),
  };
}

/** Arguments that a team mate shares with its lead. */
function mateArguments(command: TeamCommand): string[] {
  const one = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name}`, String(value)];
  const many = (name: string, values: readonly string[] = []) => values.flatMap((value) => one(name, value));
  return [
    ...one("model", command.model),
    ...one("base-url", command.baseUrl),
    ...one("window", command.window),
    ...one("cwd", command.cwd),
    ...one("store", command.store),
    ...one("max-turns", command.maxTurns),
    ...many("add-dir", command.addDir),
    ...many("deny", command.deny),
    ...many("mcp-config", command.mcpConfig),
    ...(command.ide === false ? ["--no-ide"] : []),
  ];
}

/** The IPC channel closes when the lead ends, in whatever way. */
export function endWithLead(ending: RunEnding): void {
  process.once("disconnect", () => ending.stop());
  // The listener must not keep this process alive.
  process.channel?.unref();
  if (!process.connected) ending.stop();
}
