// A session: one agent's conversation. Tell it what happened, ask it for a turn.

import { changeConfig } from "../config/layers.ts";
import { resolveSettings } from "../config/schema.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Agent, SubagentDefinition } from "../facts/agent.ts";
import type { SessionEvent, StoredEvent, TodoItem } from "../facts/events.ts";
import { isWhole } from "../facts/files.ts";
import { parseEvent, parseHostEvent } from "../facts/parse-event.ts";
import type { Task } from "../facts/tasks.ts";
import { isReminder, strip } from "../history/strip.ts";
import { checkOptions } from "../platform/check-options.ts";
import type { Problem } from "../platform/errors.ts";
import { SottoError } from "../platform/errors.ts";
import { absolutePath, defaultPlanPath, todoPath } from "../platform/paths.ts";
import type { Source } from "../sources/source.ts";
import { type BeforeWrite, beforeWrite } from "./between-turns.ts";
import { checkNote } from "./compose.ts";
import { copyLog } from "./fork.ts";
import { settleHandedOver, type WasSeen } from "./hand-over.ts";
import { createNeutralResults } from "./insert.ts";
import { type MeasureOptions, measureTurn } from "./measure-turn.ts";
import { allows, type Permission } from "./mode-gate.ts";
import { letGo } from "./offer.ts";
import type { SessionOptions } from "./options.ts";
import { forkOptions, subagentOptions } from "./options.ts";
import { createRuntime, type Runtime, type SessionParts } from "./runtime.ts";
import { runTurn, type Turn, type TurnHost, type TurnOptions } from "./turn.ts";
import { deliveredIn, forSummary } from "./without-reminders.ts";

export interface Session {
  readonly id: string;
  readonly agent: Agent;
  /** Opens the log and loads what turns need; where it is not called, the first use does. Rejects in the store's words. */
  open(): Promise<void>;
  /** Checks at once (a wrong event throws), resolves when it is durable. */
  record(event: SessionEvent): Promise<void>;
  /** Never throws, never takes longer than the deadline and a little. */
  turn<Body = unknown>(options?: TurnOptions<Body>): Promise<Turn<Body>>;
  /**
   * What the instruction files say about a path that is about to be written, before it is. The next turn says what of
   * it the model has not heard; a host that can wait lets the agent hear it first.
   */
  beforeWrite(path: string): Promise<BeforeWrite>;
  /** Whether the mode lets the agent use a tool, and why. */
  allows(toolName: string, input: unknown): Promise<Permission>;
  /** The mode as the log has it. */
  mode(): Promise<string>;
  /** The plan file of the mode the session is in, or was in last. */
  planFile(): Promise<string | undefined>;
  /** Where this session keeps its plan and its todo list, as config has it; nothing where config has no place. */
  ownFiles(): Promise<OwnFiles>;
  /** Whether the model has the whole of a file in view: read, written, or shown. By its path as given or its real path. */
  hasSeen(path: string): Promise<boolean>;
  /** The todo list as the log has it. */
  todos(): Promise<readonly TodoItem[]>;
  /** Background tasks that run, as far as the log knows. */
  runningTasks(): Promise<readonly Task[]>;
  /** Where teams keep their mail and their task lists, as config has it; empty: nowhere. */
  teamDirectories(): Promise<{ mail: string; tasks: string }>;
  /** The name of the tag around reminders, as config has it: for a system prompt that speaks of them. */
  reminderTag(): Promise<string>;
  /** A session of its own for a sub-agent: in the same mode, told nothing that is meant for its parent. */
  subagent(options: { agentType: string; definition?: SubagentDefinition; id?: string }): Session;
  /**
   * A new session that goes on from here, or from the end of an earlier turn. The host's own sources stay with this
   * session; those given here belong to the new one instead.
   */
  fork(options?: { id?: string; turn?: number; sources?: readonly Source[] }): Promise<Session>;
  /** Whether a message is a reminder of this session, by what it delivered. */
  isReminder<Body>(dialect: Dialect<Body>, message: unknown): Promise<boolean>;
  /**
   * The request as a summariser should see it: without reminders, but with what people said through them (queued
   * messages, mail), also where the request left it out. Where `compacted` is recorded next, that is known to be in the
   * summary. `words: false`: without any of it.
   */
  withoutReminders<Body>(dialect: Dialect<Body>, body: Body, options?: { words?: boolean }): Promise<Body>;
  /**
   * What earlier turns of this session handed over: it was seen, as the conversation went on from there, or it must be
   * said again, as nobody can tell. Or each by its text, where something tells.
   */
  settleHandedOver(seen: WasSeen): Promise<void>;
  /** Clears throttles, limits per session excepted. */
  reset(): Promise<void>;
  /** Entries that could not be read back. */
  damaged(): Promise<readonly { seq: number; problem: string }[]>;
  /** What a person should mend outside the log: config files that could not be taken, and why. */
  problems(): Promise<readonly Problem[]>;
  close(): Promise<void>;
}

