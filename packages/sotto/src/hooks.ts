// createHooks: the command hooks of coding agents, run at the points where a host calls them, told to its session.

import type { SessionOptions } from "./engine/options.ts";
import { errorText, SottoError } from "./platform/errors.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { absolutePath } from "./platform/paths.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { createFileAccess } from "./sources/files/file-access.ts";
import type { HookFiles } from "./sources/hooks/hook-files.ts";
import { type Hook, type HookEvent, type HooksTable, parseHooks } from "./sources/hooks/hook-format.ts";
import type { HookVerdict } from "./sources/hooks/outcome.ts";
import type { HookRecorder, Runner } from "./sources/hooks/runner.ts";
import { trustedByUser } from "./sources/trust/user-trust.ts";

export type { HookFiles } from "./sources/hooks/hook-files.ts";
export type {
  Hook,
  HookEvent,
  HookHandler,
  HooksTable,
} from "./sources/hooks/hook-format.ts";
export type { HookOutcome, HookVerdict } from "./sources/hooks/outcome.ts";
export type { HookRecorder } from "./sources/hooks/runner.ts";

export interface HooksOptions {
  /** What hooks answer is recorded here, for the turns that follow. */
  session: HookRecorder;
  cwd: string;
  /** A table, or the hooks that `readHookFiles` found; several are one after the other. All of it is allowed to run. */
  hooks: HooksTable | readonly Hook[] | readonly (HooksTable | readonly Hook[])[];
  /** What every hook gets besides `CLAUDE_PROJECT_DIR` and `SOTTO_PROJECT_DIR`; the environment of this process unless given. */
  env?: Readonly<Record<string, string | undefined>>;
  /** What every hook is told besides: `transcript_path`, `permission_mode`. */
  common?(): Readonly<Record<string, unknown>>;
  /** What goes wrong beside the hooks themselves, in words. */
  onProblem?(problem: string): void;
}

export interface RunHooksOptions {
  /** Ends those that are waited for. */
  signal?: AbortSignal;
  /** Whose action it is, where it is not the main agent's: a session from `session.subagent`. */
  session?: HookRecorder;
}

export interface Hooks {
  /**
   * Runs the hooks of an event and waits for those that are not async. The input has the fields that coding agents
   * give (`tool_name`, `tool_input`, `prompt`, `source` …). Never rejects.
   */
  run(
    event: HookEvent,
    input?: Readonly<Record<string, unknown>>,
    options?: RunHooksOptions,
  ): Promise<HookVerdict>;
  /** Whether anything is set for an event. */
  has(event: HookEvent): boolean;
  /** For those who look after it: what is set, and what runs. */
  state(): { hooks: number; running: number };
  /** Ends all that still runs. */
  close(): Promise<void>;
}

/** Throws where a table cannot be taken as it is. */
export function createHooks(options: HooksOptions): Hooks {
  const { session, env = process.env, common, onProblem } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const hooks = hooksIn(options.hooks);
  let runner: Runner | undefined;
  let loading: Promise<Runner> | undefined;
  const load = () => {
    loading ??= import("./sources/hooks/runner.ts").then(({ createRunner }) => {
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

export async function hooksFor(options: HooksForOptions): Promise<HookFiles> {
  const { cwd: given, home, trust } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userDirectories(home);
  const desk = createFileAccess({ cwd, trust, ...places });
  const { readHookFiles } = await import("./sources/hooks/hook-files.ts");
  const reader = await desk.reader();
  return readHookFiles({
    ...{ cwd, ...places, reader, takes: desk.takes },
    isTrusted: trust?.project ?? trustedByUser(options),
  });
}
