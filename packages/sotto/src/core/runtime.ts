// A session at work: its log opened on first use, events appended in order, settings kept in force.

import { type Agent, createVocabulary } from "./agent.ts";
import type { Attachment } from "./attachment.ts";
import { completeEvent } from "./complete-event.ts";
import { resolveSettings, type Settings } from "./config.ts";
import { type AmbientConfig, type ConfigFiles, type ConfigTable, settingsFrom } from "./config-layers.ts";
import { createRestBook, type SessionContext, wantedFacts } from "./context.ts";
import { SottoError } from "./errors.ts";
import { parseEvent, type SessionEvent } from "./events.ts";
import { openJournal, stamp } from "./journal.ts";
import type { NewEntry, Store } from "./log.ts";
import { createObserver } from "./observe.ts";
import type { SessionOptions } from "./options.ts";
import { absolutePath } from "./path.ts";
import type { Platform } from "./platform.ts";
import type { Problem } from "./problem.ts";
import { createSerial, type Serial } from "./serial.ts";
import type { Source, SourceSession } from "./source.ts";
import { createTagBook, newNames } from "./tags.ts";
import type { TypeTemplate } from "./type-templates.ts";

/** What a session is built from, besides the host's options. */
export interface SessionParts {
  platform: Platform;
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
  ): Promise<ReadonlyMap<string, TypeTemplate>>;
  /** The host's own sources belong to another session, which closes them. */
  borrows?: boolean;
  /** What a new log of this session begins with: how it came to be, and what it takes over. */
  beginning?: { reason: "startup" | "fork"; events(): Promise<SessionEvent[]> };
}

export interface Runtime {
  id: string;
  cwd: string;
  agent: Agent;
  platform: Platform;
  catalogue: readonly Attachment[];
  settings(): Settings;
  /** What config files say is on its way; nothing once it is known. */
  configured(): Promise<unknown> | undefined;
  /** What a person should mend, as far as it is known. */
  problems(): readonly Problem[];
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
  append(event: SessionEvent): Promise<void>;
  /** What sources found out: complete as it is. */
  appendFound(events: readonly SessionEvent[]): Promise<void>;
  /** Kept and tried again before the next turn. */
  later(run: () => Promise<void>): void;
  close(): Promise<void>;
}

