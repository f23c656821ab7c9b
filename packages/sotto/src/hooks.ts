// sotto/hooks: the command hooks of coding agents, run where a host calls them, their results recorded in its session.

import * as v from "valibot";
import { type SessionOptions, someOptions } from "./engine/options.ts";
import { callable, checkOptions, having, plain, shape } from "./platform/check-options.ts";
import { errorText, SottoError } from "./platform/errors.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { absolutePath } from "./platform/paths.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { createFileAccess } from "./sources/files/file-access.ts";
import type { HookFiles } from "./sources/hook-commands/hook-files.ts";
import {
  type Hook,
  type HookEvent,
  type HooksTable,
  parseHooks,
} from "./sources/hook-commands/hook-format.ts";
import type { HookVerdict } from "./sources/hook-commands/outcome.ts";
import type { HookRecorder, Runner } from "./sources/hook-commands/runner.ts";
import { trustedByUser } from "./sources/trust/trusted-by-user.ts";

export type { HookFiles } from "./sources/hook-commands/hook-files.ts";
export type {
  Hook,
  HookEvent,
  HookHandler,
  HooksTable,
} from "./sources/hook-commands/hook-format.ts";
export type { HookOutcome, HookVerdict } from "./sources/hook-commands/outcome.ts";
export type { HookRecorder } from "./sources/hook-commands/runner.ts";

/** What `createHooks` takes. */
export interface HooksOptions {
  /** Where the hooks' results are recorded, for the turns that follow. */
  session: HookRecorder;
  /** The directory hooks run in. */
  cwd: string;
  /** A hooks table, or the hooks that `hooksFor` found, or a list of both. All of them may run. */
  hooks: HooksTable | readonly Hook[] | readonly (HooksTable | readonly Hook[])[];
  /** The hooks' environment, besides `CLAUDE_PROJECT_DIR` and `SOTTO_PROJECT_DIR`. Default: this process's. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Fields that every hook gets in its input, such as `transcript_path` and `permission_mode`. */
  common?(): Readonly<Record<string, unknown>>;
  /** Called with problems that are not a hook's own result. */
  onProblem?(problem: string): void;
}

/** What `hooks.run` takes besides the event and its input. */
export interface RunHooksOptions {
  /** Ends the hooks that are waited for. */
  signal?: AbortSignal;
  /** The session of the sub-agent whose action it is. Default: the main agent's. */
  session?: HookRecorder;
}

/** Command hooks that are ready to run. */
export interface Hooks {
  /**
   * Runs the hooks of an event and waits for those that are not async. The input has the fields that coding agents
   * pass (`tool_name`, `tool_input`, `prompt`, `source` …). Never rejects.
   */
  run(
    event: HookEvent,
    input?: Readonly<Record<string, unknown>>,
    options?: RunHooksOptions,
  ): Promise<HookVerdict>;
  /** Whether there are hooks for an event. */
  has(event: HookEvent): boolean;
  /** How many hooks there are, and how many run now. */
  state(): { hooks: number; running: number };
  /** Ends the hooks that still run. */
  close(): Promise<void>;
}

const hooksOptions = someOptions(["cwd"], {
  session: having({ id: "string", record: "function" }, "a session"),
  hooks: shape("a table of hooks, or a list", (value) => typeof value === "object" && value !== null),
  env: v.optional(plain("an object of variables")),
  common: v.optional(callable("a function () => fields")),
  onProblem: v.optional(callable("a function (problem) => void")),
});

/**
 * Creates hooks from tables or from what `hooksFor` found. Throws `invalid_config` for a wrong table, `invalid_options`
 * for anything else.
 */
export function createHooks(options: HooksOptions): Hooks {
  checkOptions("createHooks", hooksOptions, options);
  const { session, env = process.env, common, onProblem } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const hooks = hooksIn(options.hooks);
  let runner: Runner | undefined;
  let loading: Promise<Runner> | undefined;
  const load = () => {
    loading ??= import("./sources/hook-commands/runner.ts").then(({ createRunner }) => {
      const report = onProblem ?? (() => undefined);
      runner = createRunner({ session, cwd, hooks, env, work: nodePlatform.work, report });
      return runner;
    });
    return loading;
  };
  const has = (event: HookEvent) => hooks.some((hook) => hook.event === event);
  return {
    has,
    async run(event, input = {}, { signal, session: log } = {}) {
      if (!has(event)) return { systemMessages: [], outcomes: [] };
      try {
        const all = { ...common?.(), ...input };
        return await (await load()).run({ event, input: all, signal, session: log });
      } catch (error) {
        onProblem?.(`the hooks of ${event} could not be run: ${errorText(error)}`);
        return { systemMessages: [], outcomes: [] };
      }
    },
    state: () => ({ hooks: hooks.length, running: runner?.running() ?? 0 }),
    async close() {
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

function hooksIn(given: HooksOptions["hooks"]): Hook[] {
  if (Array.isArray(given)) return given.flatMap((one) => (isHook(one) ? [one] : hooksIn(one)));
  const { hooks, problems } = parseHooks(given);
  const [problem] = problems;
  if (problem !== undefined) throw new SottoError("invalid_config", problem);
  return hooks;
}

function isHook(value: object): value is Hook {
  return "event" in value && typeof value.event === "string";
}

// Which command hooks the user's and the project's files set, without a session: for hosts, and programs that check it.

/** What `hooksFor` takes. `trust.project` is not asked about the user's own `hooks.json`. */
export type HooksForOptions = Pick<SessionOptions, "cwd" | "home" | "trust">;

/** Finds the command hooks that the user's and the project's files set, without a session. */
export async function hooksFor(options: HooksForOptions): Promise<HookFiles> {
  checkOptions("hooksFor", someOptions(["cwd", "home", "trust"]), options);
  const { cwd: given, home, trust } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userDirectories(home);
  const fileAccess = createFileAccess({ cwd, trust, ...places });
  const { readHookFiles } = await import("./sources/hook-commands/hook-files.ts");
  const reader = await fileAccess.reader();
  return readHookFiles({
    ...{ cwd, ...places, reader, takes: fileAccess.takes },
    isTrusted: trust?.project ?? trustedByUser(options),
  });
}
