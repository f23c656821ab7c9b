// Writing events: completed, checked against the log, and stamped.

import type { StoredEvent } from "../facts/events.ts";
import { tooLong } from "../facts/hooks.ts";
import { MOST_CHARACTERS } from "../facts/pending.ts";
import { type PromptEdge, textIn } from "../facts/prompts.ts";
import type { NewEntry } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { SottoError } from "../platform/errors.ts";
import { defaultPlanPath, fromHome, wholePath } from "../platform/paths.ts";
import { cutText } from "../platform/text.ts";
import { newNames } from "../render/tags.ts";
import type { Source } from "../sources/source.ts";
import type { SessionContext } from "./context.ts";

/** Begun at once, while things are as the host saw them. A source that fails leaves the event as it is. */
export async function prepareEvent(event: StoredEvent, sources: readonly Source[]): Promise<StoredEvent> {
  let complete = event;
  for (const source of sources)
    if (source.prepare !== undefined) complete = await source.prepare(complete).catch(() => complete);
  return complete;
}

/** All of them, or none. */
export async function writeEvents(context: SessionContext, events: readonly StoredEvent[]): Promise<void> {
  const complete: StoredEvent[] = [];
  for (const event of events) {
    await checkRewind(event, context);
    complete.push(await completeEvent(event, context));
  }
  await appendEntries(context, complete);
}

export async function appendEntries(
  { journal, platform, owner }: SessionContext,
  events: readonly StoredEvent[],
): Promise<void> {
  const at = new Date(platform.now()).toISOString();
  const entries = events.map((event): NewEntry => stamp(at, { kind: "event" as const, owner, event }));
  await journal.append({ entries });
}

/** Before anything bears a new name the log knows it, so that it stays recognised whatever config says later. */
export async function noteTags(context: SessionContext): Promise<void> {
  const names = newNames(context.settings.tags, context.journal.state.tagNames);
  if (names.length > 0) await appendEntries(context, [{ type: "tags_named", names }]);
}

async function checkRewind(event: StoredEvent, { journal }: SessionContext): Promise<void> {
  if (event.type !== "rewound" || event.toTurn <= journal.state.turn) return;
  // Another process may have taken that turn.
  await journal.refresh();
  if (event.toTurn <= journal.state.turn) return;
  throw new SottoError(
    "invalid_event",
    `rewound.toTurn: ${event.toTurn} is past the last turn, ${journal.state.turn}`,
  );
}

// An event as it is kept: with the paths it goes by unless told otherwise, and contents in blobs.

export async function completeEvent(event: StoredEvent, context: SessionContext): Promise<StoredEvent> {
  const named = await withoutSecrets(event, context);
  const placed = wholePaths(withTaskList(withPlanPath(named, context), context), context);
  return withWhole(await withBlobs(placed, context), context);
}

/**
 * What no single request could hold is kept in a file. Where there is none, or no tool to read it with, all of it comes
 * in parts: however many they are, nothing is lost.
 */
async function withWhole(
  event: StoredEvent,
  { keepWords, vocabulary }: SessionContext,
): Promise<StoredEvent> {
  const text = tooLongIn(event);
  const reads = vocabulary.tool("Read") ?? vocabulary.tool("Bash");
  if (text === undefined || keepWords === undefined || reads === undefined) return event;
  try {
    return { ...event, wholeIn: await keepWords(text) } as StoredEvent;
  } catch {
    return event;
  }
}

function tooLongIn(event: StoredEvent): string | undefined {
  if (event.type === "hook_finished") return tooLong(event);
  const text = textOf(event);
  return text !== undefined && text.length > MOST_CHARACTERS ? text : undefined;
}

function textOf(event: StoredEvent): string | undefined {
  if (event.type === "prompt_queued") return textIn(event.prompt as PromptEdge["prompt"]);
  if (event.type === "message_received") return event.text;
  return event.type === "ultramemory_changed" ? event.content : undefined;
}

// What a reminder quotes of a command is far less.
const LONGEST_COMMAND = 2000;

