// Creates the engine of a session: opens its log on first use, records events in order, keeps its settings current.

import type { Attachment } from "../attachments/attachment.ts";
import type { Settings } from "../config/schema.ts";
import type { Agent, ToolNames } from "../facts/agent.ts";
import type { StoredEvent } from "../facts/events.ts";
import { parseEvent, parseSourceEvent } from "../facts/parse-event.ts";
import { toProblem } from "../facts/user-reminders.ts";
import type { History } from "../history/history.ts";
import { createRecall } from "../history/recall.ts";
import { answering } from "../log/answering-store.ts";
import type { Store } from "../log/entries.ts";
import { type Journal, openJournal } from "../log/journal.ts";
import { errorText, type Problem } from "../platform/errors.ts";
import { absolutePath } from "../platform/paths.ts";
import type { Platform } from "../platform/platform.ts";
import { Serial } from "../platform/serial.ts";
import { type AgentTools, createAgentTools } from "../profiles/agent-tools.ts";
import { createSeenCalls, type SeenCalls } from "../profiles/observe-calls.ts";
import { doneByAgent } from "../profiles/profile-defaults.ts";
import { TagCache, type Tags } from "../render/tags.ts";
import type { Source, SourceSession } from "../sources/source.ts";
import { createObserver, type Observer } from "./ask-sources.ts";
import { lookAtFiles, marksCommand } from "./between-turns.ts";
import { checkOwnTypes, sourcesOf } from "./check-parts.ts";
import { within } from "./deadline.ts";
import type { Engine, Origin, Reporter, SessionParts } from "./engine.ts";
import { type Idler, type IdleSweep, idleSweep } from "./idle.ts";
import { createLiveSettings, defaultsOf, type LiveSettings } from "./live-settings.ts";
import { createNeutralResults, type NeutralResults } from "./neutral-results.ts";
import { wantedFacts } from "./observe.ts";
import type { EngineOptions } from "./options.ts";
import { forOthers, ProblemList, repairsOf } from "./problem-list.ts";
import { createQuietTypes, type QuietTypes } from "./quiet-types.ts";
import { pause } from "./read-ahead.ts";
import { appendEvents, noteTags, notify, prepareEvent, writeEvents } from "./record.ts";
import { createRests } from "./rests.ts";
import { createSiblingAgents, type Member, type SiblingAgents } from "./sibling-agents.ts";

const NO_NAMES: readonly string[] = [];
const NO_PROBLEMS: readonly Problem[] = [];
const NO_PROBLEMS_IN_LOG: Journal["damaged"] = [];
const NO_TEMPLATES: Engine["templates"] = new Map();
const DONE = Promise.resolve();
const unchanged: NeutralResults = (_dialect, body) => body;

/** After so long a provider's prompt cache has been dropped, too. */
export const IDLE_AFTER_MS = 300_000;

// A store that has just failed may be back at once.
const CLOSING_TRIES = 3;
// More than the ten seconds that a source itself waits for what is still being read.
const PATIENCE_MS = 12_000;

const NOBODY: Origin = {};

export function createEngine(parts: SessionParts, options: EngineOptions, origin: Origin = NOBODY): Engine {
  return new SessionEngine(parts, options, origin);
}

// A class, as a server has thousands of them: methods are shared, and getters cost nothing.
class SessionEngine implements Engine, Idler, Member {
  readonly id: string;
  readonly cwd: string;
  readonly home: string;
  readonly agent: Agent;
  readonly platform: Platform;
  readonly telemetry: Engine["telemetry"];
  readonly store: Store;
  readonly family: SiblingAgents;
  readonly catalogue: readonly Attachment[];
  templates = NO_TEMPLATES;
  readonly profile: Engine["profile"];
  readonly tools: AgentTools;
  vocabulary: ToolNames;
  readonly calls: SeenCalls;
  readonly parent: Engine | undefined;
  readonly doneByAgent: Engine["doneByAgent"];
  readonly neutralResults: NeutralResults;
  recall = createRecall();
  history?: History | undefined;
  unwritten: Engine["unwritten"] = [];
  readonly observer: Observer;
  due?: Engine["due"];
  quiet: QuietTypes;
  readonly rests = createRests();
  aside: Engine["aside"] = undefined;
  readonly owner: string;
  unread: string | undefined = undefined;
  turnsAsked = 0;
  held: Engine["held"] = undefined;
  sending: Engine["sending"] = undefined;
  isClosed = false;

