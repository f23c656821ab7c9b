// User-defined reminders, each with the touched paths that it is about.

import type { TouchedPath } from "../../facts/activity.ts";
import type { ObservedName } from "../../facts/facts.ts";
import {
  type MatchedPath,
  type ReminderProblem,
  toProblem,
  type UserReminder,
} from "../../facts/user-reminders.ts";
import { namesOf } from "../../platform/gitignore.ts";
import { absolutePath, below, joined } from "../../platform/paths.ts";
import { frozen } from "../../platform/plain-data.ts";
import type { Job } from "../../platform/platform.ts";
import type { FileAccess } from "../files/file-access.ts";
import { hashOf } from "../files/version.ts";
import { readerFilesOf } from "../instructions/reader-files.ts";
import type { MemoryFiles, MemoryRead, Signature } from "../instructions/types.ts";
import { type Effort, freshEffort, matchPatterns } from "../path-patterns.ts";
import type { IsTrusted, Source, TurnInfo } from "../source.ts";
import { isAllowed } from "../trust/user-trust-store.ts";
import { type ParsedReminder, parseReminder } from "./parse-reminder.ts";

// More than a trace shows.
const PROBLEMS_KEPT = 20;
const NONE: readonly ReminderProblem[] = [];

export function createUserRemindersSource(
  fileAccess: FileAccess,
  isTrusted?: IsTrusted,
): Source<"userReminders"> {
  return new UserReminders(fileAccess, isTrusted);
}

const MENTIONED: readonly ObservedName[] = ["mentioned"];

class UserReminders implements Source<"userReminders"> {
  readonly #fileAccess: FileAccess;
  readonly #isTrusted: IsTrusted | undefined;
  #files: ReminderFiles | undefined;
  #wrong: readonly ReminderProblem[] = NONE;

  constructor(fileAccess: FileAccess, isTrusted: IsTrusted | undefined) {
    this.#fileAccess = fileAccess;
    this.#isTrusted = isTrusted;
  }

  get fact() {
    return "userReminders" as const;
  }

  get behind() {
    return MENTIONED;
  }

  observe(turn: TurnInfo) {
    this.#files ??= createReminderFiles(this.#fileAccess, this.#isTrusted);
    const found = this.#files.read(turn.work);
    return found instanceof Promise
      ? found.then((one) => this.#recorded(one, turn))
      : this.#recorded(found, turn);
  }

  problems() {
    return this.#wrong.map(toProblem);
  }

  sleep(): void {
    this.#files = undefined;
  }

  #recorded({ reminders: found, problems }: FoundReminders, turn: TurnInfo) {
    const usable = found.filter((one): one is Usable => one.reminder !== undefined);
    const toFact = () => {
      const touched = usable.some(({ patterns }) => patterns !== undefined) ? touchesOf(turn) : [];
      const reminders = usable.map((one) => ({ ...one.reminder, matched: matchedBy(one, touched) }));
      const exhausted = usable.flatMap(({ reminder: { path }, patterns }): ReminderProblem[] =>
        patterns?.exhausted === undefined ? [] : [{ path, problem: patterns.exhausted }],
      );
      const wrong = [...problems, ...exhausted].slice(0, PROBLEMS_KEPT);
      this.#wrong = wrong.length === 0 ? NONE : wrong;
      return { reminders, problems: wrong };
    };
    const versions = changedVersions(usable, turn);
    if (versions.length === 0) return toFact();
    const event = { type: "reminders_changed" as const, versions: Object.fromEntries(versions) };
    return turn.record([event]).then(toFact);
  }
}

type Usable = FoundReminder & { reminder: UserReminder };

/** Each path with all its names, and the matching steps shared by all reminders. */
interface Touch {
  path: string;
  names: readonly string[];
  effort: Effort;
}

function touchesOf({ facts, cwd }: TurnInfo): Touch[] {
  return facts.activity.touched.map(({ path, realPath }: TouchedPath) => ({
    path,
    names: [absolutePath(path, cwd), ...(realPath === undefined ? [] : [realPath])],
    effort: freshEffort(),
  }));
}

function matchedBy({ base, patterns }: Usable, touched: readonly Touch[]): MatchedPath[] {
  if (patterns === undefined) return [];
  return touched.flatMap(({ path, names, effort }) => {
    for (const name of names) {
      const inside = below(base, name);
      if (inside === undefined) continue;
      const match = matchPatterns(patterns, namesOf(inside), effort);
      if (match.matched) return [{ path, by: match.by }];
    }
    return [];
  });
}

