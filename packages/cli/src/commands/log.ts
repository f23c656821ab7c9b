// `sotto log`: prints a session's entries, one line each, filtered and followed.

import { homedir } from "node:os";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { Option } from "commander";
import { SottoError } from "sotto";
import type { Entry, SessionSummary, Store } from "sotto/extend";
import { catalogue } from "sotto/inspect";
import { didYouMean, eventTypes, readLog } from "sotto/internal";
import {
  count,
  createShortPaths,
  createStyle,
  cut,
  type ExitCode,
  failed,
  lineWidth,
  moment,
  printable,
  usageError,
} from "sotto-agent/terminal";
import { recordedRequests } from "../gateway/recorded-requests.ts";
import { parseSince } from "../input/arguments.ts";
import { isSent } from "../output/turn-result.ts";
import { note, write } from "../output/write.ts";
import { directoryOf, newestHere, type SessionQuestion, withSession } from "../sessions/find-session.ts";
import { type Define, examples, json, SESSION, SINCE, store, wholeNumber } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Prints the entries of a session's log, oldest first, one line each. Long values are shortened.",
    )
    .argument("[session]", SESSION)
    .addOption(
      new Option("--kind <kind>", "only entries of this kind").choices(["event", "delivery", "turn"]),
    )
    .option("--type <type>", "only events, or reminders, of this type")
    .option("--since <when>", `only entries ${SINCE}`)
    .option("--turn <n>", "only this turn, the events that led to it and its reminders", wholeNumber)
    .option("--limit <n>", "only the last n entries", wholeNumber)
    .option(
      "-f, --follow",
      "print new entries as they are added, until Ctrl-C; without a session name, also of sessions that start later in this directory",
    )
    .option("--full", "do not shorten values")
    .option("--requests", "instead, the requests that a gateway recorded, as JSON, one per line")
    .addOption(store())
    .addOption(json("the entries as stored, one per line"))
    .addHelpText(
      "after",
      examples(
        "sotto log --limit 20",
        "sotto log --follow",
        "sotto log build-7 --kind delivery --follow",
        "sotto log --type plan_mode --since 2h --json",
        "sotto log gateway/claude-code/0199-ab --requests --limit 1",
      ),
    )
    .action(action(log));

export interface LogCommand extends SessionQuestion {
  kind?: Entry["kind"];
  type?: string;
  since?: string;
  turn?: number;
  limit?: number;
  follow?: boolean;
  full?: boolean;
  requests?: boolean;
  json?: boolean;
}

const POLL_MS = 250;
// Where the store tells when there is something to read, as a fallback.
const TOLD_POLL_MS = 2000;
// Listing all sessions takes longer than reading the new entries of one.
const POLLS_BETWEEN_SESSIONS = 4;

async function log(command: LogCommand): Promise<ExitCode> {
  const { kind, type, turn, limit, json } = command;
  const since = command.since === undefined ? undefined : parseSince(command.since, Date.now());
  if (turn !== undefined && command.follow) throw usageError("--turn and --follow cannot be combined");
  if (command.requests) return requests(command, since);
  await withSession(command, async ({ store, summary }) => {
    const { id } = summary;
    const lines = createEntryLines({ cwd: await directoryOf(store, id), full: command.full });
    const inTurn = turn === undefined ? undefined : createTurnFilter(turn);
    const seen = new Set<string>();
    const known = new Set<string>([...eventTypes, ...catalogue.map((one) => one.type)]);
    const wanted = (entries: readonly Entry[]): Entry[] => {
      const ofTurn = inTurn === undefined ? entries : entries.flatMap((entry) => inTurn.take(entry));
      return ofTurn.filter((entry) => {
        // For every entry: a delivery's type is known only from its offer.
        const types = lines.typesOf(entry);
        for (const one of types) seen.add(one);
        return (
          (kind === undefined || entry.kind === kind) &&
          (type === undefined || types.includes(type)) &&
          (since === undefined || Date.parse(entry.at) >= since)
        );
      });
    };
    const print = async (entries: readonly Entry[]) => {
      const text = entries.map((entry) => `${json ? JSON.stringify(entry) : lines.line(entry)}\n`).join("");
      if (text !== "") await write(text);
    };
    // With an unknown type, print nothing until the whole log has been searched for it.
    const isHeld = limit !== undefined || (type !== undefined && !known.has(type));
    const held: Entry[] = [];
    let last = 0;
    for await (const page of readLog(store, id)) {
      report(page.damaged);
      const entries = wanted(page.entries);
      if (!isHeld) await print(entries);
      else for (const entry of entries) held.push(entry);
      if (limit !== undefined && held.length > limit) held.splice(0, held.length - limit);
      last = page.last;
    }
    if (type !== undefined && !known.has(type) && !seen.has(type))
      throw usageError(
        `--type: "${type}" is not a type of event or reminder${didYouMean(type, [...known, ...seen])}`,
      );
    if (inTurn !== undefined && !inTurn.found())
      throw failed(`session ${id} has no turn ${turn}; it has ${inTurn.last()}`, "unknown_turn");
    await print(held);
    if (!command.follow) return;
    const take = (entries: readonly Entry[]) => print(wanted(entries));
    await follow({ store, summary, after: last, take, movesOn: command.session === undefined });
  });
  return 0;
}

