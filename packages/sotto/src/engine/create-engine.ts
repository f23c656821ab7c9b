// Creates the engine of a session: opens its log on first use, records events in order, keeps its settings current.

import type { Config } from "../config/config.ts";
import { mergeConfig } from "../config/schema.ts";
import type { StoredEvent } from "../facts/events.ts";
import { parseEvent, parseSourceEvent } from "../facts/parse-event.ts";
import { toProblem } from "../facts/user-reminders.ts";
import { createRecall } from "../history/recall.ts";
import { type Journal, openJournal } from "../log/journal.ts";
import { errorText, type Problem, problemText } from "../platform/errors.ts";
import { absolutePath } from "../platform/paths.ts";
import { copyOf } from "../platform/plain-data.ts";
import { createSerial } from "../platform/serial.ts";
import { createAgentTools } from "../profiles/agent-tools.ts";
import { createSeenCalls } from "../profiles/observe-calls.ts";
import { doneByAgent, profileDefaults } from "../profiles/profile-defaults.ts";
import { createTagCache } from "../render/tags.ts";
import type { Source, SourceSession } from "../sources/source.ts";
import { createObserver } from "./ask-sources.ts";
import { lookAtFiles, marksCommand } from "./between-turns.ts";
import { checkOwnTypes, checkSources } from "./check-parts.ts";
import type { Engine, SessionParts } from "./engine.ts";
import { createLiveSettings } from "./live-settings.ts";
import { createNeutralResults } from "./neutral-results.ts";
import { wantedFacts } from "./observe.ts";
import type { EngineOptions } from "./options.ts";
import { createQuietTypes } from "./quiet-types.ts";
import { appendEvents, noteTags, prepareEvent, writeEvents } from "./record.ts";
import { createRests } from "./rests.ts";
import { createSiblingAgents, type Member } from "./sibling-agents.ts";

const NO_NAMES: readonly string[] = [];

