// The sessions that are open: one for each conversation, the longest unused closed first.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { createSession, type Session, type SessionOptions } from "sotto";
import type { Entry, NewEntry, Store } from "sotto/extend";
import { beginLog, createShortLivedSession } from "sotto/internal";
import type { Conversation } from "./conversations.ts";
import type { TurnOf } from "./sent-requests.ts";

export interface OpenSession {
  session: Session;
  /** The request or event is done with it. */
  done(): void;
}

export interface Sessions {
  /** `saysWorkspace`: asked only when a session is opened. */
  use(
    conversation: Pick<Conversation, "session" | "profile" | "subagent" | "fork" | "begins">,
    saysWorkspace: () => string | undefined,
  ): Promise<OpenSession>;
  /** For recording only: opened for that if it is not open, as nothing says whose conversation it is. */
  toRecord(session: string): Promise<OpenSession>;
  /** A session for looking only: what it records stays in `store`. The caller closes it. */
  aside(
    conversation: Pick<Conversation, "session" | "profile" | "subagent">,
    store: Store,
    saysWorkspace: () => string | undefined,
  ): Session;
  isOpen(session: string): boolean;
  size(): number;
  close(): Promise<void>;
}

export interface SessionsOptions {
  store: Store;
  most: number;
  workspaces: readonly string[];
  /** More options, asked when one is opened. */
  session(): Partial<SessionOptions>;
}

interface Kept {
  session: Promise<Session>;
  users: number;
  /** Called when nobody uses it any more. */
  onFree?: () => void;
}

/** How long closing waits for what is still to be written about a request that has ended. */
const PATIENCE_MS = 5000;

export function createSessions(options: SessionsOptions): Sessions {
  const { store, most } = options;
  // From the longest unused to the latest.
  const open = new Map<string, Kept>();
  let nowhere: string | undefined;

  function placeFor(
    saysWorkspace: () => string | undefined,
  ): Pick<SessionOptions, "cwd" | "preset" | "permissions"> {
    const [first] = options.workspaces;
    const { permissions, trust } = options.session();
    if (first !== undefined) {
      const said = saysWorkspace();
      const cwd = said !== undefined && isAllowed(said, options.workspaces) ? resolve(said) : first;
      // Whoever is not this machine's user must not read its other files, whatever an event or a request names.
      return trust?.user === true
        ? { cwd }
        : { cwd, permissions: { ...permissions, within: options.workspaces } };
    }
    // Beside no workspace, it sees no file: whoever writes a prompt must not read this machine's.
    nowhere ??= mkdtempSync(join(tmpdir(), "sotto-gateway-"));
    return { cwd: nowhere, preset: "assistant", permissions: { denyRead: ["**"] } };
  }

  function optionsFor(
    { session: id, profile, subagent }: Pick<Conversation, "session" | "profile" | "subagent">,
    saysWorkspace: () => string | undefined,
  ): SessionOptions {
    return {
      ...options.session(),
      ...placeFor(saysWorkspace),
      id,
      ...(profile && { profile }),
      ...(subagent === undefined ? {} : { agent: { kind: "sub" as const, type: subagent } }),
    };
  }

  async function openOne(
    conversation: Parameters<Sessions["use"]>[0],
    saysWorkspace: () => string | undefined,
  ): Promise<Session> {
    const { session: id } = conversation;
    const fork = await forkOf(conversation);
    if (fork !== undefined) await copyLog(store, fork, id);
    return createSession({ ...optionsFor(conversation, saysWorkspace), store });
  }

  /** Only a session that has no log yet begins as another one was. */
  async function forkOf({ session: id, fork, begins }: Parameters<Sessions["use"]>[0]) {
    if (fork === undefined && begins === undefined) return undefined;
    const { last } = await store.read(id, 0, 1);
    return last > 0 ? undefined : (fork ?? (await begins?.()));
  }

  function makeRoom(): void {
    for (const [id, { session, users }] of open) {
      if (open.size <= most) return;
      if (users > 0) continue;
      open.delete(id);
      void session.then((one) => one.close()).catch(() => undefined);
    }
  }

  const api: Sessions = {
    async use(conversation, saysWorkspace) {
      const { session: id } = conversation;
      const known = open.get(id) ?? { session: openOne(conversation, saysWorkspace), users: 0 };
      open.delete(id);
      open.set(id, known);
      known.users += 1;
      makeRoom();
      let isDone = false;
      const done = () => {
        if (isDone) return;
        isDone = true;
        known.users -= 1;
        if (known.users === 0) known.onFree?.();
      };
      try {
        return { session: await known.session, done };
      } catch (error) {
        done();
        if (open.get(id) === known) open.delete(id);
        throw error;
      }
    },
    async toRecord(id) {
      if (open.has(id)) return api.use({ session: id }, () => undefined);
      const made = { ...optionsFor({ session: id }, () => undefined), store };
      const session = createShortLivedSession(made);
      return { session, done: () => void session.close().catch(() => undefined) };
    },
    aside: (conversation, own, saysWorkspace) =>
      createSession({ ...optionsFor(conversation, saysWorkspace), store: own }),
    isOpen: (id) => open.has(id),
    size: () => open.size,
    async close() {
      const all = [...open.values()];
      open.clear();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, PATIENCE_MS);
      await Promise.allSettled(
        all.map(async (kept) => {
          const free = new Promise<void>((resolve) => {
            kept.onFree = resolve;
          });
          if (kept.users > 0) await Promise.race([free, late.promise]);
          await (await kept.session).close();
        }),
      );
      clearTimeout(timer);
      if (nowhere !== undefined) rmSync(nowhere, { recursive: true, force: true });
    },
  };
  return api;
}