async function requests(command: LogCommand, since = 0): Promise<ExitCode> {
  for (const name of ["kind", "type", "turn", "follow"] as const)
    if (command[name] !== undefined) throw usageError(`--requests and --${name} cannot be combined`);
  const { limit } = command;
  await withSession(command, async ({ store, summary }) => {
    const held: string[] = [];
    for await (const request of recordedRequests(store, summary.id)) {
      if (Date.parse(request.at) < since) continue;
      const line = `${JSON.stringify(request)}\n`;
      if (limit === undefined) await write(line);
      else held.push(line);
      if (limit !== undefined && held.length > limit) held.shift();
    }
    if (held.length > 0) await write(held.join(""));
  });
  return 0;
}

interface Following {
  store: Store;
  summary: SessionSummary;
  after: number;
  take(entries: readonly Entry[]): Promise<void>;
  /** Also follow sessions that start later in this directory. */
  movesOn: boolean;
}

/** Until Ctrl-C: a store that cannot be read for a while does not end it. */
async function follow({ store, summary, after, take, movesOn }: Following): Promise<void> {
  let current = summary;
  let last = after;
  let problem: string | undefined;
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  const pollMs = store.follow === undefined ? POLL_MS : TOLD_POLL_MS;
  let hints = hintsFor(store, current.id);
  try {
    for (let polls = 1; !ending.signal.aborted; polls++) {
      const isDue = movesOn && polls % POLLS_BETWEEN_SESSIONS === 0;
      try {
        const newer = isDue ? await newestHere(store) : undefined;
        for await (const page of readLog(store, current.id, last)) {
          report(page.damaged);
          last = page.last;
          await take(page.entries);
        }
        const movesTo = newer !== undefined && newer.firstAt > current.firstAt ? newer : undefined;
        if (movesTo !== undefined) note(`now following session ${movesTo.id}`);
        if (problem !== undefined) note("the store can be read again");
        if (movesTo !== undefined || problem !== undefined) {
          await hints.end();
          hints = hintsFor(store, movesTo?.id ?? current.id);
        }
        problem = undefined;
        if (movesTo !== undefined) {
          current = movesTo;
          last = 0;
          continue;
        }
      } catch (error) {
        if (!(error instanceof SottoError)) throw error;
        if (problem === undefined) note(`${error.message} Trying again until Ctrl-C.`);
        problem = error.message;
      }
      const waiting = wait(pollMs, undefined, { signal: ending.signal }).catch(() => undefined);
      await Promise.race([waiting, hints.next()]);
    }
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    await hints.end();
  }
}

interface Hints {
  /** Resolves when the store says that there is something new since the last call. */
  next(): Promise<void>;
  end(): Promise<void>;
}

function hintsFor(store: Store, session: string): Hints {
  const ending = new AbortController();
  let hint = Promise.withResolvers<void>();
  const following = store.follow?.(session, { wake: () => hint.resolve(), signal: ending.signal });
  return {
    async next() {
      await hint.promise;
      hint = Promise.withResolvers<void>();
    },
    async end() {
      ending.abort();
      // Without hints it is read from time to time, as before.
      await following?.catch(() => undefined);
    },
  };
}

function report(damaged: readonly { seq: number; problem: string }[]): void {
  for (const { seq, problem } of damaged) note(`skipped entry ${seq}: ${problem}`);
}

/** Picks the entries of one turn: the events since the turn before it, the turn, and its deliveries. */
export interface TurnFilter {
  /** Takes entries in order; returns those now known to belong to the turn. */
  take(entry: Entry): Entry[];
  found(): boolean;
  /** The turns in the log, in words. */
  last(): string;
}

export function createTurnFilter(turn: number): TurnFilter {
  const sent = new Set<string>();
  let before: Entry[] = [];
  let isFound = false;
  let last = 0;
  return {
    take(entry) {
      if (entry.kind === "event") {
        before.push(entry);
        return [];
      }
      if (entry.kind === "turn") {
        const events = before;
        before = [];
        last = Math.max(last, entry.turn);
        if (entry.turn !== turn) return [];
        isFound = true;
        return [...events, entry];
      }
      const key = `${entry.id}@${entry.branch}`;
      if (entry.state === "offered" && entry.turn === turn) sent.add(key);
      return sent.has(key) ? [entry] : [];
    },
    found: () => isFound,
    last: () => (last === 0 ? "none yet" : last === 1 ? "turn 1" : `turns 1 to ${last}`),
  };
}