  readonly parts: SessionParts;
  readonly #options: EngineOptions;
  readonly #origin: Origin;
  readonly #sources: readonly Source[];
  /** Those that this session starts and closes. */
  readonly #ownedSources: readonly Source[];
  #started: Set<Source> | undefined;
  readonly #settings: LiveSettings;
  readonly #tags = new TagCache();
  readonly #serial = new Serial();
  readonly #problems = new ProblemList();
  readonly #sweep: IdleSweep | undefined;
  /** How many calls are under way. */
  #users = 0;
  #journal: Journal | undefined;
  #opening: Promise<Engine> | undefined;
  #isOpened = false;
  /** Records that are not written yet. */
  #writing: Set<Promise<unknown>> | undefined;
  #unsettled: (() => Promise<void>)[] = [];

  constructor(parts: SessionParts, options: EngineOptions, origin: Origin) {
    const { platform } = parts;
    const { agent, profile, attachments = [], idleAfterMs = IDLE_AFTER_MS } = options;
    this.parts = parts;
    this.#origin = origin;
    this.#options = options;
    this.platform = platform;
    this.id = options.id ?? platform.uuid();
    this.agent = agent;
    checkOwnTypes(attachments, parts.catalogue);
    this.catalogue = attachments.length === 0 ? parts.catalogue : [...parts.catalogue, ...attachments];
    this.#settings = createLiveSettings(
      parts.ambient,
      { defaults: defaultsOf(options), config: options.config, isOurs: options.isOurs ?? false },
      this.catalogue,
    );
    const { sources, ownedSources } = sourcesOf(parts, options, {
      borrows: origin.borrows,
      timeoutMs: () => this.settings.timeout_ms,
    });
    this.#sources = sources;
    this.#ownedSources = ownedSources;
    this.cwd = absolutePath(options.cwd, "/");
    this.home = options.home ?? "";
    this.telemetry = parts.telemetry;
    this.store = answering(parts.store, platform);
    this.family = origin.family ?? createSiblingAgents(platform.now);
    this.profile = profile;
    this.tools = createAgentTools({ ...options, agents: options.mentions?.agents });
    this.vocabulary = this.tools.wordsFor(undefined, new Set());
    this.calls = createSeenCalls(platform.hash);
    this.parent = origin.parent;
    this.doneByAgent = doneByAgent(profile, this.catalogue);
    this.neutralResults = options.trust?.neutraliseToolResults
      ? createNeutralResults(() => this.tags.neutraliser)
      : unchanged;
    this.observer = createObserver(sources, platform);
    this.quiet = createQuietTypes(parts.catalogue);
    // One text, not two that are kept with it: it stands in every entry.
    this.owner = [platform.owner, platform.uuid()].join("");
    this.#sweep = options.shortLived || idleAfterMs === 0 ? undefined : idleSweep(platform, idleAfterMs);
    this.family.join(this);
  }

  get settings(): Settings {
    return this.#settings.now();
  }

  configured(): Promise<unknown> | undefined {
    return this.#settings.configured();
  }

  get tags(): Tags {
    return this.#tags.tagsOf(this.settings.tags, this.#journal?.tagNames ?? NO_NAMES);
  }

  open(): Promise<Engine> {
    this.#opening ??= this.#openFully().catch((error: unknown) => {
      // Another try may find the file unlocked or the disk repaired.
      this.#opening = undefined;
      throw error;
    });
    const journal = this.#journal;
    return this.#isOpened && journal?.isAsleep ? journal.wake().then(() => this) : this.#opening;
  }

  isOpen(): boolean {
    return this.#opening !== undefined;
  }

  async warm(): Promise<void> {
    await this.open();
    await this.#callAll(this.#wantedSources(), "warm");
  }

  async ready(): Promise<Engine> {
    await this.recorded();
    const isRead = this.#isOpened && this.journal.isAsleep;
    await this.open();
    const again = this.#unsettled;
    this.#unsettled = [];
    for (const run of again) await run().catch(() => this.#unsettled.push(run));
    // Sources compare the world with what the log says, including what other processes wrote.
    this.unread = isRead ? undefined : await this.journal.refresh().then(() => undefined, errorText);
    // One of them may have changed the config, as `sotto mute` does.
    this.#settings.settle(this.journal.state.config);
    return this;
  }

  get journal(): Journal {
    if (this.#journal === undefined) throw new Error("the log is not open yet");
    return this.#journal;
  }

  record(events: readonly StoredEvent[], from: Reporter, once?: string): Promise<void> {
    if (once !== undefined) return this.#recordReported(events, once);
    if (from === "host")
      return Promise.all(events.map((event) => this.#recordReported([event]))).then(() => undefined);
    return this.#recordFound(this.#problems.sound(events, from === "source" ? parseSourceEvent : parseEvent));
  }

  recordTogether(events: readonly StoredEvent[]): Promise<void> {
    return this.#recordReported(events);
  }

  recordParts(parts: Iterable<readonly StoredEvent[]>): Promise<void> {
    const record = async () => {
      let isFirst = true;
      for (const part of parts) {
        if (!isFirst) await pause(this);
        isFirst = false;
        await this.#recordReported(this.#problems.sound(part, parseEvent));
      }
    };
    const done = record();
    this.#writes(done);
    return done;
  }

  recorded(): Promise<unknown> {
    return this.#writing?.size ? Promise.allSettled(this.#writing) : DONE;
  }

  serial<T>(run: () => Promise<T>): Promise<T> {
    return this.using(() =>
      this.#serial.run(async () => {
        if (this.#journal?.isAsleep) await this.#journal.wake();
        return run();
      }),
    );
  }

  later(run: () => Promise<void>): void {
    this.#unsettled.push(run);
  }

  servers(): readonly string[] {
    return this.#sources.flatMap((source) => source.servers?.() ?? []);
  }

  problems(): readonly Problem[] {
    const problems: Problem[] = [];
    const add = (more: readonly Problem[]) => {
      if (more.length > 0) problems.push(...more);
    };
    add(this.#settings.problems());
    add(this.#problems.all());
    for (const source of this.#sources) add(source.problems?.() ?? NO_PROBLEMS);
    add(repairsOf(this.store));
    for (const { seq, problem } of this.#journal?.damaged ?? NO_PROBLEMS_IN_LOG)
      problems.push({ where: `entry ${seq} of the log`, problem });
    return problems.length === 0 ? problems : forOthers(problems);
  }

  async close(): Promise<void> {
    this.#sweep?.stir(this);
    this.family.leave(this);
    await this.recorded();
    const opened = await this.#opening?.catch(() => undefined);
    if (opened === undefined) return;
    for (let tries = 0; tries < CLOSING_TRIES && !(await this.#settledAll()); tries++);
    // Opened again, it is read from here.
    if (!this.#options.shortLived && !this.journal.isAsleep) await this.journal.save();
    await this.#callAll(this.#ownedSources, "close");
  }

  /** One that fails or never ends holds nobody up. */
  async #callAll(sources: readonly Source[], method: "warm" | "sleep" | "close"): Promise<void> {
    const open = new Set(sources);
    const call = async (source: Source) => {
      try {
        await source[method]?.();
      } finally {
        open.delete(source);
      }
    };
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const cancel = this.platform.timer(PATIENCE_MS, () => resolve("late"));
    await within(late, Promise.allSettled(sources.map(call)));
    cancel();
    for (const { fact } of open)
      this.#problems.note({
        where: `the source of ${fact}`,
        problem: `its ${method} did not end within ${PATIENCE_MS / 1000} s`,
      });
  }

  /** Nobody else knows what this process did not send. */
  async #settledAll(): Promise<boolean> {
    const at = new Date(this.platform.now()).toISOString();
    return this.journal.settleDoubts(at).then(
      () => true,
      () => false,
    );
  }

  // Sleeping: what is in the log, on disk or in the next request is given back.

  async using<T>(run: () => Promise<T>): Promise<T> {
    if (this.#users++ === 0) this.#sweep?.stir(this);
    try {
      return await run();
    } finally {
      if (--this.#users === 0 && !this.isClosed) this.#sweep?.leave(this);
    }
  }

  async sleep(): Promise<void> {
    if (this.#users > 0 || !this.#isOpened || this.isClosed || this.journal.isAsleep) return;
    const isSaved = this.#unsettled.length === 0 && (await this.journal.save());
    if (this.#users > 0 || this.isClosed) return;
    if (!isSaved || this.#unsettled.length > 0 || !this.journal.forget()) {
      this.#sweep?.leave(this);
      return;
    }
    this.history = undefined;
    this.due = undefined;
    this.recall = createRecall();
    this.quiet = createQuietTypes(this.parts.catalogue);
    await this.#callAll(this.#ownedSources, "sleep");
  }

  async #openFully(): Promise<Engine> {
    const { shortLived } = this.#options;
    await this.#settings.configured();
    const journal = await openJournal(this.store, this.id, { joins: shortLived, hash: this.platform.hash });
    this.#journal = journal;
    if (this.settings.enabled) this.templates = await this.#loadTemplates();
    await this.#recordStart(journal.state.started);
    this.#isOpened = true;
    this.#settings.settle(journal.state.config);
    await noteTags(this);
    this.#startWanted();
    return this;
  }

  /** Templates that cannot be read now are not used. */
  async #loadTemplates(): Promise<Engine["templates"]> {
    const loaded = await this.parts
      .templates?.(this.catalogue, this.settings.timeout_ms)
      .catch(() => undefined);
    for (const problem of loaded?.problems ?? []) this.#problems.note(toProblem(problem));
    return loaded === undefined || loaded.byType.size === 0 ? NO_TEMPLATES : loaded.byType;
  }

  async #recordStart(isResumed: boolean): Promise<void> {
    if (isResumed && this.#options.shortLived) return;
    const { beginning } = this.#origin;
    const { from, reason: how } = beginning ?? {};
    const reason = how === "fork" ? "fork" : isResumed ? "resume" : "startup";
    const origin = from === undefined ? {} : { from };
    const inherited = isResumed ? [] : ((await beginning?.events()) ?? []);
    await appendEvents(this, [{ type: "session_started", reason, cwd: this.cwd, ...origin }, ...inherited]);
  }

  #wantedSources(): Source[] {
    const wanted = wantedFacts(this);
    return this.#sources.filter((source) => wanted.has(source.fact));
  }

  #startWanted(): void {
    for (const source of this.#wantedSources()) {
      if (source.start === undefined || this.#started?.has(source) || !this.#ownedSources.includes(source))
        continue;
      this.#started ??= new Set();
      this.#started.add(source);
      // Nobody waits for a source that listens, and its failure stops nothing.
      void Promise.resolve()
        .then(() => source.start?.(this.#sourceSession()))
        .catch(() => undefined);
    }
  }

  #sourceSession(): SourceSession {
    return {
      id: this.id,
      cwd: this.cwd,
      settings: () => this.settings,
      record: (events) => {
        const done = Promise.resolve().then(async () => {
          await this.record(events, "source");
          // The good ones are kept; the source that recorded a malformed one gets the error.
          events.forEach(parseSourceEvent);
        });
        this.#writes(done);
        return done;
      },
    };
  }

  /** Waited for before the next turn. */
  #writes(done: Promise<unknown>): void {
    this.#writing ??= new Set();
    const writing = this.#writing.add(done);
    const end = () => void writing.delete(done);
    done.then(end, end);
  }

  async #write(events: () => Promise<readonly StoredEvent[]>, once?: string): Promise<void> {
    await this.open();
    await this.serial(async () => writeEvents(this, await events(), once));
  }

  /** All of them or none. In the order of the calls, and prepared at once, while files are as the host saw them. */
  #keep(events: readonly StoredEvent[], once?: string): Promise<readonly StoredEvent[]> {
    const waiting = this.#settings.configured();
    const prepare = () => {
      const sources = this.#wantedSources();
      return Promise.all(events.map((event) => prepareEvent(event, sources)));
    };
    const prepared = waiting === undefined ? prepare() : waiting.then(prepare);
    const done = this.using(async () => {
      await this.#write(() => prepared, once);
      if (events.some(({ type }) => type === "config_changed")) {
        this.#settings.settle(this.journal.state.config);
        await noteTags(this);
        this.#startWanted();
      }
      const complete = await prepared;
      for (const source of this.#wantedSources()) for (const event of complete) notify(source, event);
      if (complete.some(marksCommand)) await lookAtFiles(this);
      return complete;
    });
    this.#writes(done);
    return done;
  }

  #recordReported(events: readonly StoredEvent[], once?: string): Promise<void> {
    const record = async () => {
      const complete = await this.#keep(events, once);
      await Promise.all(complete.map((event) => this.family.tell(this, event)));
    };
    const done = record();
    this.#writes(done);
    return done;
  }

  async #recordFound(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#write(async () => events);
    for (const source of this.#wantedSources()) for (const event of events) notify(source, event);
  }

  // As a member of its family.

  isListening(): boolean {
    return this.#isOpened;
  }

  async hear(event: StoredEvent): Promise<void> {
    await this.#keep([event]);
  }
}