/** Begins a session as another one was after a turn. What that one was told later is not for this one. */
async function copyLog(store: Store, { session, turn, at }: TurnOf, to: string): Promise<void> {
  const { entries } = await store.read(session, 0);
  const own = entries.findIndex((entry) => entry.kind === "turn" && entry.turn === turn && entry.at === at);
  const anchorOf = (entry: Entry | undefined) =>
    entry?.kind === "turn" ? entry.head?.anchor.hash : undefined;
  // A retry has its number and its history. What has its number alone came after a rewind.
  const isLater = (entry: Entry, index: number) =>
    entry.kind === "turn" &&
    (own < 0
      ? entry.turn > turn
      : index > own && (entry.turn !== turn || anchorOf(entry) !== anchorOf(entries[own])));
  const later = entries.findIndex(isLater);
  const until = later < 0 ? entries.length : later;
  const last = entries
    .slice(0, until)
    .findLastIndex(
      (entry) => entry.kind === "turn" || (entry.kind === "delivery" && entry.state === "offered"),
    );
  const begun = entries.slice(0, last + 1);
  const offered = new Set(begun.flatMap((entry) => (entry.kind === "delivery" ? [entry.id] : [])));
  const settled = entries
    .slice(last + 1)
    .filter((entry) => entry.kind === "delivery" && entry.state !== "offered" && offered.has(entry.id));
  const copied = [...begun, ...settled].map(({ seq: _seq, ...entry }) => entry as NewEntry);
  // Another gateway may have begun it meanwhile, with the same.
  if (copied.length > 0) await beginLog(store, to, { entries: copied, now: Date.now() });
}

/** By its real path, too: a link in a workspace may lead anywhere. */
function isAllowed(said: string, workspaces: readonly string[]): boolean {
  if (!isAbsolute(said)) return false;
  const places = workspaces.map((one) => realPathOf(one) ?? one);
  const isNamed = [...workspaces, ...places].some((one) => isWithin(said, one));
  const real = isNamed ? realPathOf(said) : undefined;
  return real !== undefined && places.some((one) => isWithin(real, one));
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // There is no such directory.
    return undefined;
  }
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