/** Absolute paths. */
export interface OwnFiles {
  plan?: string;
  todos?: string;
}

// A symbol, so that copies of a session have it as well and nobody sees it.
const recordChecked = Symbol("recordChecked");
interface SessionInside extends Session {
  [recordChecked](event: StoredEvent): Promise<void>;
}

/** Records any event, also those that `session.record` leaves to sources and the engine. */
export function recordAny(session: Session, event: StoredEvent): Promise<void> {
  return (session as SessionInside)[recordChecked](parseEvent(event));
}

export function createSessionFrom(parts: SessionParts, options: SessionOptions): Session {
  const runtime = createRuntime(parts, options);
  const { id, agent, platform } = runtime;
  const children = new Set<Session>();
  let closed = false;
  const closedWords = () => (closed ? `session ${id} is closed: create it again to go on` : undefined);
  const host = turnHost(runtime, { ...options, closed: closedWords });
  /** Words that went to a summariser since the last turn. */
  let summarised: string[] | undefined;
  const checkOpen = () => {
    const words = closedWords();
    if (words !== undefined) throw new SottoError("session_closed", words);
  };

  const session: SessionInside = {
    id,
    agent,
    open: () => runtime.warm(),
    record: (event) => session[recordChecked](parseHostEvent(event)),
    [recordChecked](checked) {
      checkOpen();
      if (checked.type === "config_changed") checkConfig(runtime, checked.config);
      if (checked.type === "noted") checkNote(checked, runtime.catalogue);
      const done = runtime.append(checked.type === "compacted" ? { summarised, ...checked } : checked);
      if (checked.type === "compacted") summarised = undefined;
      if (checked.type !== "mode_changed") return done;
      return done.then(async () => {
        const { planFilePath: _parents, ...rest } = checked;
        const { mode } = (await runtime.ready()).journal.state.facts;
        await Promise.all(
          [...children].map((child) => recordAny(child, { ...rest, ...ownPlan(runtime, child.id, mode) })),
        );
      });
    },
    turn(turnOptions = {}) {
      summarised = undefined;
      return measureTurn(measured(runtime), (looked) => runTurn(host, turnOptions, looked));
    },
    async beforeWrite(path) {
      if (typeof path !== "string" || path === "")
        throw new SottoError("invalid_request", "beforeWrite: expected a path");
      checkOpen();
      return beforeWrite(await runtime.ready(), { path, append: runtime.appendFound });
    },
    async allows(toolName, input) {
      const { journal, cwd, tools } = await runtime.ready();
      return allows({ mode: journal.state.facts.mode, cwd, toolName, input, tools });
    },
    async mode() {
      return (await runtime.ready()).journal.state.facts.mode.name;
    },
    async planFile() {
      return (await runtime.ready()).journal.state.facts.mode.planFilePath;
    },
    async ownFiles() {
      const { cwd } = await runtime.ready();
      await runtime.configured();
      const { plan_dir, todo_file } = runtime.settings();
      const plan = defaultPlanPath(plan_dir, id, cwd);
      const todos = todoPath(todo_file, id, cwd);
      return { ...(plan === undefined ? {} : { plan }), ...(todos === undefined ? {} : { todos }) };
    },
    async hasSeen(given) {
      const { journal, cwd } = await runtime.ready();
      const { tracked } = journal.state.facts.files;
      const path = absolutePath(given, cwd);
      const file = tracked[path] ?? Object.values(tracked).find((one) => one.path === path);
      return isWhole(file);
    },
    async todos() {
      return (await runtime.ready()).journal.state.facts.todos.items;
    },
    async runningTasks() {
      const { running } = (await runtime.ready()).journal.state.facts.tasks;
      return Object.values(running).map(({ seq: _seq, ...task }) => task);
    },
    async teamDirectories() {
      await runtime.ready();
      await runtime.configured();
      const { mailbox_dir: mail, task_dir: tasks } = runtime.settings();
      return { mail, tasks };
    },
    async reminderTag() {
      await runtime.configured();
      return runtime.tags().nameOf("system-reminder");
    },
    subagent(given) {
      checkOptions("subagent", subagentOptions, given);
      const {
        agentType,
        definition,
        id: childId = `${id}/${agentType}-${platform.uuid().slice(0, 8)}`,
      } = given;
      const childAgent: Agent = {
        kind: "sub",
        type: agentType,
        ...(definition === undefined ? {} : { definition }),
      };
      const beginning = { reason: "startup" as const, events: () => inherited(runtime, childId) };
      const child = createSessionFrom(
        { ...parts, beginning, borrows: true, family: runtime.family },
        { ...options, id: childId, agent: childAgent },
      );
      children.add(child);
      return {
        ...child,
        async close() {
          children.delete(child);
          await child.close();
        },
      };
    },
    async fork(given = {}) {
      checkOptions("fork", forkOptions, given);
      const { id: forkId = platform.uuid(), turn, sources } = given;
      const context = await runtime.ready();
      await runtime.serial(() => copyLog(context, { to: forkId, turn }));
      const beginning = { reason: "fork" as const, from: id, events: async () => [] };
      const own = sources === undefined ? {} : { sources };
      return createSessionFrom(
        { ...parts, beginning, borrows: sources === undefined },
        { ...options, id: forkId, ...own },
      );
    },
    async isReminder(dialect, message) {
      return isReminder(dialect, message, deliveredIn(await runtime.ready()));
    },
    async withoutReminders(dialect, body, { words = true } = {}) {
      const context = await runtime.ready();
      if (!words) return strip(dialect, body, deliveredIn(context));
      const bare = await runtime.serial(() => forSummary(context, { dialect, body }));
      summarised = bare.words;
      return bare.body;
    },
    async settleHandedOver(seen) {
      const context = await runtime.ready();
      await runtime.serial(() => settleHandedOver(context, seen));
    },
    reset: () => recordAny(session, { type: "throttles_reset" }),
    async damaged() {
      return (await runtime.ready()).journal.damaged;
    },
    async problems() {
      await runtime.configured();
      return runtime.problems();
    },
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([...children].map((child) => child.close()));
      await giveUp(runtime);
      await runtime.close();
    },
  };
  return session;
}

