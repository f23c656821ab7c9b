// A session at work: its log opened on first use, events appended in order, settings kept in force.

import type { Attachment } from "../attachments/attachment.ts";
import type { AmbientConfig } from "../config/layers.ts";
import { type Config, mergeConfig, type Settings } from "../config/schema.ts";
import type { Agent } from "../facts/agent.ts";
import type { StoredEvent } from "../facts/events.ts";
import { parseEvent } from "../facts/parse-event.ts";
import { type ReminderProblem, toProblem } from "../facts/user-reminders.ts";
import type { Store } from "../log/entries.ts";
import { openJournal } from "../log/journal.ts";
import { errorText, type Problem, problemText } from "../platform/errors.ts";
import { absolutePath } from "../platform/paths.ts";
import type { Platform } from "../platform/platform.ts";
import { createSerial, type Serial } from "../platform/serial.ts";
import { createAgentTools } from "../profiles/agent-tools.ts";
import { createSeenCalls } from "../profiles/observe-calls.ts";
import { doneByAgent, profileDefaults } from "../profiles/profile.ts";
import { createTagCache, type Tags } from "../render/tags.ts";
import type { TypeTemplate } from "../render/template/apply-template.ts";
import type { Source, SourceSession } from "../sources/source.ts";
import { lookAtFiles, partsTheTimes } from "./between-turns.ts";
import { createCooldowns, type SessionContext, wantedFacts } from "./context.ts";
import { createLiveSettings } from "./live-settings.ts";
import { createObserver } from "./observe.ts";
import type { SessionOptions } from "./options.ts";
import { appendEntries, noteTags, prepareEvent, writeEvents } from "./record-events.ts";
import { createSiblingAgents, type Member, type SiblingAgents } from "./sibling-agents.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a session is built from, besides the host's options. */
export interface SessionParts {
  platform: Platform;
  /** Where turns are reported; nowhere unless given. */
  telemetry?: Telemetry | undefined;
  catalogue: readonly Attachment[];
  /** The built-in sources, made anew for each session. */
  sources(options: SessionOptions): readonly Source[];
  store: Store;
  /** What speaks besides the host's config; nothing: the host alone. */
  ambient?: AmbientConfig;
  /** The user's own texts, by type: read when the session opens. */
  templates?(
    options: SessionOptions,
    catalogue: readonly Attachment[],
  ): Promise<{ byType: ReadonlyMap<string, TypeTemplate>; problems: readonly ReminderProblem[] }>;
  /** Keeps a text of a session that is too long to be sent in a file, and gives its path. */
  keepWords?(sessionId: string, text: string): Promise<string>;
  /** A text without secrets, before it is kept; as it is unless given. */
  redact?(text: string): Promise<string>;
  /** The host's own sources belong to another session, which closes them. */
  borrows?: boolean;
  /** The agents that work together in this process, where there are several. */
  family?: SiblingAgents;
  /** What a new log of this session begins with: how it came to be, and what it takes over. */
  beginning?: { reason: "startup" | "fork"; from?: string; events(): Promise<StoredEvent[]> };
}

export interface Runtime {
  id: string;
  cwd: string;
  agent: Agent;
  platform: Platform;
  telemetry: Telemetry | undefined;
  family: SiblingAgents;
  catalogue: readonly Attachment[];
  settings(): Settings;
  /** What config files say is on its way; nothing once it is known. */
  configured(): Promise<unknown> | undefined;
  /** What a person should mend, as far as it is known. */
  problems(): readonly Problem[];
  /** Keeps what a person should mend. */
  note(problem: Problem): void;
  /** As the log has them; before it is open, as config has them. */
  tags(): Tags;
  serial: Serial;
  open(): Promise<SessionContext>;
  /** The log open, and the sources that turns will ask ready. */
  warm(): Promise<void>;
  /** Whether anything was asked of the log yet. */
  isOpen(): boolean;
  /** Once every earlier record is durable or has failed. */
  recorded(): Promise<unknown>;
  /** The context, after that, with all that others have recorded. */
  ready(): Promise<SessionContext>;
  append(event: StoredEvent): Promise<void>;
  /** What a history tells of tools: as if the host had recorded it. What cannot be kept becomes a problem. */
  appendSeen(event: StoredEvent): Promise<void>;
  /** What sources found out: complete as it is. What cannot be kept becomes a problem. */
  appendFound(events: readonly StoredEvent[]): Promise<void>;
  /** Kept and tried again before the next turn. */
  later(run: () => Promise<void>): void;
  close(): Promise<void>;
}

const NO_NAMES: readonly string[] = [];
type Keep = NonNullable<SessionParts["keepWords"]>;

