// A session: one agent's conversation. Record what happened, ask for a turn.

import { changeConfig } from "../config/layers.ts";
import { checkConfigNames, resolveSettings } from "../config/schema.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Agent, SubagentDefinition } from "../facts/agent.ts";
import type { TodoItem } from "../facts/event-parts.ts";
import type { StoredEvent } from "../facts/events.ts";
import { unsaidSteps } from "../facts/file-steps.ts";
import { isWhole } from "../facts/files.ts";
import { parseEvent, parseHostEvent } from "../facts/parse-event.ts";
import type { SessionEvent } from "../facts/session-events.ts";
import type { Task } from "../facts/tasks.ts";
import type { Subagent } from "../facts/work.ts";
import { checkStripping, isReminder } from "../history/strip.ts";
import { checkOptions } from "../platform/check-options.ts";
import type { Problem } from "../platform/errors.ts";
import { SottoError } from "../platform/errors.ts";
import { absolutePath, defaultPlanPath, todoPath } from "../platform/paths.ts";
import { copyOf, frozen } from "../platform/plain-data.ts";
import type { Source } from "../sources/source.ts";
import {
  type BeforeWrite,
  beforeWrite,
  noteCallsOver,
  noteSubagent,
  noteWriting,
  type SubagentChange,
  type WritingCall,
} from "./between-turns.ts";
import { createEngine } from "./create-engine.ts";
import { closedProblem, type Engine, type Origin, type SessionParts } from "./engine.ts";
import { copyLog } from "./fork.ts";
import { settleHandedOver, type WasSeen } from "./hand-over.ts";
import { measureTurn } from "./measure-turn.ts";
import { allows, type Permission } from "./mode-gate.ts";
import { checkNote } from "./notes.ts";
import { releaseAll } from "./offer.ts";
import { type EngineOptions, forkOptions, subagentOptions } from "./options.ts";
import { isAlreadyRecorded } from "./record.ts";
import { asSeenByNewAgent, callsForNewAgent } from "./sibling-agents.ts";
import { runTurn, type Turn, type TurnOptions } from "./turn.ts";
import { deliveredIn, forSummary } from "./without-reminders.ts";

/** One agent's conversation: record what happened, ask for a turn. */
export interface Session {
  /** The session's id: the given one, or a new UUID. */
  readonly id: string;
  /** The agent this session belongs to. */
  readonly agent: Agent;
  /** Opens the log and loads what turns need; otherwise the first use does. Rejects with the store's error. */
  open(): Promise<void>;
  /** Records something that happened. A wrong event throws at once; the promise resolves when it is durable. */
  record(event: SessionEvent): Promise<void>;
  /** Puts the reminders that are due into a request. Never throws, and hardly exceeds its deadline (`timeout_ms`). */
  turn<Body = unknown>(options?: TurnOptions<Body>): Promise<Turn<Body>>;
  /**
   * Finds the instructions about a path that is about to be written. The next turn sends those the model has not seen; a
   * host that can wait lets the agent see them before it writes.
   */
  beforeWrite(path: string): Promise<BeforeWrite>;
  /** Whether the current mode allows a tool call, and why. */
  allows(toolName: string, input: unknown): Promise<Permission>;
  /** What the session knows now: mode, todos, background tasks, paths. Waits for earlier `record` calls. */
  state(): Promise<SessionState>;
  /** Creates the session of a sub-agent: in the same mode, without what is meant only for its parent. */
  subagent(options: { agentType: string; definition?: SubagentDefinition; id?: string }): Session;
  /**
   * Creates a session that goes on from here, or from the end of an earlier turn: with everything that was recorded
   * before the next turn began, and with what has happened in the world since (tasks, messages). It asks the `sources`
   * given here; without them those of this session, which closes them.
   */
  fork(options?: { id?: string; turn?: number; sources?: readonly Source[] }): Promise<Session>;
  /** Whether a message is a reminder that this session sent. */
  isReminder<Body>(dialect: Dialect<Body>, message: unknown): Promise<boolean>;
  /**
   * The request as a summariser should see it: without reminders, but with the messages of people that came in them
   * (queued prompts, mail), even if the request left them out. When `compacted` is recorded next, they count as part of
   * the summary. `words: false` leaves those out, too.
   */
  withoutReminders<Body>(dialect: Dialect<Body>, body: Body, options?: { words?: boolean }): Promise<Body>;
  /**
   * For processes that live for one call (`turn.handOver`): whether the model saw what earlier processes handed over.
   * What it did not see is sent again. A function decides for each text.
   */
  settleHandedOver(seen: WasSeen): Promise<void>;
  /** Resets throttles, except limits per session. */
  reset(): Promise<void>;
  /** What a person should fix outside the log, such as a config file. Answers even if the store cannot be opened. */
  problems(): Promise<readonly Problem[]>;
  /** Gives up what was not confirmed, closes the session's sources and sub-agents. The store stays open. */
  close(): Promise<void>;
}