function turnHost(
  runtime: Runtime,
  { profile, neutraliseToolResults, closed }: SessionOptions & Pick<TurnHost, "closed">,
): TurnHost {
  return {
    closed,
    neutralResults: neutraliseToolResults
      ? createNeutralResults(() => runtime.tags().neutraliser)
      : (_dialect, body) => body,
    platform: runtime.platform,
    serial: runtime.serial,
    recorded: runtime.recorded,
    ready: runtime.ready,
    settleLater: runtime.later,
    append: runtime.appendFound,
    record: runtime.appendSeen,
    profile,
    calls: 0,
    configured: runtime.configured,
    problems: runtime.problems,
    get enabled() {
      return runtime.settings().enabled;
    },
    get timeoutMs() {
      return runtime.settings().timeout_ms;
    },
    blank: (outcome, reason) =>
      runtime.catalogue.map(({ generator, type }) => ({
        generator,
        type,
        outcome,
        reason,
        ms: 0,
        bytes: 0,
        tokens: 0,
      })),
  };
}

function measured({ platform, telemetry, agent, catalogue, settings }: Runtime): MeasureOptions {
  const { enabled, telemetry_sample } = settings();
  return { platform, telemetry, agent: agent.kind, catalogue, sample: enabled ? telemetry_sample : 0 };
}

/** A sub-agent works in its parent's mode, with its switches, and knows the files its parent has seen. */
async function inherited(parent: Runtime, child: string): Promise<StoredEvent[]> {
  const { config, facts } = (await parent.ready()).journal.state;
  const { mode, files } = facts;
  const { name, team } = mode;
  const optional = { ...ownPlan(parent, child, mode), ...(team === undefined ? {} : { team }) };
  const seen = Object.values(files.tracked).flatMap(({ path, seen: version }) =>
    version === undefined ? [] : [{ path, version }],
  );
  return [
    ...(Object.keys(config).length === 0 ? [] : [{ type: "config_changed" as const, config }]),
    ...(name === "normal" ? [] : [{ type: "mode_changed" as const, mode: name, ...optional }]),
    ...(seen.length === 0 ? [] : [{ type: "files_inherited" as const, files: seen }]),
  ];
}

/**
 * In its parent's mode, a sub-agent keeps a plan of its own: two who write one file lose each other's words. It is shown
 * its parent's.
 */
function ownPlan(
  { settings, cwd }: Runtime,
  child: string,
  { planFilePath: parentPlanFilePath }: { planFilePath?: string | undefined },
): { planFilePath?: string; parentPlanFilePath?: string } {
  if (parentPlanFilePath === undefined) return {};
  const own = defaultPlanPath(settings().plan_dir, child, cwd);
  return { parentPlanFilePath, ...(own === undefined ? {} : { planFilePath: own }) };
}

function checkConfig(runtime: Runtime, change: Record<string, unknown>): void {
  try {
    resolveSettings(changeConfig({}, change), runtime.catalogue);
  } catch (error) {
    throw new SottoError("invalid_event", `config_changed: ${(error as Error).message}`, error);
  }
}

/** Reminders handed to a host that places them itself, and never confirmed: they come again. */
async function giveUp(runtime: Runtime): Promise<void> {
  if (!runtime.isOpen()) return;
  try {
    // What was confirmed and could not be written then gets another chance before anything is given up.
    const context = await runtime.ready();
    await runtime.serial(() => letGo(context));
  } catch {
    // They come again once their owner is gone.
  }
}
