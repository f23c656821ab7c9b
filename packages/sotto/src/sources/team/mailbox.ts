// The mail of this agent: letters in its box, and the file that agents of other programs write to. Each letter is
// recorded, and only then moved or marked; one that is found again is recognised by its id.

import { realpath, stat } from "node:fs/promises";
import type { EventOf } from "../../facts/events.ts";
import type { Mail } from "../../facts/facts.ts";
import { isOther, type MailboxFact } from "../../facts/mailbox.ts";
import { parseEvent } from "../../facts/parse-event.ts";
import { edgeId } from "../../facts/pending.ts";
import { replaceFile, syncDirectory } from "../../platform/durable-file.ts";
import { errorText, type Problem } from "../../platform/errors.ts";
import { createHash, randomUUID } from "../../platform/late-crypto.ts";
import { absolutePath } from "../../platform/paths.ts";
import { isTable } from "../../platform/plain-data.ts";
import type { FileAccess } from "../files/file-access.ts";
import { createPlanted, PLANTED, type Planted } from "../files/planted.ts";
import type { FileStat } from "../files/read-outcome.ts";
import type { Reader } from "../files/reader.ts";
import { createStandstill } from "../files/standstill.ts";
import type { Source, TurnInfo } from "../source.ts";
import { type FileLock, lockFile } from "./file-lock.ts";
import {
  type BadLetter,
  checkLetter,
  isOwnBox,
  lookInto,
  MOST_BYTES,
  putAway,
  setAside,
  tidy,
} from "./letters.ts";
import { isInProject, isTeamName, type MailAddress, mailboxPath } from "./mailbox-path.ts";

export interface MailboxOptions {
  fileAccess: FileAccess;
  /** Whose letters are read. Default: nobody's. */
  address?: MailAddress | undefined;
  /** Whose file is read. Default: the session's own. */
  teammate?: string | undefined;
}

// Far more than a turn sends; the rest waits in the box.
const MOST_PER_TURN = 500;
const BAD_KEPT = 20;
const NOTHING: FileLook = { received: 0, bad: [] };
const NO_LETTERS: Mail = { received: 0, bad: [], aside: 0 };

export function createMailboxSource(options: MailboxOptions): Source<"mail"> {
  return new Mailbox(options);
}

// A class, as nearly every session has one.
class Mailbox implements Source<"mail"> {
  readonly #planted: Planted;
  readonly #letters: Look<Mail> | undefined;
  readonly #file: MailFile;

  constructor({ fileAccess, address, teammate }: MailboxOptions) {
    this.#planted = createPlanted(fileAccess);
    this.#letters = address === undefined ? undefined : createLetters(address, fileAccess, this.#planted);
    this.#file = new MailFile(fileAccess, teammate, this.#planted);
  }