async function withoutSecrets(event: StoredEvent, { redact }: SessionContext): Promise<StoredEvent> {
  if (event.type !== "command_ran") return event;
  const begins = cutText(event.command, LONGEST_COMMAND);
  const command = (await redact?.(begins)) ?? begins;
  return command === event.command ? event : { ...event, command, abridged: true };
}

/** What reminders show is whole: the agent's tools may run somewhere else. */
function wholePaths(event: StoredEvent, { home, cwd }: SessionContext): StoredEvent {
  const whole = (path: string) => wholePath(path, cwd);
  const own = (path: string) => whole(home === "" ? path : fromHome(path, home));
  switch (event.type) {
    case "diagnostics_published":
      return { ...event, filePath: whole(event.filePath) };
    case "ide_changed": {
      const { openFile, selection } = event;
      return {
        ...event,
        ...(openFile === undefined ? {} : { openFile: whole(openFile) }),
        ...(selection === undefined
          ? {}
          : { selection: { ...selection, filename: whole(selection.filename) } }),
      };
    }
    case "file_read":
    case "file_written":
    case "file_removed":
      return { ...event, path: whole(event.path) };
    case "skill_invoked":
      return { ...event, path: own(event.path) };
    case "mode_changed": {
      const { planFilePath, parentPlanFilePath, team } = event;
      return {
        ...event,
        ...(planFilePath === undefined ? {} : { planFilePath: own(planFilePath) }),
        ...(parentPlanFilePath === undefined ? {} : { parentPlanFilePath: own(parentPlanFilePath) }),
        ...(team?.taskListPath === undefined
          ? {}
          : { team: { ...team, taskListPath: own(team.taskListPath) } }),
      };
    }
    default:
      return event;
  }
}

function withPlanPath(event: StoredEvent, { settings, journal, cwd, home, id }: SessionContext): StoredEvent {
  if (event.type !== "mode_changed" || event.mode !== "plan" || event.planFilePath !== undefined)
    return event;
  const planFilePath = defaultPlanPath(fromHome(settings.plan_dir, home), id, cwd);
  if (planFilePath === undefined || journal.state.facts.mode.planFilePath !== undefined) return event;
  return { ...event, planFilePath };
}

function withTaskList(event: StoredEvent, { settings }: SessionContext): StoredEvent {
  if (event.type !== "mode_changed" || event.team === undefined || event.team.taskListPath !== undefined)
    return event;
  const directory = settings.task_dir.replace(/\/+$/u, "");
  const { name } = event.team;
  return directory === "" ? event : { ...event, team: { name, taskListPath: `${directory}/${name}/` } };
}

/** Contents go into blobs, so that entries and snapshots stay small. What nobody has looked at is not kept. */
async function withBlobs(event: StoredEvent, { store, platform }: SessionContext): Promise<StoredEvent> {
  if (event.type === "file_read" || event.type === "file_written") {
    const { content, ...rest } = event;
    if (content !== undefined && event.version?.blob !== undefined)
      await store.putBlob(new TextEncoder().encode(content));
    return rest;
  }
  if (event.type === "ide_changed" && event.selection !== undefined && event.selection.checked !== true)
    return { ...event, selection: { ...event.selection, content: "" } };
  if (event.type === "resource_attached") {
    const contents = await Promise.all(
      event.contents.map(async ({ blob, ...rest }) =>
        blob === undefined ? rest : { ...rest, stored: await store.putBlob(platform.fromBase64(blob)) },
      ),
    );
    return { ...event, contents, hash: platform.hash(JSON.stringify(contents)) };
  }
  if (event.type !== "prompt_queued" || typeof event.prompt === "string") return event;
  const prompt = await Promise.all(
    event.prompt.map(async (block) => {
      if (!("data" in block)) return block;
      const { type, mediaType, data } = block;
      return { type, mediaType, blob: await store.putBlob(platform.fromBase64(data)) };
    }),
  );
  return { ...event, prompt };
}