/** The new versions of reminders that are sent again when they change: paths with hashes. */
function changedVersions(reminders: readonly Usable[], { facts }: TurnInfo): [string, string][] {
  const known = facts.reminderFiles.versions;
  return reminders.flatMap(({ reminder: { path, lifetime, content } }) => {
    if (lifetime !== "until_changed") return [];
    const hash = hashOf(content);
    return known[path]?.hash === hash ? [] : [[path, hash] as [string, string]];
  });
}

// The reminders of a user and a project on disk: a file is read again when it has changed.

export interface FoundReminder extends ParsedReminder {
  /** The base of its globs. */
  base: string;
  hash: string;
}

export interface FoundReminders {
  readonly reminders: readonly FoundReminder[];
  readonly problems: readonly ReminderProblem[];
}

export interface ReminderFiles {
  /** At once if it is seen at once that nothing has changed. */
  read(work: (job: Job) => Promise<unknown>): Promise<FoundReminders> | FoundReminders;
}

const NONE_FOUND: FoundReminders = frozen({ reminders: [], problems: [] });

interface Place {
  directory: string;
  base: string;
  scope: UserReminder["scope"];
}

interface Kept {
  signature: Signature;
  /** Changed so recently that an equal signature proves nothing. */
  racy: boolean;
  shelved: FoundReminder;
}

/** A directory with this signature has these names. */
interface Listing {
  signature: Signature;
  names: readonly string[];
}

// More than anyone writes by hand.
const MOST_FILES = 200;
// Some file systems keep times in steps of two seconds.
const RACY_MS = 2100;

/** The answer of `isTrusted` about a project's file holds until the file changes; without it none is trusted. */
export function createReminderFiles(
  fileAccess: FileAccess,
  isTrusted: IsTrusted = () => false,
): ReminderFiles {
  return new FilesOfReminders(fileAccess, isTrusted);
}

/** A result, and how everything looked that it depends on. */
interface Settled {
  paths: readonly string[];
  /** In the order of the paths. */
  signatures: readonly (Signature | undefined)[];
  found: FoundReminders;
}

// A class, as each session has one. Most find no reminders, and keep none.
class FilesOfReminders implements ReminderFiles {
  readonly #fileAccess: FileAccess;
  readonly #isTrusted: IsTrusted;
  #kept: Map<string, Kept> | undefined;
  #listings: Map<string, Listing> | undefined;
  #files: MemoryFiles | undefined;
  #settled: Settled | undefined;

  constructor(fileAccess: FileAccess, isTrusted: IsTrusted) {
    this.#fileAccess = fileAccess;
    this.#isTrusted = isTrusted;
  }

  read(work: (job: Job) => Promise<unknown>): Promise<FoundReminders> | FoundReminders {
    return this.#unchanged() ?? this.#readAll(work);
  }

  #unchanged(): FoundReminders | undefined {
    if (this.#settled === undefined) return undefined;
    const { paths, signatures, found } = this.#settled;
    const now = this.#files?.signaturesNow(paths);
    const isSettled = now !== undefined && signatures.every((one, index) => isSameOrNone(one, now[index]));
    return isSettled ? found : undefined;
  }