  get fact() {
    return "mail" as const;
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<Mail> | Mail {
    const box = this.#letters?.(turn, signal) ?? NO_LETTERS;
    const ofFile = this.#file.observe(turn, signal);
    if (!(box instanceof Promise) && !(ofFile instanceof Promise)) return toMail(box, ofFile);
    // A failure of one does not affect the other.
    return Promise.allSettled([box, ofFile]).then(([found, inFile]) => {
      if (found.status === "rejected") throw found.reason;
      if (inFile.status === "rejected") throw inFile.reason;
      return toMail(found.value, inFile.value);
    });
  }

  problems(): Problem[] {
    return this.#planted.problems();
  }
}

function toMail({ received, bad, aside }: Mail, file: FileLook): Mail {
  return {
    received: received + file.received,
    bad: [...bad, ...file.bad],
    aside: aside + file.bad.length,
    ...(file.later === undefined ? {} : { later: file.later }),
  };
}

/** Answers at once while nothing has changed since there was nothing to read. */
type Look<Found> = (turn: TurnInfo, signal: AbortSignal) => Promise<Found> | Found;

function createLetters(address: MailAddress, { cwd, home }: FileAccess, planted: Planted): Look<Mail> {
  const bad: BadLetter[] = [];
  let aside = 0;
  let tidied: string | undefined;
  const still = createStandstill<Mail>();
  const look = async (box: string, { settings, record }: TurnInfo, signal: AbortSignal): Promise<Mail> => {
    const seen = await still.before([`${box}/new`]);
    const root = settings.mailbox_dir;
    const isOwn = await isOwnBox(box, isInProject(root) ? cwd : "/").catch(missing);
    if (isOwn === undefined) {
      const none = { received: 0, bad: [...bad], aside };
      still.keep(seen, none);
      return none;
    }
    if (!isOwn) throw new Error(`${box} leads elsewhere and is not read`);
    const now = Date.now();
    const found = await lookInto(box, { most: MOST_PER_TURN, signal, now, planted });
    await record(found.letters.map(({ event }) => event));
    await putAway(
      box,
      found.letters.map(({ file }) => file),
    );
    await setAside(box, found.bad);
    aside += found.bad.length;
    bad.push(...found.bad);
    bad.splice(0, bad.length - BAD_KEPT);
    if (tidied !== box && !found.more) await tidy(box, now).catch(() => undefined);
    tidied = box;
    const mail = { received: found.letters.length, bad: [...bad], aside };
    if (found.isEmpty) still.keep(seen, mail);
    return mail;
  };
  return (turn, signal) => {
    const root = turn.settings.mailbox_dir;
    if (root === "") return NO_LETTERS;
    const box = mailboxPath(root, address, { cwd, home });
    return still.answer([`${box}/new`]) ?? look(box, turn, signal);
  };
}

// A class, as nearly every session has one.
class MailFile {
  readonly #fileAccess: FileAccess;
  readonly #teammate: string | undefined;
  readonly #planted: Planted;
  readonly #still = createStandstill<FileLook>();
  #opened: { path: string; box: FileBox } | undefined;
  #place: FilePlace | undefined;

