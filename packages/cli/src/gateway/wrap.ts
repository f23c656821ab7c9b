// Runs `sotto wrap`: a gateway on a free port, and a program that is told to use it.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { basename, resolve } from "node:path";
import process from "node:process";
import { problemText } from "sotto/inspect";
import { readBeginning } from "sotto-agent/regular-file";
import { count, type ExitCode, grouped } from "sotto-agent/terminal";
import { createGateway, type Gateway, type LogLine, type Upstream } from "sotto-gateway";
import { note } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { gatewayOptions, readGatewayConfig } from "./gateway-config.ts";
import { lineWords } from "./log-words.ts";

export interface WrapCommand {
  program: string[];
  upstream?: string[];
  workspace?: string;
  store?: string;
  inspect?: boolean;
}

export async function wrap({
  program,
  upstream = [],
  workspace = ".",
  ...command
}: WrapCommand): Promise<ExitCode> {
  const [name = "", ...given] = program;
  const flags = { port: 0, host: "127.0.0.1", workspace: [resolve(workspace)], upstream };
  const config = await readGatewayConfig(flags);
  const options = gatewayOptions(config, flags);
  for (const problem of [...config.ignored, ...config.problems]) note(problemText(problem));
  const { store } = await openStore(command.store);
  let problem: string | undefined;
  const log = (line: LogLine) => {
    if (command.inspect) note(lineWords(line));
    if (line.level === "warn") problem = line.unchanged ?? problem;
  };
  const upstreams = { ...elsewhere(process.env), ...options.upstreams };
  const gateway = createGateway({ ...options, tls: undefined, tokens: {}, upstreams, store, log });
  try {
    const url = await gateway.listen();
    const bases = basesAt(url, upstreams);
    const set = variables(bases, process.env);
    const code = await run(name, argumentsFor(name, given, bases), {
      env: { ...process.env, ...set },
      onStart: () => note(`${basename(name)} runs through ${url}`),
    });
    if (typeof code !== "number") {
      note(code.problem);
      return code.code as ExitCode;
    }
    // A request that is under way ends with it, and counts.
    await gateway.close(0);
    note(summary(gateway));
    if (problem !== undefined) note(without(gateway, problem));
    return code as ExitCode;
  } finally {
    await gateway.close(0);
    await store.close();
  }
}

interface Bases {
  anthropic: string;
  /** With the version, as its clients take it. */
  openai: string;
  /** The same for programs that read the variable's older name. */
  openaiOld: string;
  gemini: string;
}

const VARIABLES = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
  gemini: "GOOGLE_GEMINI_BASE_URL",
} as const;
const OLD_NAME = "OPENAI_API_BASE";
const OLD = "openai-api-base";

/** What the user has set already is where requests go. */
function elsewhere(environment: NodeJS.ProcessEnv): Record<string, Upstream> {
  const set = (variable: string) => environment[variable]?.trim() || undefined;
  const upstreams: Record<string, Upstream> = {};
  for (const family of Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]) {
    const url = set(VARIABLES[family]);
    if (url !== undefined) upstreams[family] = { url, dialect: family };
  }
  const old = set(OLD_NAME);
  if (old !== undefined && old !== upstreams.openai?.url)
    upstreams[upstreams.openai === undefined ? "openai" : OLD] = { url: old, dialect: "openai" };
  return upstreams;
}

export function basesAt(url: string, upstreams: Readonly<Record<string, Upstream>>): Bases {
  // OpenAI's clients put the version into the base; an upstream with a path has it there.
  const openaiAs = (name: string) => {
    const given = upstreams[name]?.url;
    const hasPath = given !== undefined && new URL(given).pathname !== "/";
    return `${url}/${name}${hasPath ? "" : "/v1"}`;
  };
  return {
    anthropic: `${url}/anthropic`,
    openai: openaiAs("openai"),
    openaiOld: openaiAs(upstreams[OLD] === undefined ? "openai" : OLD),
    gemini: `${url}/gemini`,
  };
}