export function createEngine(parts: SessionParts, options: EngineOptions): Engine {
  const { platform, store } = parts;
  const id = options.id ?? platform.uuid();
  const { agent, profile } = options;
  checkOwnTypes(options.attachments ?? [], parts.catalogue);
  const catalogue = [...parts.catalogue, ...(options.attachments ?? [])];
  const { sources, ownedSources } = sourcesOf(parts, options);
  const settings = createLiveSettings(
    parts.ambient,
    { defaults: defaultsOf(options), config: options.config },
    catalogue,
  );
  const tagsOf = createTagCache();
  const tools = createAgentTools({ ...options, agents: options.mentions?.agents });
  const serial = createSerial();
  const problems = createProblemList();
  const started = new Set<Source>();
  let templates: Engine["templates"] = new Map();
  let journal: Journal | undefined;
  let opening: Promise<Engine> | undefined;
  let isOpened = false;
  let writing: Promise<unknown> = Promise.resolve();
  let unsettled: (() => Promise<void>)[] = [];

  const engine: Engine = {
    id,
    cwd: absolutePath(options.cwd, "/"),
    home: options.home ?? "",
    agent,
    platform,
    telemetry: parts.telemetry,
    store,
    family: parts.family ?? createSiblingAgents(platform.now),

    catalogue,
    get settings() {
      return settings.now();
    },
    configured: settings.configured,
    get tags() {
      return tagsOf(settings.now().tags, journal?.state.tagNames ?? NO_NAMES);
    },
    get templates() {
      return templates;
    },

    open() {
      opening ??= openFully().catch((error: unknown) => {
        // Another try may find the file unlocked or the disk repaired.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    isOpen: () => opening !== undefined,
    async warm() {
      await engine.open();
      await Promise.allSettled(wantedSources().map(async (source) => source.warm?.()));
    },
    async ready() {
      await writing;
      await engine.open();
      const again = unsettled;
      unsettled = [];
      for (const run of again) await run().catch(() => unsettled.push(run));
      // Sources compare the world with what the log says, including what other processes wrote.
      engine.unread = await engine.journal.refresh().then(() => undefined, errorText);
      // One of them may have changed the config, as `sotto mute` does.
      settings.settle(engine.journal.state.config);
      return engine;
    },
    get journal() {
      if (journal === undefined) throw new Error("the log is not open yet");
      return journal;
    },
    record(events, from) {
      if (from === "source" || from === "engine")
        return recordFound(problems.sound(events, from === "source" ? parseSourceEvent : parseEvent));
      const sound = from === "host" ? events : problems.sound(events, parseEvent);
      return Promise.all(sound.map(recordReported)).then(() => undefined);
    },
    recorded: () => writing,
    serial,
    later: (run) => unsettled.push(run),
    keepWords: parts.keepWords?.bind(parts, id),
    redact: parts.redact,

    profile,
    tools,
    vocabulary: tools.wordsFor(undefined, new Set()),
    calls: createSeenCalls(platform.hash),
    doneByAgent: doneByAgent(profile, catalogue),
    neutralResults: options.trust?.neutraliseToolResults
      ? createNeutralResults(() => engine.tags.neutraliser)
      : (_dialect, body) => body,

    recall: createRecall(),
    observer: createObserver(sources, platform, options.sources),
    servers: () => sources.flatMap((source) => source.servers?.() ?? []),
    quiet: createQuietTypes(parts.catalogue),
    rests: createRests(),
    aside: new Map(),

    owner: `${platform.owner}${platform.uuid()}`,
    unread: undefined,
    turnsAsked: 0,
    held: new Map(),

    problems: () =>
      copyOf([
        ...settings.problems(),
        ...problems.all(),
        ...sources.flatMap((source) => source.problems?.() ?? []),
        ...(store.repairs?.() ?? []).map((problem) => ({ where: "the store", problem })),
        ...(journal?.damaged ?? []).map(({ seq, problem }) => ({
          where: `entry ${seq} of the log`,
          problem,
        })),
      ]),
    isClosed: false,
    async close() {
      engine.family.leave(member);
      await writing;
      const opened = await opening?.catch(() => undefined);
      if (opened !== undefined)
        await Promise.allSettled(ownedSources.map(async (source) => source.close?.()));
    },
  };

  async function openFully(): Promise<Engine> {
    await settings.configured();
    journal = await openJournal(store, engine.id, { joins: options.shortLived, hash: platform.hash });
    if (settings.now().enabled) templates = await loadTemplates();
    await recordStart(journal.state.started);
    isOpened = true;
    settings.settle(journal.state.config);
    await noteTags(engine);
    startWanted();
    return engine;
  }

  /** Templates that cannot be read now are not used. */
  async function loadTemplates(): Promise<Engine["templates"]> {
    const loaded = await parts.templates?.(options, catalogue).catch(() => undefined);
    for (const problem of loaded?.problems ?? []) problems.note(toProblem(problem));
    return loaded?.byType ?? new Map();
  }

  async function recordStart(isResumed: boolean): Promise<void> {
    if (isResumed && options.shortLived) return;
    const { from, reason: how } = parts.beginning ?? {};
    const reason = how === "fork" ? "fork" : isResumed ? "resume" : "startup";
    const origin = from === undefined ? {} : { from };
    const inherited = isResumed ? [] : ((await parts.beginning?.events()) ?? []);
    await appendEvents(engine, [
      { type: "session_started", reason, cwd: engine.cwd, ...origin },
      ...inherited,
    ]);
  }

  function wantedSources(): Source[] {
    const wanted = wantedFacts(engine);
    return sources.filter((source) => wanted.has(source.fact));
  }

  function startWanted(): void {
    for (const source of wantedSources()) {
      if (started.has(source) || !ownedSources.includes(source)) continue;
      started.add(source);
      // Nobody waits for a source that listens, and its failure stops nothing.
      void Promise.resolve()
        .then(() => source.start?.(sourceSession))
        .catch(() => undefined);
    }
  }

  async function write(events: () => Promise<readonly StoredEvent[]>): Promise<void> {
    await engine.open();
    await serial(async () => writeEvents(engine, await events()));
  }

  /** In the order of the calls, and prepared at once, while files are as the host saw them. */
  function keep(event: StoredEvent): Promise<StoredEvent> {
    const waiting = settings.configured();
    const prepare = () => prepareEvent(event, wantedSources());
    const prepared = waiting === undefined ? prepare() : waiting.then(prepare);
    const done = write(async () => [await prepared]).then(async () => {
      if (event.type === "config_changed") {
        settings.settle(engine.journal.state.config);
        await noteTags(engine);
        startWanted();
      }
      const complete = await prepared;
      for (const source of wantedSources()) notify(source, complete);
      if (marksCommand(complete)) await lookAtFiles(engine);
      return complete;
    });
    writing = Promise.allSettled([writing, done]);
    return done;
  }

  function recordReported(event: StoredEvent): Promise<void> {
    const done = keep(event).then((complete) => engine.family.tell(member, complete));
    writing = Promise.allSettled([writing, done]);
    return done;
  }

  async function recordFound(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await write(async () => events);
    for (const source of wantedSources()) for (const event of events) notify(source, event);
  }

  const member: Member = {
    agent,
    id,
    isOpen: () => isOpened,
    hear: async (event) => void (await keep(event)),
  };
  engine.family.join(member);

  const sourceSession: SourceSession = {
    id,
    cwd: engine.cwd,
    settings: settings.now,
    record(events) {
      const done = Promise.resolve().then(async () => {
        await engine.record(events, "source");
        // The good ones are kept; the source that recorded a malformed one gets the error.
        events.forEach(parseSourceEvent);
      });
      writing = Promise.allSettled([writing, done]);
      return done;
    },
  };
  return engine;
}

/** A host's own source replaces a built-in one. `ownedSources`: those that this session starts and closes. */
function sourcesOf(parts: SessionParts, options: EngineOptions) {
  const given = options.sources ?? [];
  const facts = new Set(given.map(({ fact }) => fact));
  const builtIn = parts.sources(options).filter(({ fact }) => !facts.has(fact));
  const sources = [...builtIn, ...given];
  checkSources(given, builtIn);
  return { sources, ownedSources: parts.borrows ? builtIn : sources };
}

/** From weakest to strongest: what the profile says, the host's defaults, its preset. */
function defaultsOf(options: EngineOptions): Config | undefined {
  const { profile, preset, configFiles } = options;
  const given = [
    profile && profileDefaults(profile),
    configFiles?.defaults,
    preset === undefined ? undefined : { preset },
  ];
  const [first, ...rest] = given.filter((layer) => layer !== undefined);
  return first === undefined ? undefined : (rest.reduce(mergeConfig, first) as Config);
}

/** A chance to look ahead: a turn finds and traces what goes wrong here when it asks. */
function notify(source: Source, event: StoredEvent): void {
  if (source.notice === undefined) return;
  void Promise.resolve()
    .then(() => source.notice?.(event))
    .catch(() => undefined);
}

const MOST_PROBLEMS = 50;

/** Problems that come up while a session is open: each once, and a limited number. */
function createProblemList() {
  const problems = new Map<string, Problem>();
  const note = (problem: Problem) => {
    if (problems.size < MOST_PROBLEMS) problems.set(problemText(problem), problem);
  };
  return {
    all: () => [...problems.values()],
    note,
    /** The events that are well-formed; the others are noted. */
    sound: (events: readonly StoredEvent[], parse: (event: unknown) => StoredEvent): StoredEvent[] =>
      events.flatMap((event) => {
        try {
          return [parse(event)];
        } catch (error) {
          note({ where: "an event that was found", problem: errorText(error) });
          return [];
        }
      }),
  };
}
