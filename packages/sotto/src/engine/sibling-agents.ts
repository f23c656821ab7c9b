// Agents that work together in one process: what one writes or runs is recorded with the others, under its name.

import type { Agent } from "../facts/agent.ts";
import type { FileStep, StoredEvent } from "../facts/events.ts";
import { isForAgent } from "../facts/files.ts";
import type { WorkFact } from "../facts/work.ts";

export interface Member {
  id: string;
  agent: Agent;
  /** Whether its log is open: an agent that starts later inherits what the others know by then. */
  isListening(): boolean;
  /** Records the event with it, and passes it on to nobody else. */
  hear(event: StoredEvent): Promise<void>;
}

export interface SiblingAgents {
  join(member: Member): void;
  leave(member: Member): void;
  /** Passes on what one of them recorded. Never rejects. */
  tell(from: Member, event: StoredEvent): Promise<void>;
}

export function createSiblingAgents(now: () => number): SiblingAgents {
  return new Family(now);
}

class Family implements SiblingAgents {
  #members: readonly Member[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  join(member: Member): void {
    this.#members = this.#members.concat(member);
  }

  leave(member: Member): void {
    this.#members = this.#members.filter((one) => one !== member);
  }

  async tell(from: Member, event: StoredEvent): Promise<void> {
    const others = this.#members.filter((member) => member !== from && member.isListening());
    await Promise.allSettled(
      others.map(async (member) => {
        const told = asSeenByOtherAgents(event, {
          of: nameFor(from.agent, member.agent),
          id: from.id,
          now: this.#now(),
        });
        if (told !== undefined) await member.hear(told);
      }),
    );
  }
}

export interface Retelling {
  /** Which agent did it, in words. */
  of: string;
  /** The session it is from. */
  id: string;
  /** In milliseconds. */
  now: number;
}

/** The event to record for what another agent did; undefined if that changes no file. */
export function asSeenByOtherAgents(event: StoredEvent, { of, id, now }: Retelling): StoredEvent | undefined {
  const at = new Date(now).toISOString();
  switch (event.type) {
    case "file_written": {
      const { path, content, edits, movedFrom, unproven, cause } = event;
      // Of a file that was moved they say nothing about what the other knows under this name.
      const isToIt = edits !== undefined && movedFrom === undefined && !isForAgent(cause);
      return {
        type: "file_written",
        path,
        ...(content === undefined ? {} : { content }),
        ...(isToIt ? { edits } : {}),
        ...(unproven ? { unproven } : {}),
        cause: ofTheirs(of, cause),
      };
    }
    case "file_removed":
      return { type: "file_removed", path: event.path, cause: ofTheirs(of, event.cause) };
    case "command_ran":
      return { ...event, id: `${id}/${event.id}`, of: event.of ?? of };
    case "task_started": {
      const { taskId, taskType, command, description, startedAt = at } = event;
      if (taskType !== "shell") return undefined;
      return { type: "command_ran", id: `${id}/${taskId}`, command: command ?? description, of, startedAt };
    }
    case "task_finished":
      return { type: "command_ran", id: `${id}/${event.taskId}`, command: "", of, endedAt: at };
    case "hook_finished": {
      const { startedAt, command, hookName } = event;
      if (startedAt === undefined) return undefined;
      const words = command ?? hookName;
      return {
        type: "command_ran",
        id: `${id}/hook ${now}`,
        command: words,
        kind: "hook",
        of,
        startedAt,
        endedAt: at,
      };
    }
    default:
      return undefined;
  }
}

/** Before it began: the words of the agent that started it are not for it. */
export function asSeenByNewAgent(step: FileStep): FileStep {
  return step.cause === undefined ? step : { ...step, cause: "another agent of this conversation" };
}

/**
 * What the agent that starts another has to tell it of its own calls and of others': those that are under way, and those that
 * ended while a file was being written, as nobody has looked at it since.
 */
export function callsForNewAgent(
  { latest, writing }: WorkFact,
  from: Pick<Member, "id" | "agent">,
  to: Agent,
): StoredEvent[] {
  const nameOf = (of: string | undefined) => of?.replace(/^your /u, "the ") ?? nameFor(from.agent, to);
  const idOf = (id: string, of: string | undefined) => (of === undefined ? `${from.id}/${id}` : id);
  const since = Math.min(...writing.map((call) => call.since));
  const commands = latest.flatMap((work): StoredEvent[] => {
    const { kind, paths, recordsWrites, doubtful, from: start, to: end = Number.POSITIVE_INFINITY } = work;
    if (kind === "agent" || paths !== undefined || recordsWrites || start === undefined || end < since)
      return [];
    const id = work.id.slice(kind.length + 1);
    const isTask = kind === "task";
    return [
      {
        type: "command_ran",
        id: idOf(id, work.of),
        // That of a task has its id before it.
        command: isTask ? work.name.slice(id.length + 2, -1) : work.name,
        of: nameOf(work.of),
        startedAt: new Date(start).toISOString(),
        ...(isTask ? {} : { kind }),
        ...(end === Number.POSITIVE_INFINITY || doubtful ? {} : { endedAt: new Date(end).toISOString() }),
        ...(work.directory === undefined ? {} : { directory: work.directory }),
        ...(work.background === undefined ? {} : { background: work.background }),
        ...(work.abridged === undefined ? {} : { abridged: work.abridged }),
      },
    ];
  });
  const calls = writing.map(({ id, tool, of, paths, since }): StoredEvent => {
    const named = { id: idOf(id, of), of: nameOf(of), ...(tool === undefined ? {} : { tool }) };
    return { type: "writing_changed", ...named, paths, since };
  });
  return [...commands, ...calls];
}

/** From the receiver's side: its own sub-agent, the agent that started it, or another sub-agent. */
export function nameFor(from: Agent, to: Agent): string {
  if (from.kind === "main") return "the agent that started you";
  return `${to.kind === "main" ? "your" : "the"} sub-agent ${from.type}`;
}

function ofTheirs(of: string, cause: string | undefined): string {
  return isForAgent(cause) ? `${cause} of ${of}` : of;
}