  constructor(fileAccess: FileAccess, teammate: string | undefined, planted: Planted) {
    this.#fileAccess = fileAccess;
    this.#teammate = teammate;
    this.#planted = planted;
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<FileLook> | FileLook {
    const root = turn.settings.mailbox_file_dir;
    if (root === "") return NOTHING;
    const { session } = turn;
    if (this.#place?.root !== root || this.#place.session !== session)
      this.#place = this.#placeOf(root, session);
    const place = this.#place;
    if (place !== undefined) return this.#still.answer(place.paths) ?? this.#look(place, turn, signal);
    if (this.#teammate === undefined) return NOTHING;
    return Promise.reject(
      new Error("CLAUDE_CODE_TEAMMATE_ID cannot be used: letters, digits, _ . @ - are, up to 100"),
    );
  }

  #placeOf(root: string, session: string): FilePlace | undefined {
    const id = this.#teammate ?? session.replace(/[^\w.-]+/gu, "-");
    if (!isTeamName(id)) return undefined;
    const { cwd, home } = this.#fileAccess;
    const directory = absolutePath(root.startsWith("~/") ? `${home}${root.slice(1)}` : root, cwd);
    // Most projects have none.
    const paths = [directory, `${directory}/${id}.json`] as const;
    return { root, session, id, paths, within: isInProject(root) ? cwd : undefined };
  }

  async #look(place: FilePlace, turn: TurnInfo, signal: AbortSignal): Promise<FileLook> {
    const seen = await this.#still.before(place.paths);
    const found = await this.#lookInFile(place, turn, signal);
    if (found.received === 0 && found.later === undefined) this.#still.keep(seen, found);
    return found;
  }

  async #lookInFile(
    { paths: [directory], id, within }: FilePlace,
    turn: TurnInfo,
    signal: AbortSignal,
  ): Promise<FileLook> {
    const real = await realpath(directory).catch(missing);
    if (real === undefined) return NOTHING;
    if (within !== undefined && !`${real}/`.startsWith(`${await realpath(within)}/`))
      throw new Error(`${directory} leads elsewhere and is not read`);
    const path = `${real}/${id}.json`;
    if (this.#opened?.path !== path) {
      const reader = await this.#fileAccess.reader();
      this.#opened = { path, box: createFileBox(path, reader, this.#planted) };
    }
    return this.#opened.box.look(turn, signal);
  }
}

interface FilePlace {
  /** What it was made of. */
  root: string;
  session: string;
  id: string;
  /** The directory, and the file in it. */
  paths: readonly [directory: string, file: string];
  /** It must really be inside. */
  within: string | undefined;
}

/** No box yet: nobody has written. */
function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

// A mailbox in a single file, `<id>.json`: a list of messages, written by other agents. Each one is recorded, and
// only then marked as read; one found unread again is recognised by its id, or by its content.

export interface FileBox {
  /** Records unread messages and marks them. Rejects if that is not possible now. */
  look(turn: TurnInfo, signal: AbortSignal): Promise<FileLook>;
}

export interface FileLook {
  received: number;
  /** Entries that are not messages, which stay as they are. */
  bad: { file: string; reason: string }[];
  /** Why it is read later. */
  later?: string;
}

type Letter = EventOf<"message_received">;

type Entry = Readonly<Record<string, unknown>>;

interface Found {
  list: unknown[];
  /** By index in the list. */
  letters: Map<number, Letter>;
  bad: FileLook["bad"];
  stat: FileStat;
  indent: string | undefined;
}

// Far more than a turn sends; the rest waits in the file.
const MOST_AT_ONCE = 500;
// The disk is read-only: only the log remembers what was read.
const READ_ONLY = new Set(["EROFS", "EACCES", "EPERM"]);

/** `path`: where the file must really be. */
export function createFileBox(path: string, reader: Reader, planted: Planted): FileBox {
  /** The file as it was when nothing in it was unread, and what was wrong with it. */
  let done: { stat: FileStat; bad: FileLook["bad"] } | undefined;

  return {
    async look(turn, signal) {
      const read = () => readBox(path, { reader, mailbox: turn.facts.mailbox, signal });
      const seen = await reader.stat(path, { signal });
      planted.forget(path);
      if (seen.kind === "missing") return NOTHING;
      if (seen.kind === "file" && done !== undefined && isSame(seen.stat, done.stat))
        return { received: 0, bad: done.bad };
      if (await planted.has(path)) return { ...NOTHING, later: `${path} is not read: ${PLANTED}` };
      const before = await read();
      if (before === undefined) return NOTHING;
      if (before.letters.size === 0) {
        done = { stat: before.stat, bad: before.bad };
        return { received: 0, bad: before.bad };
      }
      const lock = await lockOrNone(path, signal);
      if (lock === "busy") return { ...NOTHING, later: `${path} is locked by another process` };
      try {
        // Read again, as another process may have recorded and marked some of it meanwhile.
        const found = await read();
        if (found === undefined) return NOTHING;
        const isNew = ({ id }: Letter) => !Object.hasOwn(turn.facts.mailbox.seen, edgeId("mailbox", id));
        const letters = new Map([...found.letters].slice(0, MOST_AT_ONCE));
        const fresh = [...letters.values()].filter(isNew);
        await turn.record(fresh);
        if (lock !== undefined) await mark(path, found, letters, lock);
        return { received: fresh.length, bad: found.bad };
      } finally {
        await lock?.release();
      }
    },
  };
}

async function lockOrNone(path: string, signal: AbortSignal): Promise<FileLock | "busy" | undefined> {
  try {
    return (await lockFile(path, { unique: randomUUID, signal })) ?? "busy";
  } catch (error) {
    if (READ_ONLY.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

interface BoxOptions {
  reader: Reader;
  mailbox: MailboxFact;
  signal: AbortSignal;
}

async function readBox(path: string, { reader, mailbox, signal }: BoxOptions): Promise<Found | undefined> {
  const outcome = await reader.read(path, { signal, maxBytes: MOST_BYTES });
  if (outcome.kind === "missing") return undefined;
  if (outcome.kind === "unreadable") throw new Error(`${path} cannot be read now (${outcome.why})`);
  if (outcome.kind !== "text")
    throw new Error(`${path} is not read: ${outcome.kind === "denied" ? outcome.rule : outcome.kind}`);
  if (outcome.realPath !== path) throw new Error(`${path} leads elsewhere and is not read`);
  if (outcome.truncated) throw new Error(`${path} has more than ${MOST_BYTES} bytes: take old messages out`);
  if (outcome.encoding !== "utf-8") throw new Error(`${path} is not read: it is not UTF-8 text`);
  return {
    ...parseBox(outcome.text, path, mailbox),
    stat: outcome.stat,
    indent: /^\s*\[\s*?\n([ \t]+)/u.exec(outcome.text)?.[1],
  };
}

function parseBox(text: string, path: string, mailbox: MailboxFact): Pick<Found, "list" | "letters" | "bad"> {
  let list: unknown;
  try {
    list = text.trim() === "" ? [] : JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${errorText(error)}`);
  }
  if (!Array.isArray(list)) throw new Error(`${path} is not a list of messages`);
  const letters = new Map<number, Letter>();
  const bad: FileLook["bad"] = [];
  // What was read before is known by its text; whether that would still be a letter does not matter.
  const texts = new Map<string, unknown>();
  for (const [place, entry] of list.entries()) {
    try {
      if (!isTable(entry)) throw new Error("it is not an object");
      const name = nameOf(entry);
      if (!texts.has(name)) texts.set(name, entry.text);
      if (entry.read === true) continue;
      const letter = toLetter(name, entry);
      // Or it had it, and is in the file no more.
      if (texts.get(name) !== entry.text || isOther(mailbox, letter))
        throw new Error("another message of its sender has the same id: each needs one of its own");
      letters.set(place, letter);
    } catch (error) {
      if (bad.length < BAD_KEPT) bad.push({ file: `${path}[${place}]`, reason: errorText(error) });
    }
  }
  return { list, letters, bad };
}

/** Ids are chosen by the sender, so two senders may both count from 1. */
function nameOf({ id, from, text, timestamp }: Entry): string {
  const isNamed = (typeof id === "string" && id !== "") || typeof id === "number";
  return JSON.stringify(isNamed ? [from, String(id)] : [from, text, timestamp, "no id"]);
}

/** Its id is distinct from those of letters in files. */
function toLetter(name: string, { from, text, timestamp }: Entry): Letter {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 32);
  return checkLetter(parseEvent({ type: "message_received", id: `box-${hash}`, from, text, timestamp }));
}

/** Everything else in the file stays as it is. It is replaced as a whole, so that nobody reads half of it. */
async function mark(
  path: string,
  { list, indent }: Found,
  letters: ReadonlyMap<number, Letter>,
  lock: FileLock,
): Promise<void> {
  const marked = list.map((entry, place) =>
    letters.has(place) ? { ...(entry as object), read: true } : entry,
  );
  const slash = path.lastIndexOf("/");
  try {
    const { mode } = await stat(path);
    await replaceFile(path, `${JSON.stringify(marked, undefined, indent ?? 2)}\n`, {
      mode: mode & 0o777,
      // Someone who took over the lock may have written since.
      mayReplace: () => lock.isHeld(),
    });
    await syncDirectory(path.slice(0, slash));
  } catch (error) {
    // They are in the log: found unread again, they are recognised.
    throw new Error(`${path} cannot be written: ${errorText(error)}`);
  }
}

function isSame(one: FileStat, other: FileStat): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}
