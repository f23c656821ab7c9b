// Runs `sotto wrap`: a gateway on a free port, and a program that is told to use it.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { basename, resolve } from "node:path";
import process from "node:process";
import { problemText } from "sotto/inspect";
import { readBeginning } from "sotto-agent/regular-file";
import { count, type ExitCode, failed, grouped } from "sotto-agent/terminal";
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
  const config = await readGatewayConfig();
  const flags = { port: 0, host: "127.0.0.1", workspace: [resolve(workspace)], upstream };
  const options = gatewayOptions(config, flags);
  for (const problem of config.ignored) note(problemText(problem));
  const { store } = await openStore(command.store);
  const log = (line: LogLine) => {
    if (command.inspect) note(lineWords(line));
  };
  const upstreams = { ...elsewhere(process.env), ...options.upstreams };
  const gateway = createGateway({ ...options, tls: undefined, tokens: {}, upstreams, store, log });
  try {
    const url = await gateway.listen();
    const bases = basesAt(url, upstreams);
    note(`${basename(name)} runs through ${url}`);
    const code = await run(name, argumentsFor(name, given, bases), { ...process.env, ...variables(bases) });
    note(summary(gateway));
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
  gemini: string;
}

const VARIABLES = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
  gemini: "GOOGLE_GEMINI_BASE_URL",
} as const;

/** What the user has set already is where requests go. */
function elsewhere(environment: NodeJS.ProcessEnv): Record<string, Upstream> {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([family, variable]) => {
      const url = environment[variable]?.trim();
      return url ? [[family, { url, dialect: family as keyof typeof VARIABLES }]] : [];
    }),
  );
}

/** OpenAI's clients put the version into the base; an upstream with a path has it there. */
export function basesAt(url: string, upstreams: Readonly<Record<string, Upstream>>): Bases {
  const given = upstreams.openai?.url;
  const hasPath = given !== undefined && new URL(given).pathname !== "/";
  return {
    anthropic: `${url}/anthropic`,
    openai: `${url}/openai${hasPath ? "" : "/v1"}`,
    gemini: `${url}/gemini`,
  };
}

export function variables({ anthropic, openai, gemini }: Bases): Record<string, string> {
  const provider = {
    anthropic: { options: { baseURL: `${anthropic}/v1` } },
    openai: { options: { baseURL: openai } },
    google: { options: { baseURL: `${gemini}/v1beta` } },
  };
  return {
    [VARIABLES.anthropic]: anthropic,
    [VARIABLES.openai]: openai,
    OPENAI_API_BASE: openai,
    [VARIABLES.gemini]: gemini,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider }),
  };
}

/** Codex reads no variable for this. */
export function argumentsFor(program: string, given: readonly string[], { openai }: Bases): string[] {
  const isCodex = /^codex(?:\.(?:exe|cmd|js))?$/u.test(basename(program));
  return isCodex ? ["-c", `openai_base_url=${JSON.stringify(openai)}`, ...given] : [...given];
}

/** Signals are its business. Ctrl-C reaches it from the terminal already, and twice would be another thing. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Before it runs: a signal that comes at once must not end this process and leave the program behind.
  for (const signal of PASSED_ON) process.on(signal, pass);
  const child = spawn(program, args, { stdio: "inherit", env });
  async function pass(signal: NodeJS.Signals): Promise<void> {
    if (signal !== "SIGINT" || !(await isInForeground())) child.kill(signal);
  }
  try {
    return await new Promise<number>((done, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) =>
        reject(failed(error.code === "ENOENT" ? `${program}: no such program` : error.message)),
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
