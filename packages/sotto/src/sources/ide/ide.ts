// The user's editor as a source: finds and connects to its companion, and records what the user looks at.

import * as v from "valibot";
import type { IdeFact } from "../../facts/ide.ts";
import { checkOptions, list, plain, table, text } from "../../platform/check-options.ts";
import { type McpClock, realClock } from "../clock.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { Source, SourceSession } from "../source.ts";
import { steady } from "../steady.ts";
import type { EditorContext } from "./editor-events.ts";
import type { Editor } from "./find-editor.ts";

/** What `createIdeSource` takes. */
export interface IdeOptions {
  /** Read permissions: the same as the session's. */
  permissions?: { denyRead?: readonly string[]; allowSecrets?: readonly string[] };
  /** The user's home directory. Default: the system's. */
  home?: string;
  /** Where companions leave their files. Default: `gemini/ide` in the temporary directory. */
  directory?: string;
  /** Environment variables that name the editor. Default: this process's. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Time and randomness, for tests. Default: the real ones. */
  clock?: McpClock;
}

/** The states the connection to an editor can be in. */
export type IdeStatus = "searching" | "connecting" | "connected" | "closed";

/** The state of the connection to an editor. */
export interface IdeState {
  status: IdeStatus;
  ideName?: string;
  /** What is wrong, or why nothing is sent. */
  problem?: string;
}