export function variables(bases: Bases, environment: NodeJS.ProcessEnv = {}): Record<string, string> {
  const { anthropic, openai, openaiOld, gemini } = bases;
  return {
    [VARIABLES.anthropic]: anthropic,
    [VARIABLES.openai]: openai,
    [OLD_NAME]: openaiOld,
    [VARIABLES.gemini]: gemini,
    ...opencodeConfig(bases, environment.OPENCODE_CONFIG_CONTENT),
  };
}

type Table = Readonly<Record<string, unknown>>;

/** With the user's own config in it. A provider that has an address there keeps it, and goes past the gateway. */
function opencodeConfig({ anthropic, openai, gemini }: Bases, given: string | undefined) {
  const own = given?.trim() ? tableIn(given) : {};
  // opencode says what is wrong with it.
  if (own === undefined) return {};
  const provider: Record<string, unknown> = { ...asTable(own.provider) };
  for (const [name, baseURL] of [
    ["anthropic", `${anthropic}/v1`],
    ["openai", openai],
    ["google", `${gemini}/v1beta`],
  ] as const) {
    const mine = asTable(provider[name]);
    provider[name] = { ...mine, options: { baseURL, ...asTable(mine.options) } };
  }
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...own, provider }) };
}

function tableIn(text: string): Table | undefined {
  try {
    return asTable(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asTable(value: unknown): Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

/** Codex reads no variable for this. */
export function argumentsFor(program: string, given: readonly string[], { openai }: Bases): string[] {
  const isCodex = /^codex(?:\.(?:exe|cmd|js))?$/u.test(basename(program));
  return isCodex ? ["-c", `openai_base_url=${JSON.stringify(openai)}`, ...given] : [...given];
}

interface Running {
  env: NodeJS.ProcessEnv;
  onStart(): void;
}

/** With the codes that shells use. */
interface NotStarted {
  problem: string;
  code: 126 | 127;
}

/** Signals are its business. Ctrl-C reaches it from the terminal already, and twice would be another thing. */
async function run(
  program: string,
  args: readonly string[],
  { env, onStart }: Running,
): Promise<number | NotStarted> {
  // Before it runs: a signal that comes at once must not end this process and leave the program behind.
  for (const signal of PASSED_ON) process.on(signal, pass);
  const child = spawn(program, args, { stdio: "inherit", env });
  async function pass(signal: NodeJS.Signals): Promise<void> {
    if (signal !== "SIGINT" || !(await isInForeground())) child.kill(signal);
  }
  try {
    return await new Promise<number | NotStarted>((done) => {
      child.once("spawn", onStart);
      child.once("error", (error: NodeJS.ErrnoException) =>
        done(
          error.code === "ENOENT"
            ? { problem: `${program}: no such program`, code: 127 }
            : { problem: `${program} cannot be started: ${error.message}`, code: 126 },
        ),
      );
      child.once("exit", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const signal of PASSED_ON) process.off(signal, pass);
  }
}

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Whether the terminal sends its signals to this process, and so to the program. */
async function isInForeground(): Promise<boolean> {
  try {
    const stat = await readBeginning("/proc/self/stat", 1000);
    // Behind the name, which may have anything in it: state, parent, group, session, terminal, its foreground group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    return process.stdin.isTTY;
  }
}

function without(gateway: Gateway, problem: string): string {
  return `${count(gateway.total("problems"), "request")} went out without new reminders: ${problem}`;
}

function summary(gateway: Gateway): string {
  const input = gateway.total("input_tokens");
  const share = input === 0 ? 0 : Math.round((100 * gateway.total("cached_tokens")) / input);
  return [
    count(gateway.total("requests"), "request"),
    count(gateway.total("reminders"), "reminder"),
    `${grouped(input)} tokens in (${share}% cached)`,
    `${grouped(gateway.total("output_tokens"))} out`,
  ].join(", ");
}
