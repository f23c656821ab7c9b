// Recognises messages that earlier requests had, so that a turn reads only what is new: by identity if the host passes
// the same objects again, by comparing their values if it parsed its request anew.

/** Compares a request with earlier ones. */
export type Recall = (messages: readonly unknown[]) => Recalled;

export interface Recalled {
  /** How many messages at its beginning an earlier request began with, too. */
  shared: number;
  /** A number for each message: the same one as before for those. Remembers the others. */
  number(): readonly number[];
}

// Conversations that alternate on one session: its own, and side requests such as for a title.
const CONVERSATIONS_MOST = 4;
// No message of a real conversation is deeper, or has more values.
const DEEPEST = 100;
const MOST_VALUES = 200_000;

const OBJECT = Symbol("object");
const LIST = Symbol("list");
const END = Symbol("end");

/** Messages as they were when they were seen: a host may change its objects afterwards. All lists are as long. */
interface Conversation {
  ids: number[];
  messages: unknown[];
  contents: unknown[];
  /** How many blocks each had. */
  sizes: number[];
  /** Where the values of each end in the list of values. */
  ends: number[];
  /** The values of all messages, one after the other: strings are shared with the host's objects. */
  values: unknown[];
}

// Never given twice in a process, as a session may begin anew with an empty recall.
let nextId = 0;

export function createRecall(): Recall {
  let conversations: Conversation[] = [];

  return (messages) => {
    const { from, shared } = longestShared(conversations, messages);
    return { shared, number: () => remember(from, shared, messages) };
  };

  function remember(from: Conversation | undefined, shared: number, messages: readonly unknown[]) {
    const conversation = from?.ids.length === shared ? from : beginningOf(from, shared);
    const { ids, messages: seen, contents, sizes, ends, values } = conversation;
    for (let index = shared; index < messages.length; index++) {
      const message = messages[index];
      const isSound = addValues(message, values);
      if (!isSound) values.length = ends.at(-1) ?? 0;
      ids.push(nextId++);
      const content = contentOf(message);
      // A message that cannot be compared is like no other: not even itself.
      seen.push(isSound ? message : OBJECT);
      contents.push(content);
      sizes.push(sizeOf(content));
      ends.push(values.length);
    }
    conversations = [conversation, ...conversations.filter((one) => one !== conversation)];
    conversations.length = Math.min(conversations.length, CONVERSATIONS_MOST);
    // The conversation goes on growing: the caller gets a list of its own.
    return ids.slice();
  }
}

function longestShared(
  conversations: readonly Conversation[],
  messages: readonly unknown[],
): { from?: Conversation; shared: number } {
  let best: { from?: Conversation; shared: number } = { shared: 0 };
  for (const from of conversations) {
    // The latest one comes first, and is the longest as a rule: shorter ones cannot share more.
    if (from.ids.length <= best.shared) continue;
    const shared = sharedLength(from, messages);
    if (shared > best.shared) best = { from, shared };
  }
  return best;
}

function beginningOf(from: Conversation | undefined, length: number): Conversation {
  if (from === undefined) return { ids: [], messages: [], contents: [], sizes: [], ends: [], values: [] };
  return {
    ids: from.ids.slice(0, length),
    messages: from.messages.slice(0, length),
    contents: from.contents.slice(0, length),
    sizes: from.sizes.slice(0, length),
    ends: from.ends.slice(0, length),
    values: from.values.slice(0, from.ends[length - 1] ?? 0),
  };
}

function sharedLength(
  { messages: seen, contents, sizes, ends, values }: Conversation,
  messages: readonly unknown[],
): number {
  const most = Math.min(seen.length, messages.length);
  for (let index = 0; index < most; index++) {
    const message = messages[index];
    const before = seen[index];
    // The same object, with the same list of as many blocks.
    const content = message === before ? contentOf(message) : undefined;
    if (message === before && content === contents[index] && sizeOf(content) === sizes[index]) continue;
    const isComparable = message === before ? isPlain(message) : before !== OBJECT;
    if (!isComparable) return index;
    if (!hasValues(message, values, ends[index - 1] ?? 0, ends[index] as number)) return index;
  }
  return most;
}

function contentOf(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return undefined;
  return (message as { content?: unknown }).content ?? (message as { parts?: unknown }).parts;
}

function sizeOf(content: unknown): number {
  return Array.isArray(content) ? content.length : 0;
}

/** False if the message is too deep or too large to compare. */
function addValues(message: unknown, values: unknown[]): boolean {
  const most = values.length + MOST_VALUES;
  const add = (value: unknown, depth: number): boolean => {
    if (values.length > most || depth > DEEPEST) return false;
    if (Array.isArray(value)) {
      values.push(LIST);
      for (let index = 0; index < value.length; index++) if (!add(value[index], depth + 1)) return false;
      values.push(END);
    } else if (isPlain(value)) {
      values.push(OBJECT);
      for (const key in value) {
        values.push(key);
        if (!add(value[key], depth + 1)) return false;
      }
      values.push(END);
    } else values.push(value);
    return true;
  };
  return add(message, 0);
}

/** Whether a message has these values, including the order of keys: what is sent has to be what was given. */
function hasValues(message: unknown, values: readonly unknown[], from: number, end: number): boolean {
  let at = from;
  const has = (value: unknown): boolean => {
    if (at >= end) return false;
    if (Array.isArray(value)) {
      if (values[at++] !== LIST) return false;
      for (let index = 0; index < value.length; index++) if (!has(value[index])) return false;
      return values[at++] === END;
    }
    if (isPlain(value)) {
      if (values[at++] !== OBJECT) return false;
      for (const key in value) {
        if (values[at++] !== key) return false;
        if (!has(value[key])) return false;
      }
      return values[at++] === END;
    }
    return Object.is(values[at++], value);
  };
  return has(message) && at === end;
}

/** Everything else, such as bytes or a date, is compared by identity. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
