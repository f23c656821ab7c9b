// Runs `sotto wrap`: a gateway on a free port, and a program that is told to use it.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { basename } from "node:path";
import process from "node:process";
import { problemText } from "sotto/inspect";
import { readBeginning } from "sotto-agent/regular-file";
import { count, type ExitCode, grouped, usageError } from "sotto-agent/terminal";
import { createGateway, type Family, type Gateway, type LogLine, type Upstream } from "sotto-gateway";
import { existingDirectory } from "../input/arguments.ts";
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
  workspace,
  ...command
}: WrapCommand): Promise<ExitCode> {
  const [name = "", ...given] = program;
  const flags = {
    port: 0,
    host: "127.0.0.1",
    workspace: [existingDirectory(workspace, "--workspace")],
    upstream,
  };
  const config = await readGatewayConfig(flags);
  const options = gatewayOptions(config, flags);
  for (const problem of [...config.ignored, ...config.problems]) note(problemText(problem));
  const { store } = await openStore(command.store);
  let problem = "";
  const log = (line: LogLine) => {
    if (command.inspect) note(lineWords(line));
    if (line.level === "warn" && line.unchanged !== undefined) problem = line.unchanged;
  };
  const places = placesIn(process.env, options.upstreams);
  const upstreams = { ...upstreamsOf(places), ...options.upstreams };
  const gateway = createGateway({ ...options, tls: undefined, tokens: {}, upstreams, store, log });
  try {
    const url = await gateway.listen();
    const bases = basesAt(url, places, options.upstreams);
    const env = { ...process.env, ...variables(bases, process.env) };
    note(`${basename(name)} runs through ${url}`);
    const code = await run(name, argumentsFor(name, given, bases), env);
    if (typeof code !== "number") {
      note(code.problem);
      return code.code as ExitCode;
    }
    // A request that is under way ends with it, and counts.
    await gateway.close(0);
    note(summary(gateway));
    const failed = gateway.total("problems");
    if (failed > 0 && problem !== "")
      note(`${count(failed, "request")} went out without new reminders: ${problem}`);
    return code as ExitCode;
  } finally {
    await gateway.close(0);
    await store.close();
  }
}

const VARIABLES = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
  // For programs that read its older name.
  openaiOld: "OPENAI_API_BASE",
  gemini: "GOOGLE_GEMINI_BASE_URL",
} as const;
type Variable = keyof typeof VARIABLES;

/** What the program is told, by variable. */
type Bases = Record<Variable, string>;

type Upstreams = Readonly<Record<string, Upstream>>;

/** Where a base URL that the user has set already points. Programs append to its path in their own ways, so it stays. */
interface Place {
  upstream: string;
  server: string;
  path: string;
}
type Places = Partial<Record<Variable, Place>>;

/** `given`: upstreams that the user has named to Sotto; these come first. */
function placesIn(environment: NodeJS.ProcessEnv, given: Upstreams = {}): Places {
  const set = (variable: Variable, upstream: string): Place | undefined => {
    const value = environment[VARIABLES[variable]]?.trim();
    if (!value || Object.hasOwn(given, upstream)) return undefined;
    const [server = value] = /^\w+:\/\/[^/?#]*/u.exec(value) ?? [];
    const address = URL.parse(server);
    if (address === null || !/^https?:$/u.test(address.protocol))
      throw usageError(`${VARIABLES[variable]}: expected an address such as https://api.example.com/v1`);
    if (address.username !== "" || address.password !== "")
      throw usageError(`${VARIABLES[variable]}: it may hold no password; the program sends its own key`);
    return { upstream, server, path: value.slice(server.length) };
  };
  const openai = set("openai", "openai");
  const old = set("openaiOld", openai === undefined ? "openai" : "openai-api-base");
  return {
    anthropic: set("anthropic", "anthropic"),
    openai: openai ?? old,
    openaiOld: old ?? openai,
    gemini: set("gemini", "gemini"),
  } as Places;
}

function upstreamsOf(places: Places): Upstreams {
  const family = (variable: string) => (variable === "openaiOld" ? "openai" : (variable as Family));
  return Object.fromEntries(
    Object.entries(places)
      .filter(([, place]) => place !== undefined)
      .map(([variable, { upstream, server }]) => [
        upstream,
        { url: server, dialect: family(variable), doubleSlashes: true },
      ]),
  );
}

function basesAt(url: string, places: Places, given: Upstreams = {}): Bases {
  // OpenAI's clients put the version into the base; an upstream with a path has it there.
  const hasPath = given.openai !== undefined && new URL(given.openai.url).pathname !== "/";
  const openai = hasPath ? "openai" : "openai/v1";
  const usual = { anthropic: "anthropic", openai, openaiOld: openai, gemini: "gemini" };
  const base = (variable: Variable) => {
    const place = places[variable];
    return `${url}/${place === undefined ? usual[variable] : place.upstream + place.path}`;
  };
  return {
    anthropic: base("anthropic"),
    openai: base("openai"),
    openaiOld: base("openaiOld"),
    gemini: base("gemini"),
  };
}

function variables(bases: Bases, environment: NodeJS.ProcessEnv): Record<string, string> {
  const set = (Object.keys(VARIABLES) as Variable[]).map((name) => [VARIABLES[name], bases[name]]);
  return { ...Object.fromEntries(set), ...opencodeConfig(bases, environment.OPENCODE_CONFIG_CONTENT) };
}

type Table = Readonly<Record<string, unknown>>;

/** With the user's own config in it. A provider that has an address there keeps it, and goes past the gateway. */
function opencodeConfig({ anthropic, openai, gemini }: Bases, given: string | undefined) {
  const own = given?.trim() ? tableIn(given) : {};
  // opencode says what is wrong with it.
  if (own === undefined) return {};
  const provider: Record<string, unknown> = { ...asTable(own.provider) };
  for (const [name, baseURL] of [
    ["anthropic", `${anthropic.replace(/\/$/u, "")}/v1`],
    ["openai", openai],
    ["google", `${gemini.replace(/\/$/u, "")}/v1beta`],
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
function argumentsFor(program: string, given: readonly string[], { openai }: Bases): string[] {
  const isCodex = /^codex(?:\.(?:exe|cmd|js))?$/u.test(basename(program));
  return isCodex ? ["-c", `openai_base_url=${JSON.stringify(openai)}`, ...given] : [...given];
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
  env: NodeJS.ProcessEnv,
): Promise<number | NotStarted> {
  // Before it runs: a signal that comes at once must not end this process and leave the program behind.
  for (const signal of PASSED_ON) process.on(signal, pass);
  const child = spawn(program, args, { stdio: "inherit", env });
  async function pass(signal: NodeJS.Signals): Promise<void> {
    if (signal !== "SIGINT" || !(await isInForeground())) child.kill(signal);
  }
  try {
    return await new Promise<number | NotStarted>((done) => {
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