export function createRuntime(parts: SessionParts, options: SessionOptions): Runtime {
  const { platform } = parts;
  const catalogue = [...parts.catalogue, ...(options.attachments ?? [])];
  // A host's own source takes the place of a built-in one.
  const own = new Set(options.sources?.map(({ fact }) => fact));
  const builtIn = parts.sources(options).filter(({ fact }) => !own.has(fact));
  const sources = [...builtIn, ...(options.sources ?? [])];
  const serial = createSerial();
  // Alone first: what is wrong with it is the host's to hear, at once.
  resolveSettings(options.defaults, catalogue);
  resolveSettings(options.config, catalogue);
  const { environment = { config: {}, problems: [] } } = parts.ambient ?? {};
  let files: ConfigFiles | undefined;
  let changed: ConfigTable = {};
  const inForce = () =>
    settingsFrom(
      { defaults: options.defaults, files, host: options.config, environment: environment.config, changed },
      catalogue,
    );
  let settings = inForce();
  /** A change in the log that no longer fits is left out. */
  const settle = (next: ConfigTable) => {
    const before = changed;
    try {
      changed = next;
      settings = inForce();
    } catch {
      changed = before;
    }
  };
  let reading: Promise<unknown> | undefined;
  const configured = () => {
    if (files !== undefined || parts.ambient === undefined) return undefined;
    reading ??= parts.ambient.files().then((found) => {
      files = found;
      settle(changed);
    });
    return reading;
  };
  let opening: Promise<SessionContext> | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let unsettled: (() => Promise<void>)[] = [];
  const wantedSources = () => {
    const wanted = wantedFacts({ catalogue, settings, agent: options.agent });
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

  const runtime: Runtime = {
    id: options.id ?? platform.uuid(),
    cwd: absolutePath(options.cwd, "/"),
    agent: options.agent,
    platform,
    catalogue,
    settings: () => settings,
    configured,
    problems: () => [...environment.problems, ...(files?.problems ?? [])],
    serial,
    open() {
      const configuration = Promise.resolve(configured());
      opening ??= configuration
        .then(() => openContext(runtime, { parts, options, sources }))
        .then(
          async (context) => {
            settle(context.journal.state.config);
            await noteTags(context);
            startWanted();
            return context;
          },
          (error: unknown) => {
            // Another try may find the file unlocked or the disk mended.
            opening = undefined;
            throw error;
          },
        );
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
      if (context.journal.state.config !== changed) settle(context.journal.state.config);
      return context;
    },
    append(event) {
      const waiting = configured();
      const prepared = () => prepare(event, wantedSources());
      const complete = waiting === undefined ? prepared() : waiting.then(prepared);
      const done = appendEvents(runtime, async () => [await complete]).then(async (context) => {
        if (event.type === "config_changed") {
          settle(context.journal.state.config);
          await noteTags(context);
          startWanted();
        }
        const whole = await complete;
        for (const source of wantedSources()) notify(source, whole);
      });
      writing = Promise.allSettled([writing, done]);
      return done;
    },
    async appendFound(events) {
      if (events.length === 0) return;
      await appendEvents(runtime, async () => events);
      for (const source of wantedSources()) for (const event of events) notify(source, event);
    },
    later: (run) => unsettled.push(run),
    async close() {
      await writing;
      const context = await opening?.catch(() => undefined);
      if (context !== undefined) await closeAll(parts.borrows ? builtIn : sources);
    },
  };
  const sourceSession: SourceSession = {
    id: runtime.id,
    cwd: runtime.cwd,
    settings: () => settings,
    record(events) {
      const done = Promise.resolve().then(() => runtime.appendFound(events.map(parseEvent)));
      writing = Promise.allSettled([writing, done]);
      return done;
    },
  };
  return runtime;
}

async function openContext(
  runtime: Runtime,
  { parts, options, sources }: { parts: SessionParts; options: SessionOptions; sources: readonly Source[] },
): Promise<SessionContext> {
  const { id, cwd, agent, platform, catalogue } = runtime;
  const journal = await openJournal(parts.store, id);
  const tagsOf = createTagBook();
  const names = options.tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
  const context: SessionContext = {
    id,
    cwd,
    agent,
    platform,
    store: parts.store,
    journal,
    catalogue,
    get settings() {
      return runtime.settings();
    },
    vocabulary: createVocabulary(agent.definition?.tools ?? names),
    get tags() {
      return tagsOf(runtime.settings().tags, journal.state.tagNames);
    },
    templates: await templatesFor(runtime, { parts, options }),
    observer: createObserver(sources, platform),
    servers: () => sources.flatMap((source) => source.servers?.() ?? []),
    rests: createRestBook(),
    owner: `${platform.owner}${platform.uuid()}`,
    handed: new Map(),
  };
  const isNew = !journal.state.started;
  const events = isNew ? ((await parts.beginning?.events()) ?? []) : [];
  const reason = parts.beginning?.reason === "fork" ? "fork" : isNew ? "startup" : "resume";
  await appendEntries(context, [{ type: "session_started", reason }, ...events]);
  return context;
}

/** What cannot be read now is not used. */
async function templatesFor(
  { settings, catalogue }: Runtime,
  { parts, options }: { parts: SessionParts; options: SessionOptions },
): Promise<ReadonlyMap<string, TypeTemplate>> {
  if (!settings().enabled) return new Map();
  return (await parts.templates?.(options, catalogue).catch(() => undefined)) ?? new Map();
}

async function appendEvents(
  runtime: Runtime,
  events: () => Promise<readonly SessionEvent[]>,
): Promise<SessionContext> {
  const context = await runtime.open();
  await runtime.serial(async () => {
    const complete: SessionEvent[] = [];
    for (const event of await events()) {
      await checkRewind(event, context);
      complete.push(await completeEvent(event, context));
    }
    await appendEntries(context, complete);
  });
  return context;
}

/** Begun at once, while things are as the host saw them. A source that fails leaves the event as it is. */
async function prepare(event: SessionEvent, sources: readonly Source[]): Promise<SessionEvent> {
  let complete = event;
  for (const source of sources)
    if (source.prepare !== undefined) complete = await source.prepare(complete).catch(() => complete);
  return complete;
}

async function closeAll(sources: readonly Source[]): Promise<void> {
  await Promise.allSettled(sources.map(async (source) => source.close?.()));
}

async function appendEntries(
  { journal, platform, owner }: SessionContext,
  events: readonly SessionEvent[],
): Promise<void> {
  const at = new Date(platform.now()).toISOString();
  const entries = events.map((event): NewEntry => stamp(at, { kind: "event" as const, owner, event }));
  await journal.append({ entries });
}

/** Before anything bears a new name the log knows it, so that it stays recognised whatever config says later. */
async function noteTags(context: SessionContext): Promise<void> {
  const names = newNames(context.settings.tags, context.journal.state.tagNames);
  if (names.length > 0) await appendEntries(context, [{ type: "tags_named", names }]);
}

/** Nobody waits for a source that listens, and nobody suffers when it cannot. */
function start(source: Source, session: SourceSession): void {
  void Promise.resolve()
    .then(() => source.start?.(session))
    .catch(() => undefined);
}

/** Looking ahead is a courtesy: what goes wrong there the turn finds out, and traces, when it asks. */
function notify(source: Source, event: SessionEvent): void {
  if (source.notice === undefined) return;
  void Promise.resolve()
    .then(() => source.notice?.(event))
    .catch(() => undefined);
}

async function checkRewind(event: SessionEvent, { journal }: SessionContext): Promise<void> {
  if (event.type !== "rewound" || event.toTurn <= journal.state.turn) return;
  // Another process may have taken that turn.
  await journal.refresh();
  if (event.toTurn <= journal.state.turn) return;
  throw new SottoError(
    "invalid_event",
    `rewound.toTurn: ${event.toTurn} is past the last turn, ${journal.state.turn}`,
  );
}
