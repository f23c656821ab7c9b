// A session: one agent's conversation. Tell it what happened, ask it for a turn.

import { changeConfig } from "../config/layers.ts";
import { resolveSettings } from "../config/schema.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Agent, SubagentDefinition } from "../facts/agent.ts";
import { parseEvent, type SessionEvent, type TodoItem } from "../facts/events.ts";
import { isWhole } from "../facts/files.ts";
import type { Task } from "../facts/tasks.ts";
import { isReminder, strip } from "../history/strip.ts";
import { checkOptions } from "../platform/check-options.ts";
import type { Problem } from "../platform/errors.ts";
import { SottoError } from "../platform/errors.ts";
import { absolutePath, defaultPlanPath, todoPath } from "../platform/paths.ts";
import type { Source } from "../sources/source.ts";
import { type BeforeWrite, beforeWrite } from "./between-turns.ts";
import { createEngine } from "./create-engine.ts";
import { closedProblem, type Engine, type SessionParts } from "./engine.ts";
import { copyLog } from "./fork.ts";
import { settleHandedOver, type WasSeen } from "./hand-over.ts";
import { measureTurn } from "./measure-turn.ts";
import { allows, type Permission } from "./mode-gate.ts";
import { checkNote } from "./notes.ts";
import { releaseAll } from "./offer.ts";
import type { SessionOptions } from "./options.ts";
import { forkOptions, subagentOptions } from "./options.ts";
import { runTurn, type Turn, type TurnOptions } from "./turn.ts";
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

export function createSessionFrom(parts: SessionParts, options: SessionOptions): Session {
  const engine = createEngine(parts, options);
  const { id, agent, platform } = engine;
  const children = new Set<Session>();
  /** Words that went to a summariser since the last turn. */
  let summarised: string[] | undefined;
  const checkOpen = () => {
    const words = closedProblem(engine);
    if (words !== undefined) throw new SottoError("session_closed", words);
  };

  const session: Session = {
    id,
    agent,
    open: () => engine.warm(),
    record(event) {
      const checked = parseEvent(event);
      checkOpen();
      if (checked.type === "config_changed") checkConfig(engine, checked.config);
      if (checked.type === "noted") checkNote(checked, engine.catalogue);
      const done = engine.record(
        [checked.type === "compacted" ? { summarised, ...checked } : checked],
        "host",
      );
      if (checked.type === "compacted") summarised = undefined;
      if (checked.type !== "mode_changed") return done;
      return done.then(async () => {
        const { planFilePath: _parents, ...rest } = checked;
        const { mode } = (await engine.ready()).journal.state.facts;
        await Promise.all(
          [...children].map((child) => child.record({ ...rest, ...ownPlan(engine, child.id, mode) })),
        );
      });
    },
    turn(turnOptions = {}) {
      summarised = undefined;
      return measureTurn(engine, (looked) => runTurn(engine, turnOptions, looked));
    },
    async beforeWrite(path) {
      if (typeof path !== "string" || path === "")
        throw new SottoError("invalid_request", "beforeWrite: expected a path");
      checkOpen();
      return beforeWrite(await engine.ready(), path);
    },
    async allows(toolName, input) {
      const { journal, cwd, tools } = await engine.ready();
      return allows({ mode: journal.state.facts.mode, cwd, toolName, input, tools });
    },
    async mode() {
      return (await engine.ready()).journal.state.facts.mode.name;
    },
    async planFile() {
      return (await engine.ready()).journal.state.facts.mode.planFilePath;
    },
    async ownFiles() {
      const { cwd } = await engine.ready();
      await engine.configured();
      const { plan_dir, todo_file } = engine.settings;
      const plan = defaultPlanPath(plan_dir, id, cwd);
      const todos = todoPath(todo_file, id, cwd);
      return { ...(plan === undefined ? {} : { plan }), ...(todos === undefined ? {} : { todos }) };
    },
    async hasSeen(given) {
      const { journal, cwd } = await engine.ready();
      const { tracked } = journal.state.facts.files;
      const path = absolutePath(given, cwd);
      const file = tracked[path] ?? Object.values(tracked).find((one) => one.path === path);
      return isWhole(file);
    },
    async todos() {
      return (await engine.ready()).journal.state.facts.todos.items;
    },
    async runningTasks() {
      const { running } = (await engine.ready()).journal.state.facts.tasks;
      return Object.values(running).map(({ seq: _seq, ...task }) => task);
    },
    async teamDirectories() {
      await engine.ready();
      await engine.configured();
      const { mailbox_dir: mail, task_dir: tasks } = engine.settings;
      return { mail, tasks };
    },
    async reminderTag() {
      await engine.configured();
      return engine.tags.nameOf("system-reminder");
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
      const beginning = { reason: "startup" as const, events: () => inherited(engine, childId) };
      const child = createSessionFrom(
        { ...parts, beginning, borrows: true, family: engine.family },
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
      await engine.ready();
      await engine.serial(() => copyLog(engine, { to: forkId, turn }));
      const beginning = { reason: "fork" as const, from: id, events: async () => [] };
      const own = sources === undefined ? {} : { sources };
      return createSessionFrom(
        { ...parts, beginning, borrows: sources === undefined },
        { ...options, id: forkId, ...own },
      );
    },
    async isReminder(dialect, message) {
      return isReminder(dialect, message, deliveredIn(await engine.ready()));
    },
    async withoutReminders(dialect, body, { words = true } = {}) {
      await engine.ready();
      if (!words) return strip(dialect, body, deliveredIn(engine));
      const bare = await engine.serial(() => forSummary(engine, { dialect, body }));
      summarised = bare.words;
      return bare.body;
    },
    async settleHandedOver(seen) {
      await engine.ready();
      await engine.serial(() => settleHandedOver(engine, seen));
    },
    reset: () => session.record({ type: "throttles_reset" }),
    async damaged() {
      return (await engine.ready()).journal.damaged;
    },
    async problems() {
      await engine.configured();
      return engine.problems();
    },
    async close() {
      if (engine.isClosed) return;
      engine.isClosed = true;
      await Promise.all([...children].map((child) => child.close()));
      await giveUp(engine);
      await engine.close();
    },
  };
  return session;
}

/** A sub-agent works in its parent's mode, with its switches, and knows the files its parent has seen. */
async function inherited(parent: Engine, child: string): Promise<SessionEvent[]> {
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
  { settings, cwd }: Engine,
  child: string,
  { planFilePath: parentPlanFilePath }: { planFilePath?: string | undefined },
): { planFilePath?: string; parentPlanFilePath?: string } {
  if (parentPlanFilePath === undefined) return {};
  const own = defaultPlanPath(settings.plan_dir, child, cwd);
  return { parentPlanFilePath, ...(own === undefined ? {} : { planFilePath: own }) };
}

function checkConfig(engine: Engine, change: Record<string, unknown>): void {
  try {
    resolveSettings(changeConfig({}, change), engine.catalogue);
  } catch (error) {
    throw new SottoError("invalid_event", `config_changed: ${(error as Error).message}`, error);
  }
}

/** Reminders handed to a host that places them itself, and never confirmed: they come again. */
async function giveUp(engine: Engine): Promise<void> {
  if (!engine.isOpen()) return;
  try {
    // What was confirmed and could not be written then gets another chance before anything is given up.
    await engine.ready();
    await engine.serial(() => releaseAll(engine));
  } catch {
    // They come again once their owner is gone.
  }
}