/** The source for an editor. */
export interface IdeSource extends Source<"ideLink"> {
  /** The state of the connection. */
  state(): IdeState;
  /** Resolves when an editor has reported its state, none was found, or the time is up. */
  settled(ms: number): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

const SEARCH_MS = 5000;
const CONNECT_MS = 5000;
const WELL_MS = 60_000;
// Selecting lines with the mouse sends an update for every line.
const QUIET_MS = 150;

interface Listener {
  session: SourceSession;
  last?: string;
}

const patterns = v.optional(list(text(), 'a list of patterns such as ["secret/**"]'));
const ideOptions = table(
  {
    permissions: v.optional(
      table({ denyRead: patterns, allowSecrets: patterns }, "an object such as { denyRead: [] }"),
    ),
    home: v.optional(text("a home directory, a path")),
    directory: v.optional(text("a directory, a path")),
    environment: v.optional(plain("an object of variables")),
    clock: v.optional(plain("a clock")),
  },
  "options such as { permissions }",
);

/** Creates a source that follows an editor: its open file and selection. */
export function createIdeSource(options: IdeOptions = {}): IdeSource {
  checkOptions("createIdeSource", ideOptions, options);
  const { clock = realClock, environment = process.env } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const sessions = new Map<string, Listener>();
  let state: IdeState = { status: "searching" };
  let context: EditorContext = {};
  let lost: string | undefined;
  let cwd = "";
  let fileAccess: Promise<FileAccess> | undefined;
  let life: Promise<void> | undefined;
  let flushing: Promise<void> = Promise.resolve();
  const first = Promise.withResolvers<void>();

  /** Records the current state in every session that does not have it yet. */
  const flush = () => {
    flushing = flushing.then(record).catch(() => undefined);
    return flushing;
  };
  const record = async () => {
    const { ideName } = state;
    if (ideName === undefined) return;
    const { editorEvent: toEvent } = await import("./editor-events.ts");
    const { event, why } = await toEvent(ideName, context, await (fileAccess as Promise<FileAccess>));
    lost = why ?? context.why;
    for (const listener of sessions.values()) {
      const now = JSON.stringify(event);
      // A session that never had an open file need not know that none is open.
      if (now === listener.last || (listener.last === undefined && event.openFile === undefined)) continue;
      await listener.session.record([event]).then(
        () => {
          listener.last = now;
        },
        () => undefined,
      );
    }
  };
  /** Clears what an earlier process recorded and no editor confirms. */
  const forget = async (id: string, { ideName, openFile, selection }: IdeFact) => {
    const listener = sessions.get(id);
    const isStale = listener !== undefined && listener.last === undefined && state.problem !== undefined;
    if (!isStale || ideName === undefined || (openFile ?? selection) === undefined) return;
    await listener.session.record([{ type: "ide_changed", ideName }]);
  };
  let quiet: AbortController | undefined;
  const receive = (now: EditorContext) => {
    context = now;
    first.resolve();
    quiet?.abort();
    const waiting = new AbortController();
    quiet = waiting;
    void clock.delay(QUIET_MS, waiting.signal).then(() => (waiting.signal.aborted ? undefined : flush()));
  };

  const listen = async (companion: Editor) => {
    const [{ openConnection: openLink }, { loadSdk }, { readContext }, { createRedactor }] =
      await Promise.all([
        import("../mcp/connection.ts"),
        import("../mcp/sdk.ts"),
        import("./editor-events.ts"),
        import("../mcp/connection.ts"),
      ]);
    const { port, token, ideName } = companion;
    state = { status: "connecting", ideName };
    const link = await openLink({
      // Companions refuse any other host name.
      server: { url: `http://localhost:${port}/mcp`, headers: { Authorization: `Bearer ${token}` } },
      cwd,
      redact: createRedactor([token]),
      sdk: await loadSdk(),
      clock,
      connectMs: CONNECT_MS,
      signal,
      notices: { "ide/contextUpdate": (params) => receive(readContext(params)) },
    });
    state = { status: "connected", ideName };
    signal.addEventListener("abort", () => void link.close(), { once: true });
    return link.over;
  };

  const live = async () => {
    const { findEditor } = await import("./find-editor.ts");
    const { backOff } = await import("../clock.ts");
    for (let failures = 0; !signal.aborted; ) {
      const found = await findEditor({ cwd, directory: options.directory, environment });
      let problem = typeof found === "string" ? found : "";
      if (typeof found !== "string") {
        const from = clock.now();
        problem = await listen(found).catch((error: unknown) => (error as Error).message);
        if (signal.aborted) return;
        failures = clock.now() - from > WELL_MS ? 0 : failures;
        // Nothing is known to be open any more.
        quiet?.abort();
        context = {};
        await flush();
      }
      if (signal.aborted) return;
      state = { ...state, status: "searching", problem };
      first.resolve();
      failures = typeof found === "string" ? 0 : failures + 1;
      await clock.delay(failures === 0 ? SEARCH_MS : backOff(failures, clock), signal);
    }
  };

  return steady<IdeSource>({
    fact: "ideLink",
    start(session) {
      if (signal.aborted) return;
      sessions.set(session.id, { session });
      cwd ||= session.cwd;
      fileAccess ??= openFileAccess(cwd, options);
      life ??= live();
    },
    async observe({ session, facts }) {
      // An update from a moment ago counts in this turn.
      await flush();
      await forget(session, facts.ide);
      const { ideName, status, problem } = state;
      if (status !== "connected" || ideName === undefined)
        return { why: problem ?? "no editor is connected" };
      return { ideName, ...(lost === undefined ? {} : { why: lost }) };
    },
    state: () => {
      const problem = state.problem ?? lost;
      return { ...state, ...(problem === undefined ? {} : { problem }) };
    },
    async settled(ms) {
      const waiting = new AbortController();
      await Promise.race([first.promise, realClock.delay(ms, waiting.signal)]);
      waiting.abort();
    },
    async close() {
      ending.abort();
      quiet?.abort();
      await life;
      await flushing;
      state = { status: "closed" };
    },
  });
}

async function openFileAccess(cwd: string, { permissions, home }: IdeOptions): Promise<FileAccess> {
  const [{ createFileAccess }, { homedir }] = await Promise.all([
    import("../files/file-access.ts"),
    import("node:os"),
  ]);
  return createFileAccess({ cwd, permissions, home: home ?? homedir(), configDirectory: "" });
}
