// Changes of files as edges: made from what was found, and read as what there is to say about each file.

import type { EventOf, FileVersion, TodoItem } from "./events.ts";
import type { Edge } from "./pending.ts";

/** Who changed a file. */
export interface Author {
  /** In words; absent: nobody here. */
  cause?: string | undefined;
  /** Perhaps: it may have been somebody else. */
  unsure?: true | undefined;
}

export interface FileEdge extends Edge, Author {
  /** The entry it came with. */
  seq: number;
  realPath: string;
  /** The path as the agent gave it: notices name this one. */
  path: string;
  change: "edited" | "deleted";
  /** What it was compared with. */
  from?: string;
  /** Absent when the file is gone. */
  after?: FileVersion;
  snippet?: string;
  image?: { mediaType: string; blob: string };
  /** The list, where it is the todo file. */
  todos?: TodoItem[];
}

/** What the model has not seen itself, though it was done for it: by a hook, a task, a sub-agent, and not by its tools. */
export function isForAgent(cause: string | undefined): cause is string {
  return cause !== undefined && !/^(?:own )?tool\b/iu.test(cause);
}

/** Whether two changes have the same author, and can be told as one. */
export function isBySame(one: Author, other: Author): boolean {
  return one.cause === other.cause && one.unsure === other.unsure;
}

/** Changes that build on each other, from what was seen on, by one author after the other: told one by one. */
export function isChain(edges: readonly FileEdge[], seen: string | undefined): boolean {
  return edges.every((edge, index) => {
    const before = edges[index - 1];
    return before === undefined
      ? edge.from === seen
      : edge.from === before.after?.hash && !isBySame(edge, before);
  });
}

/** What there is to say about a file. */
export interface FileNews {
  /** Its changes, each building on the one before. */
  edges: [FileEdge, ...FileEdge[]];
  /** The last of them: it tells what the file is now. */
  last: FileEdge;
  /** All that is said by that. */
  covers: string[];
}

export function toEdge(
  { realPath, change, version, from, snippet, image, todos }: EventOf<"file_changed">,
  { seq, path, cause, unsure }: { seq: number; path: string } & Author,
): FileEdge {
  return {
    id: `files/${seq}`,
    seq,
    realPath,
    path,
    change: change === "deleted" ? "deleted" : "edited",
    ...(from === undefined ? {} : { from }),
    ...(version === undefined ? {} : { after: version }),
    ...(snippet === undefined ? {} : { snippet }),
    ...(image === undefined ? {} : { image }),
    ...(todos === undefined ? {} : { todos }),
    ...(cause === undefined ? {} : { cause }),
    ...(unsure === undefined ? {} : { unsure }),
  };
}

/**
 * File by file. Where one turn has several changes of a file to tell (they were offered elsewhere one by one), those that
 * cancel each other out are not told, and of what came before it was removed or became something else nobody needs to
 * hear.
 */
export function newsOf(due: readonly FileEdge[]): FileNews[] {
  const byFile = Map.groupBy(
    due.filter(({ todos }) => todos === undefined),
    ({ realPath }) => realPath,
  );
  return [...byFile.values()].flatMap((all) => {
    const left = withoutDetours(all);
    const last = left.at(-1);
    if (last === undefined) return [];
    const other = left.findLastIndex((edge) => kindOf(edge) !== kindOf(last));
    const [first = last, ...others] = left.slice(other + 1);
    return [{ edges: [first, ...others], last, covers: all.map(({ id }) => id) }];
  });
}

/** What leads back to where it came from is as if it had not been. */
function withoutDetours(edges: readonly FileEdge[]): FileEdge[] {
  const left: FileEdge[] = [];
  for (const edge of edges) {
    left.push(edge);
    const start = left.findIndex(({ from }) => from === edge.after?.hash);
    if (start >= 0) left.length = start;
  }
  return left;
}

/** More than these are not told one by one: the first few are, the others are named, and the agent reads what it needs. */
export const MANY = 8;
const NAMED = 50;
const NAMED_CHARACTERS = 4000;
const AUTHORS_NAMED = 3;

/** Many files in one notice: the first, the others as far as they are named, and who changed them where that is known. */
export interface ManyFiles {
  filename: string;
  others: string[];
  /** How many others there are: those that are not named are told in later turns. */
  otherCount: number;
  cause?: string;
  unsure?: boolean;
}

export function namesOf(news: readonly FileNews[]): { data: ManyFiles; covers: string[] } {
  let left = NAMED_CHARACTERS;
  const end = news.findIndex(({ last }, index) => {
    if (index > 0) left -= last.path.length;
    return index > NAMED || left < 0;
  });
  const named = end < 0 ? news : news.slice(0, end);
  const [filename = "", ...others] = named.map(({ last }) => last.path);
  const causes = [...new Set(named.map(({ last }) => last.cause))];
  const isKnown = causes.every((one) => one !== undefined) && named.every(({ last }) => !last.unsure);
  const data = {
    filename,
    others,
    otherCount: news.length - 1,
    ...(causes.every((one) => one === undefined) ? {} : { cause: authorsOf(causes) }),
    ...(isKnown || causes.every((one) => one === undefined) ? {} : { unsure: true }),
  };
  return { data, covers: named.flatMap(({ covers }) => covers) };
}

function authorsOf(causes: readonly (string | undefined)[]): string {
  const known = causes.filter((one) => one !== undefined);
  const more = known.length > AUTHORS_NAMED ? ["something else you ran"] : [];
  const someone = known.length < causes.length ? ["someone else"] : [];
  return [...known.slice(0, AUTHORS_NAMED), ...more, ...someone].join(" or ");
}

function kindOf({ change, after }: FileEdge): string {
  return change === "deleted" ? "deleted" : after?.kind === "image" ? "image" : "text";
}
