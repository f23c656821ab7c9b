// Recording events: prepared by sources, completed, and appended to the log.

import type { StoredEvent } from "../facts/events.ts";
import { writeNames } from "../facts/files.ts";
import { tooLong } from "../facts/hooks.ts";
import { MOST_CHARACTERS } from "../facts/pending.ts";
import { type PromptEdge, textIn } from "../facts/prompts.ts";
import type { NewEntry } from "../log/entries.ts";
import { stamp } from "../log/journal.ts";
import { isA, SottoError } from "../platform/errors.ts";
import { defaultPlanPath, fromHome, wholePath } from "../platform/paths.ts";
import { cutText } from "../platform/text.ts";
import { newNames } from "../render/tags.ts";
import type { Source } from "../sources/source.ts";
import { asEdited, withEditsAtLast } from "./agent-edits.ts";
import { claimTime, type Engine, type Redaction } from "./engine.ts";

/** Starts at once, while files are as the host saw them. A source that fails leaves the event as it is. */
export async function prepareEvent(event: StoredEvent, sources: readonly Source[]): Promise<StoredEvent> {
  let complete = event;
  for (const source of sources)
    if (source.prepare !== undefined) complete = await source.prepare(complete).catch(() => complete);
  return complete;
}

/** A chance to look ahead: a turn finds and traces what goes wrong here when it asks. */
export function notify(source: Source, event: StoredEvent): void {
  if (source.notice === undefined) return;
  void Promise.resolve()
    .then(() => source.notice?.(event))
    .catch(() => undefined);
}

/**
 * Appends all of them, or none. What an edit leaves depends on what was known of the file: if another process has recorded a
 * write of it meanwhile, it is worked out again.
 */
export async function writeEvents(
  engine: Engine,
  events: readonly StoredEvent[],
  once?: string,
): Promise<void> {
  const own = once === undefined ? [] : [once];
  const tried = new Set<string>();
  const harmless = await withoutSecrets(events, engine);
  for (;;) {
    const complete: StoredEvent[] = [];
    for (const event of withEditsAtLast(harmless)) {
      await checkRewind(event, engine);
      complete.push(await completeEvent(await asEdited(event, engine, complete), engine));
    }
    // A name that is still the next one after reading on was taken before a rewind: nobody else is writing.
    const names = writeNames(complete, engine.journal.state.facts.files).filter((one) => !tried.has(one));
    const taken = await appendEvents(engine, complete, [...own, ...names]);
    if (taken.length === 0) return;
    if (taken.some((one) => one === once))
      throw Object.assign(new Error(`${once}: it is recorded already`), { name: ALREADY });
    for (const one of names) tried.add(one);
    await engine.journal.refresh();
  }
}

const ALREADY = "AlreadyRecorded";

/** Whether it says that what was to be recorded once is in the log already. By its name, as there may be two copies of this. */
export function isAlreadyRecorded(error: unknown): boolean {
  return isA(error, Error) && error.name === ALREADY;
}

/**
 * Appends events that are complete. `names`: for each the log takes one batch, whoever writes it. Returns those that are taken:
 * then nothing was written.
 */
export async function appendEvents(
  engine: Engine,
  events: readonly StoredEvent[],
  names: readonly string[] = [],
): Promise<readonly string[]> {
  const { journal, platform, owner } = engine;
  const at = new Date(platform.now()).toISOString();
  const entries = events.map((event): NewEntry => stamp(at, { kind: "event" as const, owner, event }));
  if (names.length === 0) {
    await journal.append({ entries });
    return [];
  }
  const now = claimTime(engine);
  // Claimed and settled in the same step: whoever is killed has recorded all of it, or nothing.
  const claim = { keys: names, owner: `once ${platform.uuid()}`, now, expiresAt: now + 1000 };
  const result = await journal.append({ entries, claim, settle: claim.keys });
  return result.ok ? [] : result.taken;
}

/** The log knows a tag's name before it is used, so that reminders stay recognised whatever config says later. */
export async function noteTags(engine: Engine): Promise<void> {
  const names = newNames(engine.settings.tags, engine.journal.state.tagNames);
  if (names.length > 0) await appendEvents(engine, [{ type: "tags_named", names }]);
}

async function checkRewind(event: StoredEvent, { journal }: Engine): Promise<void> {
  if (event.type !== "rewound" || event.toTurn <= journal.state.turn) return;
  // Another process may have taken that turn.
  await journal.refresh();
  if (event.toTurn <= journal.state.turn) return;
  throw new SottoError(
    "invalid_event",
    `rewound.toTurn: ${event.toTurn} is past the last turn, ${journal.state.turn}`,
  );
}