export function createRuntime(parts: SessionParts, options: SessionOptions): Runtime {
  const { platform } = parts;
  const catalogue = [...parts.catalogue, ...(options.attachments ?? [])];
  // A host's own source takes the place of a built-in one.
  const own = new Set(options.sources?.map(({ fact }) => fact));
  const builtIn = parts.sources(options).filter(({ fact }) => !own.has(fact));
  const sources = [...builtIn, ...(options.sources ?? [])];
  const serial = createSerial();
  const problems = createProblemBook();
  const settings = createLiveSettings(parts.ambient, withDefaults(options), catalogue);
  const configuredTags = createTagCache();
  const family = parts.family ?? createSiblingAgents(platform.now);
  let opening: Promise<SessionContext> | undefined;
  let opened: SessionContext | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let unsettled: (() => Promise<void>)[] = [];
  const wantedSources = () => {
    const wanted = wantedFacts({ catalogue, settings: settings.now(), agent: options.agent });
    return sources.filter((source) => wanted.has(source.fact));
  };
  const started = new Set<Source>();
  const startWanted = () => {
    const owned = parts.borrows ? builtIn : sources;
    for (const source of wantedSources()) {
      if (started.has(source) || !owned.includes(source)) continue;
      started.add(source);
      start(source, sourceSession);
    }
  };

  const openFully = async (): Promise<SessionContext> => {
    await settings.configured();
    const context = await openContext(runtime, { parts, options, sources });
    opened = context;
    settings.settle(context.journal.state.config);
    await noteTags(context);
    startWanted();
    return context;
  };
  const write = async (events: () => Promise<readonly StoredEvent[]>): Promise<SessionContext> => {
    const context = await runtime.open();
    await serial(async () => writeEvents(context, await events()));
    return context;
  };

  /** In the order of the calls, prepared at once, while things are as the host saw them. */
  const keep = (event: StoredEvent): Promise<StoredEvent> => {
    const waiting = settings.configured();
    const prepared = () => prepareEvent(event, wantedSources());
    const complete = waiting === undefined ? prepared() : waiting.then(prepared);
    const done = write(async () => [await complete]).then(async (context) => {
      if (event.type === "config_changed") {
        settings.settle(context.journal.state.config);
        await noteTags(context);
        startWanted();
      }
      const whole = await complete;
      for (const source of wantedSources()) notify(source, whole);
      if (partsTheTimes(whole)) await lookAtFiles(context, runtime.appendFound);
      return whole;
    });
    writing = Promise.allSettled([writing, done]);
    return done;
  };

  const runtime: Runtime = {
    id: options.id ?? platform.uuid(),
    cwd: absolutePath(options.cwd, "/"),
    agent: options.agent,
    platform,
    telemetry: parts.telemetry,
    family,
    catalogue,
    settings: settings.now,
    configured: settings.configured,
    problems: () => [
      ...settings.problems(),
      ...problems.all(),
      ...sources.flatMap((source) => source.problems?.() ?? []),
      ...(parts.store.repairs?.() ?? []).map((problem) => ({ where: "the store", problem })),
      ...(opened?.journal.damaged ?? []).map(({ seq, problem }) => ({
        where: `entry ${seq} of the log`,
        problem,
      })),
    ],
    note: problems.note,
    tags: () => opened?.tags ?? configuredTags(settings.now().tags, NO_NAMES),
    serial,
    open() {
      opening ??= openFully().catch((error: unknown) => {
        // Another try may find the file unlocked or the disk mended.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async warm() {
      await runtime.open();
      await Promise.allSettled(wantedSources().map(async (source) => source.warm?.()));
    },
    isOpen: () => opening !== undefined,
    recorded: () => writing,
    async ready() {
      await writing;
      const context = await runtime.open();
      const again = unsettled;
      unsettled = [];
      for (const run of again) await run().catch(() => unsettled.push(run));
      // What other processes have recorded since: sources compare the world with what the log says.
      await context.journal.refresh().catch(() => undefined);
      // One of them may have changed the config, as `sotto mute` does.
      settings.settle(context.journal.state.config);
      return context;
    },
    append(event) {
      const done = keep(event).then((whole) => family.tell(member, whole));
      writing = Promise.allSettled([writing, done]);
      return done;
    },
    async appendSeen(event) {
      await Promise.all(problems.sound([event]).map(runtime.append));
    },
    async appendFound(found) {
      const events = problems.sound(found);
      if (events.length === 0) return;
      await write(async () => events);
      for (const source of wantedSources()) for (const event of events) notify(source, event);
    },
    later: (run) => unsettled.push(run),
    async close() {
      family.leave(member);
      await writing;
      const context = await opening?.catch(() => undefined);
      if (context !== undefined) await closeAll(parts.borrows ? builtIn : sources);
    },
  };
  const member: Member = {
    agent: options.agent,
    id: runtime.id,
    isOpen: () => opened !== undefined,
    hear: async (event) => void (await keep(event)),
  };
  family.join(member);
  const sourceSession: SourceSession = {
    id: runtime.id,
    cwd: runtime.cwd,
    settings: settings.now,
    record(events) {
      const done = Promise.resolve().then(async () => {
        await runtime.appendFound(events);
        // The others are kept; whoever recorded a wrong one hears of it.
        events.forEach(parseEvent);
      });
      writing = Promise.allSettled([writing, done]);
      return done;
    },
  };
  return runtime;
}

/** A profile and a preset are the host's word; its own defaults go before what the profile says. */
function withDefaults(options: SessionOptions): SessionOptions {
  const { profile, preset, defaults } = options;
  const given = [
    profile && profileDefaults(profile),
    defaults,
    preset === undefined ? undefined : { preset },
  ];
  const [first, ...rest] = given.filter((layer) => layer !== undefined);
  return first === undefined ? options : { ...options, defaults: rest.reduce(mergeConfig, first) as Config };
}

async function openContext(
  runtime: Runtime,
  { parts, options, sources }: { parts: SessionParts; options: SessionOptions; sources: readonly Source[] },
): Promise<SessionContext> {
  const { id, cwd, agent, platform, catalogue } = runtime;
  const journal = await openJournal(parts.store, id, { joins: options.joins, hash: platform.hash });
  const tagsOf = createTagCache();
  const tools = createAgentTools({ ...options, agent });
  const context: SessionContext = {
    id,
    cwd,
    home: options.home ?? "",
    agent,
    platform,
    store: parts.store,
    redact: parts.redact,
    keepWords: parts.keepWords && ((text) => (parts.keepWords as Keep)(id, text)),
    journal,
    catalogue,
    get settings() {
      return runtime.settings();
    },
    vocabulary: tools.wordsFor(undefined, new Set()),
    tools,
    get tags() {
      return tagsOf(runtime.settings().tags, journal.state.tagNames);
    },
    templates: await templatesFor(runtime, { parts, options }),
    observer: createObserver(sources, platform),
    servers: () => sources.flatMap((source) => source.servers?.() ?? []),
    rests: createCooldowns(),
    aside: new Map(),
    owner: `${platform.owner}${platform.uuid()}`,
    handed: new Map(),
    calls: createSeenCalls(platform.hash),
    doneByAgent: doneByAgent(options.profile, catalogue),
  };
  const isNew = !journal.state.started;
  const events = isNew ? ((await parts.beginning?.events()) ?? []) : [];
  const reason = parts.beginning?.reason === "fork" ? "fork" : isNew ? "startup" : "resume";
  if (isNew || !options.joins) {
    const { from } = parts.beginning ?? {};
    const origin = from === undefined ? {} : { from };
    const started: StoredEvent = { type: "session_started", reason, cwd: runtime.cwd, ...origin };
    await appendEntries(context, [started, ...events]);
  }
  return context;
}

/** What cannot be read now is not used. */
async function templatesFor(
  { settings, catalogue, note }: Runtime,
  { parts, options }: { parts: SessionParts; options: SessionOptions },
): Promise<ReadonlyMap<string, TypeTemplate>> {
  if (!settings().enabled) return new Map();
  const loaded = await parts.templates?.(options, catalogue).catch(() => undefined);
  for (const problem of loaded?.problems ?? []) note(toProblem(problem));
  return loaded?.byType ?? new Map();
}

async function closeAll(sources: readonly Source[]): Promise<void> {
  await Promise.allSettled(sources.map(async (source) => source.close?.()));
}

/** Nobody waits for a source that listens, and nobody suffers when it cannot. */
function start(source: Source, session: SourceSession): void {
  void Promise.resolve()
    .then(() => source.start?.(session))
    .catch(() => undefined);
}

/** Looking ahead is a courtesy: what goes wrong there the turn finds out, and traces, when it asks. */
function notify(source: Source, event: StoredEvent): void {
  if (source.notice === undefined) return;
  void Promise.resolve()
    .then(() => source.notice?.(event))
    .catch(() => undefined);
}

// Problems that come up while a session lives, each once and not without end.

export interface ProblemBook {
  all(): readonly Problem[];
  note(problem: Problem): void;
  /** Those of the events that can be kept; one that cannot be is noted, and does not hold up the others. */
  sound(events: readonly StoredEvent[]): StoredEvent[];
}

const MOST = 50;

export function createProblemBook(): ProblemBook {
  const problems = new Map<string, Problem>();
  const note = (problem: Problem) => {
    if (problems.size < MOST) problems.set(problemText(problem), problem);
  };
  return {
    all: () => [...problems.values()],
    note,
    sound: (events) =>
      events.flatMap((event) => {
        try {
          return [parseEvent(event)];
        } catch (error) {
          note({ where: "an event that was found", problem: errorText(error) });
          return [];
        }
      }),
  };
}