/** Log entries as lines: long values shortened, a turn by what it sent and skipped. */
export interface EntryLines {
  /** Call in order: a delivery's type is known only from its offer. */
  line(entry: Entry): string;
  /** The event's type, or the reminder types. */
  typesOf(entry: Entry): string[];
}

export interface EntryLineOptions {
  /** The session's directory; paths in it are shown relative to it. */
  cwd?: string | undefined;
  /** Shorten nothing. */
  full?: boolean | undefined;
}

export function createEntryLines({ cwd, full = false }: EntryLineOptions = {}): EntryLines {
  const style = createStyle();
  const typeById = new Map<string, string>();
  const width = full ? Number.POSITIVE_INFINITY : lineWidth();
  const paths = createShortPaths({ cwd: cwd ?? "/", home: homedir() });
  const shorten = cwd === undefined ? (text: string) => text : paths.words;
  const wording: Wording = full
    ? { value: whole, turn: allOutcomes }
    : { value: (value) => folded(value, shorten), turn: inShort };

  function typesOf(entry: Entry): string[] {
    if (entry.kind === "event") return [entry.event.type];
    if (entry.kind === "turn") return Object.keys(entry.outcomes);
    if (entry.state === "offered") typeById.set(entry.id, entry.type);
    return [typeById.get(entry.id) ?? "unknown"];
  }

  return {
    typesOf,
    line(entry) {
      const at = full ? moment(entry.at) : moment(entry.at).slice(WITHOUT_YEAR);
      const head = `${String(entry.seq).padStart(5)}  ${at}  ${entry.kind.padEnd(8)}  `;
      const [name, rest] = describe(entry, typesOf(entry), wording);
      const title = printable(name).padEnd(20);
      return `${style.dim(head)}${style.accent(title)}  ${cut(rest, Math.max(20, width - head.length - 22))}`.trimEnd();
    },
  };
}

interface Wording {
  value(value: unknown): string;
  turn(outcomes: Outcomes): string;
}

type Outcomes = Extract<Entry, { kind: "turn" }>["outcomes"];

function describe(entry: Entry, types: readonly string[], wording: Wording): [name: string, rest: string] {
  if (entry.kind === "event") {
    const { type, ...fields } = entry.event as { type: string } & Record<string, unknown>;
    const pairs = Object.entries(fields).map(([key, value]) => `${key}=${wording.value(value)}`);
    return [type, pairs.join(" ")];
  }
  if (entry.kind === "turn") {
    const branch = entry.branch === "main" ? "" : `${entry.branch}: `;
    const isSame = Object.keys(entry.outcomes).length === 0;
    return [`turn ${entry.turn}`, `${branch}${isSame ? "no change" : wording.turn(entry.outcomes)}`];
  }
  const [type = ""] = types;
  if (entry.state !== "offered") return [type, `${entry.state} ${entry.id}`];
  return [type, `offered in turn ${entry.turn}, ${count(entry.tokens, "token")}, ${entry.id}`];
}

/** What was sent, then what was skipped, then how many types had nothing to report. */
function inShort(outcomes: Outcomes): string {
  const all = Object.entries(outcomes).map(([type, one]) => ({ type, ...one }));
  const names = (list: readonly { type: string }[]) => list.map(({ type }) => type).join(", ");
  const sent = all.filter(isSent);
  const skipped = all.filter((one) => !isSent(one) && one.outcome !== "nothing");
  const nothing = all.length - sent.length - skipped.length;
  return [
    sent.length === 0 ? "sent nothing" : `sent ${names(sent)}`,
    ...[...Map.groupBy(skipped, ({ outcome }) => outcome)].map(
      ([outcome, list]) => `${outcome}: ${names(list)}`,
    ),
    ...(nothing === 0 ? [] : [`${count(nothing, "type")} with nothing to report`]),
  ].join("; ");
}

function allOutcomes(outcomes: Outcomes): string {
  return Object.entries(outcomes)
    .map(([type, { outcome, reason }]) => `${type} ${outcome} (${reason})`)
    .join("; ");
}

const LONGEST = 60;
const WITHOUT_YEAR = 5;

/** Long lists by their length, long texts by their beginning, paths relative to the session's directory. */
function folded(value: unknown, shorten: (text: string) => string): string {
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  if (typeof value === "string" && value !== shorten(value)) return folded(shorten(value), (text) => text);
  const text = whole(value, (_key, part) => (typeof part === "string" ? shorten(part) : part));
  if (text.length <= LONGEST) return text;
  if (Array.isArray(value)) return `[${count(value.length, "item")}]`;
  if (typeof value === "object") return "{…}";
  // The end of a path matters most.
  if (/^\S+$/u.test(text)) return text;
  return `${text.slice(0, LONGEST - 2).toWellFormed()}…"`;
}

function whole(value: unknown, change?: (key: string, part: unknown) => unknown): string {
  if (typeof value === "string" && /^[\w./:@-]+$/u.test(value)) return value;
  return JSON.stringify(value, change) ?? "";
}