// An event as it is stored: with default paths filled in, and contents in blobs.

async function completeEvent(event: StoredEvent, engine: Engine): Promise<StoredEvent> {
  const placed = wholePaths(withTaskList(withPlanPath(event, engine), engine), engine);
  return withWhole(await withBlobs(placed, engine), engine);
}

/**
 * A text that no single request could hold is kept in a file. Without a place for the file, or a tool to read it with,
 * all of it is sent in parts.
 */
async function withWhole(event: StoredEvent, { id, parts, vocabulary }: Engine): Promise<StoredEvent> {
  const text = tooLongIn(event);
  const reads = vocabulary.tool("Read") ?? vocabulary.tool("Bash");
  if (text === undefined || parts.keepWords === undefined || reads === undefined) return event;
  try {
    return { ...event, wholeIn: await parts.keepWords(id, text) } as StoredEvent;
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

// A reminder quotes far less of a command.
const LONGEST_COMMAND = 2000;
// A secret is taken out as a whole before a command is cut; longer ones than this are none.
const LONGEST_SEARCHED = 100_000;

/** The environment is looked through once for all of them: that takes longer than to go through a command. */
async function withoutSecrets(
  events: readonly StoredEvent[],
  { parts, tools }: Engine,
): Promise<readonly StoredEvent[]> {
  const isAsked = (event: StoredEvent, at: number) =>
    saysCommand(event) || (isUnproven(event) && mayBeOfCommand(events, at, tools));
  const redact = events.some(isAsked) ? parts.redaction?.() : undefined;
  if (redact === undefined) return events;
  return Promise.all(events.map((event, at) => (isAsked(event, at) ? harmless(event, redact) : event)));
}

function saysCommand(event: StoredEvent): boolean {
  switch (event.type) {
    case "command_ran":
      return true;
    case "tool_finished":
      return event.paths !== undefined;
    case "task_started":
    case "hook_finished":
      return event.command !== undefined;
    case "file_written":
    case "file_removed":
      return event.cause !== undefined;
    default:
      return false;
  }
}

/** A file that was read, and that nobody found: it may be any word of a command. */
function isUnproven(event: StoredEvent): boolean {
  return event.type === "file_read" && event.version === undefined;
}

/** What a tool did comes before the event that it finished. */
function mayBeOfCommand(events: readonly StoredEvent[], at: number, tools: Engine["tools"]): boolean {
  const finished = events.find((event, index) => index > at && event.type === "tool_finished");
  return finished?.type !== "tool_finished" || tools.kind(finished.toolName) === "run";
}

async function harmless(event: StoredEvent, { text, path }: Redaction): Promise<StoredEvent> {
  switch (event.type) {
    case "command_ran": {
      const command = cutText(await text(cutText(event.command, LONGEST_SEARCHED)), LONGEST_COMMAND);
      return command === event.command ? event : { ...event, command, abridged: true };
    }
    case "task_started":
    case "hook_finished":
      return { ...event, command: await text(event.command ?? "") };
    case "file_written":
    case "file_removed":
      return { ...event, cause: await text(event.cause ?? "") };
    case "tool_finished":
      return { ...event, paths: await Promise.all((event.paths ?? []).map(path)) };
    case "file_read":
      return { ...event, path: await path(event.path) };
    default:
      return event;
  }
}

/** Reminders show absolute paths: the agent's tools may run in another directory. */
function wholePaths(event: StoredEvent, { home, cwd }: Engine): StoredEvent {
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

function withPlanPath(event: StoredEvent, { settings, journal, cwd, home, id }: Engine): StoredEvent {
  if (event.type !== "mode_changed" || event.mode !== "plan" || event.planFilePath !== undefined)
    return event;
  const planFilePath = defaultPlanPath(fromHome(settings.plan_dir, home), id, cwd);
  if (planFilePath === undefined || journal.state.facts.mode.planFilePath !== undefined) return event;
  return { ...event, planFilePath };
}

function withTaskList(event: StoredEvent, { settings }: Engine): StoredEvent {
  if (event.type !== "mode_changed" || event.team === undefined || event.team.taskListPath !== undefined)
    return event;
  const directory = settings.task_dir.replace(/\/+$/u, "");
  const { name } = event.team;
  return directory === "" ? event : { ...event, team: { name, taskListPath: `${directory}/${name}/` } };
}

/** Contents go into blobs, so that entries and snapshots stay small. Unchecked content is not kept. */
async function withBlobs(event: StoredEvent, { store, platform }: Engine): Promise<StoredEvent> {
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
