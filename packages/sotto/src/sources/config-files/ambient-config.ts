// Config besides the host's own: the environment, read at once, and the files, read on first use.

import type { Attachment } from "../../attachments/attachment.ts";
import type { AmbientConfig, ConfigFiles, ConfigTable } from "../../config/layers.ts";
import type { Problem } from "../../platform/errors.ts";
import { frozen, isEqual } from "../../platform/plain-data.ts";
import { userDirectories } from "../../platform/user-directories.ts";
import type { ReadPermissions } from "../source.ts";
import type { OutsideProjectOptions } from "../trust/outside-project.ts";

export interface AmbientOptions extends OutsideProjectOptions {
  cwd: string;
  home?: string | undefined;
  catalogue: readonly Attachment[];
  permissions?: ReadPermissions | undefined;
}

export function ambientConfig(options: AmbientOptions): AmbientConfig {
  return new Ambient(options);
}

// A class, as each session has one.
class Ambient implements AmbientConfig {
  readonly environment = environmentNow();
  readonly #options: AmbientOptions;
  #files: Promise<ConfigFiles> | undefined;

  constructor(options: AmbientOptions) {
    this.#options = options;
  }

  files(): Promise<ConfigFiles> {
    const { home, ...options } = this.#options;
    this.#files ??= import("./load-config.ts").then(({ loadConfig }) =>
      loadConfig({ environment: this.environment.config, ...options, ...userDirectories(home) }),
    );
    return this.#files;
  }
}

let last: AmbientConfig["environment"] | undefined;

/** The same object for as long as the environment says the same. */
function environmentNow(): AmbientConfig["environment"] {
  const found = readEnvironment(process.env);
  if (!isEqual(last, found)) last = frozen(found);
  return last as AmbientConfig["environment"];
}

// Settings from environment variables: our own names first, then those that other hosts use for the same.

export type Environment = Readonly<Record<string, string | undefined>>;

/** In order of precedence: the first one that is set and not empty counts. */
export const environmentNames = {
  disable: ["SOTTO_DISABLE", "CODEX_DISABLE_SYSTEM_REMINDERS", "CLAUDE_CODE_DISABLE_ATTACHMENTS"],
  timeout_ms: ["SOTTO_TIMEOUT_MS", "CODEX_SYSTEM_REMINDER_TIMEOUT_MS"],
  enable_token_usage: [
    "SOTTO_ENABLE_TOKEN_USAGE",
    "CODEX_ENABLE_TOKEN_USAGE",
    "CLAUDE_CODE_ENABLE_TOKEN_USAGE_ATTACHMENT",
  ],
} as const;

const SET = new Set(["1", "true", "yes", "on"]);
const NOT_SET = new Set(["0", "false", "no", "off"]);
const SHORTEST_MS = 10;
const LONGEST_MS = 60_000;

/** A switch that is off sets nothing. Problems never repeat a value, as a variable may contain anything. */
export function readEnvironment(environment: Environment): { config: ConfigTable; problems: Problem[] } {
  const config: ConfigTable = {};
  const problems: Problem[] = [];
  const isSet = (names: readonly string[]): boolean => {
    const [name, value] = firstOf(names, environment);
    if (name !== undefined && !SET.has(value) && !NOT_SET.has(value))
      problems.push({
        where: name,
        problem: "expected 1, true, yes, on or 0, false, no, off; ignored",
      });
    return SET.has(value);
  };
  if (isSet(environmentNames.disable)) config.enabled = false;
  if (isSet(environmentNames.enable_token_usage)) config.enable_token_usage = "every_turn";
  const [name, value] = firstOf(environmentNames.timeout_ms, environment);
  if (name === undefined) return { config, problems };
  const ms = Number(value);
  if (/^\d+$/u.test(value) && ms >= SHORTEST_MS && ms <= LONGEST_MS) config.timeout_ms = ms;
  else {
    const problem = `expected a whole number of milliseconds from ${SHORTEST_MS} to ${LONGEST_MS}; ignored`;
    problems.push({ where: name, problem });
  }
  return { config, problems };
}

/** The deadline of turns that the environment sets: whoever waits for a turn waits at least as long. */
export function turnMsSet(): number | undefined {
  const { timeout_ms } = readEnvironment(process.env).config;
  return typeof timeout_ms === "number" ? timeout_ms : undefined;
}

function firstOf(names: readonly string[], environment: Environment): [string | undefined, string] {
  for (const name of names) {
    const value = environment[name]?.trim().toLowerCase() ?? "";
    if (value !== "") return [name, value];
  }
  return [undefined, ""];
}