/** A session as `state()` found it: a frozen copy. */
export interface SessionState {
  /** The mode, such as `"normal"` or `"plan"`. */
  readonly mode: string;
  /** The plan file of the current mode, or of the last one that had one. */
  readonly planFile?: string;
  /** The todo list. */
  readonly todos: readonly TodoItem[];
  /** Background tasks that are still running, as far as the log knows. */
  readonly tasks: readonly Task[];
  /** Where config puts this session's files; a path is absent where config has none. */
  readonly paths: SessionPaths;
  /** The name of the tag around reminders, for a system prompt that explains it. */
  readonly reminderTag: string;
  /** Log entries that could not be read back. */
  readonly damaged: readonly { readonly seq: number; readonly problem: string }[];
  /** Whether the model has seen a whole file: read, written or shown. Takes the given path or the real one. */
  hasSeen(path: string): boolean;
}

/** Where config puts a session's files. */
export interface SessionPaths {
  /** The plan file; absolute. */
  readonly plan?: string;
  /** The todo list; absolute. */
  readonly todos?: string;
  /** The directory of all mailboxes, as config names it. */
  readonly mail?: string;
  /** The directory of task lists of teams, as config names it. */
  readonly tasks?: string;
}

// A symbol, so that copies of a session have it as well and nobody sees it. Of the process, as each door of the built
// package has this module in it.
const inside = Symbol.for("sotto.inside");
interface SessionInside extends Session {
  [inside]: Inside;
}

function insideOf(session: Session): Inside {
  return (session as SessionInside)[inside];
}

/** Records any event, also those that `session.record` leaves to sources and the engine. */
export function recordAny(session: Session, event: StoredEvent): Promise<void> {
  return insideOf(session).record(parseEvent(event));
}

/** Events that `parseEvent` has checked, in one step of the log: all of them or none. One that stands apart comes alone. */
export function recordTogether(session: Session, events: readonly StoredEvent[]): Promise<void> {
  return insideOf(session).together(events);
}

const APART: ReadonlySet<StoredEvent["type"]> = new Set([
  "config_changed",
  "noted",
  "compacted",
  "mode_changed",
]);

/** It concerns more than the log, so it is recorded by itself. */
export function standsApart({ type }: StoredEvent): boolean {
  return APART.has(type);
}

/** Records an event one time, however often, by however many processes and with whatever failures it is tried. */
export async function recordOnce(session: Session, event: SessionEvent, name: string): Promise<boolean> {
  try {
    await insideOf(session).record(parseHostEvent(event), name);
    return true;
  } catch (error) {
    if (isAlreadyRecorded(error)) return false;
    throw error;
  }
}

/**
 * None of the agent's calls is under way: what was begun and has no end was refused, or interrupted. Returns the ids of those
 * that were to write files.
 */
export function endCalls(session: Session): Promise<readonly string[]> {
  return insideOf(session).callsOver();
}

/** The files that a call is writing from now on; none when it is over. Until then nothing is said about their changes. */
export function setWriting(session: Session, call: WritingCall): Promise<void> {
  return insideOf(session).writing(call);
}

/** The sub-agents that work now in sessions of other processes; `change`: one that begins or is over. */
export function runningSubagents(session: Session, change?: SubagentChange): Promise<readonly Subagent[]> {
  return insideOf(session).subagents(change);
}