  async #readAll(work: (job: Job) => Promise<unknown>): Promise<FoundReminders> {
    this.#settled = undefined;
    const [places, from] = await Promise.all([
      placesFor(this.#fileAccess),
      this.#files ?? filesFor(this.#fileAccess),
    ]);
    this.#files = from;
    const problems: ReminderProblem[] = [];
    const reminders: FoundReminder[] = [];
    const seen = new Map<string, Signature | undefined>();
    const directories = await from.signatures(places.map(({ directory }) => directory));
    for (const [index, place] of places.entries()) {
      const { directory } = place;
      const signature = directories[index];
      seen.set(directory, signature);
      if (signature === undefined) continue;
      const names = await this.#namesIn(directory, signature, from);
      if (typeof names === "string") {
        problems.push({ path: directory, problem: names });
        continue;
      }
      const paths = names.map((name) => joined(directory, name));
      const left = MOST_FILES - reminders.length;
      if (paths.length > left)
        problems.push({
          path: directory,
          problem: `more than ${MOST_FILES} reminders: the rest is ignored`,
        });
      const wanted = paths.slice(0, left);
      const signatures = await from.signatures(wanted);
      for (const [at, path] of wanted.entries()) {
        const signature = signatures[at];
        seen.set(path, signature);
        if (signature === undefined) problems.push({ path, problem: "is a link that leads nowhere" });
        else if (signature.kind !== "file") problems.push({ path, problem: "is not a regular file" });
        else reminders.push(await this.#look(path, place, { signature, work, from }));
      }
    }
    for (const path of this.#kept?.keys() ?? []) if (!seen.has(path)) this.#kept?.delete(path);
    const all = [...problems, ...reminders.flatMap((one) => one.problems)];
    const found = reminders.length === 0 && all.length === 0 ? NONE_FOUND : { reminders, problems: all };
    const signatures = [...seen.values()];
    if (!signatures.some((signature) => signature !== undefined && isRacy(signature)))
      this.#settled = { paths: [...seen.keys()], signatures, found };
    return found;
  }

  async #look(path: string, place: Place, options: LookOptions): Promise<FoundReminder> {
    const { signature, work, from } = options;
    this.#kept ??= new Map();
    const before = this.#kept.get(path);
    if (before !== undefined && !before.racy && isSame(before.signature, signature)) return before.shelved;
    const found = await from.read(path);
    const shelved =
      found.kind === "text" && found.hash === before?.shelved.hash
        ? before.shelved
        : await shelve(path, place, found, { work, isTrusted: this.#isTrusted });
    this.#kept.set(path, { signature, racy: isRacy(signature), shelved });
    return shelved;
  }

  /** Sorted; or why they cannot be listed. */
  async #namesIn(
    directory: string,
    signature: Signature,
    from: MemoryFiles,
  ): Promise<readonly string[] | string> {
    const before = this.#listings?.get(directory);
    if (before !== undefined && isSame(before.signature, signature)) return before.names;
    const isSettled = !isRacy(signature);
    const listed = await from.list(directory);
    if (typeof listed === "string") return listed;
    const names = listed
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".md"))
      .sort();
    if (isSettled) this.#listings = (this.#listings ?? new Map()).set(directory, { signature, names });
    return names;
  }
}

async function filesFor(fileAccess: FileAccess): Promise<MemoryFiles> {
  const { cwd, home } = fileAccess;
  return readerFilesOf({ reader: await fileAccess.reader(), mounts: [cwd, home] });
}

interface LookOptions {
  signature: Signature;
  from: MemoryFiles;
  work(job: Job): Promise<unknown>;
}

/** The user's own first, then the project's from the repository's root down. */
async function placesFor(fileAccess: FileAccess): Promise<Place[]> {
  const { levels } = await fileAccess.project();
  const own: Place = {
    directory: joined(fileAccess.configDirectory, "reminders"),
    base: fileAccess.cwd,
    scope: "user",
  };
  return [
    ...(fileAccess.takes("user_reminders") ? [own] : []),
    ...levels.map((base): Place => ({ directory: joined(base, ".sotto/reminders"), base, scope: "project" })),
  ];
}

async function shelve(
  path: string,
  { base, scope }: Place,
  found: MemoryRead,
  { work, isTrusted }: Pick<LookOptions, "work"> & { isTrusted: IsTrusted },
): Promise<FoundReminder> {
  if (found.kind !== "text") {
    const problem = found.kind === "missing" ? "does not exist" : found.why;
    return { base, hash: "", problems: [{ path, problem }] };
  }
  const parsed = await parseReminder(found.text, { path, scope, work });
  const { reminder } = parsed;
  const isOpen = reminder?.scope === "project" && !(await isAllowed(isTrusted, path, found.text));
  return {
    ...{ base, hash: found.hash, ...parsed },
    ...(isOpen ? { reminder: { ...reminder, untrusted: true as const } } : {}),
  };
}

function isRacy({ ctimeMs }: Signature): boolean {
  return Date.now() - ctimeMs < RACY_MS;
}

function isSameOrNone(one: Signature | undefined, other: Signature | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSame(one, other);
}

function isSame(one: Signature, other: Signature): boolean {
  return (
    one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.ctimeMs === other.ctimeMs
  );
}