const NO_SESSIONS: readonly Session[] = [];

/** What the methods of a session share, and what only other parts of the library may ask of it. */
class Inside {
  readonly #engine: Engine;
  children = NO_SESSIONS;
  /** Words that went to a summariser since the last turn. */
  summarised: string[] | undefined = undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  closedError(): SottoError | undefined {
    const words = closedProblem(this.#engine);
    return words === undefined ? undefined : new SottoError("session_closed", words);
  }

  record(checked: StoredEvent, once?: string): Promise<void> {
    const engine = this.#engine;
    if (checked.type === "config_changed") checkConfig(engine, checked.config);
    if (checked.type === "noted") checkNote(checked, engine.catalogue);
    const closed = this.closedError();
    if (closed !== undefined) return Promise.reject(closed);
    const { summarised } = this;
    const done = engine.record(
      [checked.type === "compacted" ? { summarised, ...checked } : checked],
      "host",
      once,
    );
    if (checked.type === "compacted") this.summarised = undefined;
    if (checked.type !== "mode_changed") return done;
    return engine.using(async () => {
      await done;
      const { planFilePath: _parents, ...rest } = checked;
      const { mode } = (await engine.ready()).journal.state.facts;
      await Promise.all(
        this.children.map((child) => recordAny(child, { ...rest, ...ownPlan(engine, child.id, mode) })),
      );
    });
  }

  async together(events: readonly StoredEvent[]): Promise<void> {
    const [first, ...others] = events;
    if (first !== undefined && others.length === 0) return this.record(first);
    const closed = this.closedError();
    if (closed !== undefined) throw closed;
    return this.#engine.recordTogether(events);
  }

  callsOver(): Promise<readonly string[]> {
    return this.#engine.using(async () => noteCallsOver(await this.#engine.ready()));
  }

  writing(call: WritingCall): Promise<void> {
    return this.#engine.using(async () => noteWriting(await this.#engine.ready(), call));
  }

  subagents(change?: SubagentChange): Promise<readonly Subagent[]> {
    return this.#engine.using(async () => noteSubagent(await this.#engine.ready(), change));
  }
}

export function createSessionFrom(parts: SessionParts, options: EngineOptions, origin?: Origin): Session {
  const engine = createEngine(parts, options, origin);
  const { id, agent, platform } = engine;
  const own = new Inside(engine);

  const session: SessionInside = {
    id,
    agent,
    open: () => engine.using(() => engine.warm()),
    [inside]: own,
    record: (event) => own.record(parseHostEvent(event)),
    turn(turnOptions = {}) {
      own.summarised = undefined;
      return engine.using(() => measureTurn(engine, (looked) => runTurn(engine, turnOptions, looked)));
    },
    async beforeWrite(path) {
      if (typeof path !== "string" || path === "")
        throw new SottoError("invalid_request", "beforeWrite: expected a path");
      const closed = own.closedError();
      if (closed !== undefined) throw closed;
      return engine.using(async () => beforeWrite(await engine.ready(), path));
    },
    async allows(toolName, input) {
      if (typeof toolName !== "string" || toolName === "")
        throw new SottoError("invalid_request", "allows: expected the name of a tool");
      return engine.using(async () => {
        const { journal, cwd, tools } = await engine.ready();
        return allows({ mode: journal.state.facts.mode, cwd, toolName, input, tools });
      });
    },
    state: () =>
      engine.using(async () => {
        await engine.ready();
        await engine.configured();
        return stateOf(engine);
      }),
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
      const beginning = { reason: "startup" as const, events: () => inherited(engine, childId, childAgent) };
      const child = createSessionFrom(
        parts,
        { ...options, id: childId, agent: childAgent },
        { beginning, borrows: true, family: engine.family, parent: engine },
      );
      own.children = [...own.children, child];
      return {
        ...child,
        async close() {
          own.children = own.children.filter((one) => one !== child);
          await child.close();
        },
      };
    },
    async fork(given = {}) {
      checkOptions("fork", forkOptions, given);
      const { id: forkId = platform.uuid(), turn, sources } = given;
      await engine.using(async () => {
        await engine.ready();
        await engine.serial(() => copyLog(engine, { to: forkId, turn }));
      });
      const beginning = { reason: "fork" as const, from: id, events: async () => [] };
      const own = sources === undefined ? {} : { sources };
      return createSessionFrom(
        parts,
        { ...options, id: forkId, ...own },
        { ...origin, beginning, borrows: sources === undefined },
      );
    },
    isReminder: (dialect, message) =>
      engine.using(async () => isReminder(dialect, message, deliveredIn(await engine.ready()))),
    async withoutReminders(dialect, body, options = {}) {
      checkStripping(dialect, body, options);
      const { words = true } = options;
      return engine.using(async () => {
        await engine.ready();
        const bare = await engine.serial(() => forSummary(engine, { dialect, body }, words));
        if (words) own.summarised = bare.words;
        return bare.body;
      });
    },
    settleHandedOver: (seen) =>
      engine.using(async () => {
        await engine.ready();
        await engine.serial(() => settleHandedOver(engine, seen));
      }),
    reset: () => recordAny(session, { type: "throttles_reset" }),
    async problems() {
      await engine.configured();
      return engine.problems();
    },
    async close() {
      if (engine.isClosed) return;
      engine.isClosed = true;
      await Promise.all(own.children.map((child) => child.close()));
      await giveUp(engine);
      await engine.close();
    },
  };
  return session;
}

/** A frozen copy: nothing that is recorded later changes it. */
function stateOf({ id, cwd, journal, settings, tags }: Engine): SessionState {
  const { mode, todos, tasks, files } = journal.state.facts;
  const plan = defaultPlanPath(settings.plan_dir, id, cwd);
  const todoFile = todoPath(settings.todo_file, id, cwd);
  const tracked = { ...files.tracked };
  return frozen({
    mode: mode.name,
    ...(mode.planFilePath === undefined ? {} : { planFile: mode.planFilePath }),
    todos: copyOf(todos.items),
    tasks: copyOf(Object.values(tasks.running).map(({ seq: _seq, ...task }) => task)),
    paths: {
      ...(plan === undefined ? {} : { plan }),
      ...(todoFile === undefined ? {} : { todos: todoFile }),
      ...(settings.mailbox_dir === "" ? {} : { mail: settings.mailbox_dir }),
      ...(settings.task_dir === "" ? {} : { tasks: settings.task_dir }),
    },
    reminderTag: tags.nameOf("system-reminder"),
    damaged: copyOf(journal.damaged),
    hasSeen(given: string) {
      if (typeof given !== "string") throw new SottoError("invalid_request", "hasSeen: expected a path");
      const path = absolutePath(given, cwd);
      return isWhole(tracked[path] ?? Object.values(tracked).find((one) => one.path === path));
    },
  });
}

/**
 * A sub-agent works in its parent's mode, with its switches, knows the files its parent has seen, and whose calls are under
 * way.
 */
async function inherited(parent: Engine, child: string, agent: Agent): Promise<StoredEvent[]> {
  const { config, facts } = await parent.using(async () => (await parent.ready()).journal.state);
  const { mode, files, work } = facts;
  const { name, team } = mode;
  const optional = { ...ownPlan(parent, child, mode), ...(team === undefined ? {} : { team }) };
  const seen = Object.entries(files.tracked).flatMap(([realPath, { path, seen: version }]) => {
    if (version === undefined) return [];
    const steps = unsaidSteps(files, realPath).map(asSeenByNewAgent);
    return [{ path, version, ...(steps.length === 0 ? {} : { steps }) }];
  });
  return [
    ...(Object.keys(config).length === 0 ? [] : [{ type: "config_changed" as const, config }]),
    ...(name === "normal" ? [] : [{ type: "mode_changed" as const, mode: name, ...optional }]),
    ...(seen.length === 0 ? [] : [{ type: "files_inherited" as const, files: seen }]),
    ...callsForNewAgent(work, parent, agent),
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
    checkConfigNames(change, engine.catalogue);
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
