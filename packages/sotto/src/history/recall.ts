// Recognises messages that earlier requests had, so that a turn reads only what is new: by identity if the host passes
// the same objects again, by comparing their values if it parsed its request anew.

/** Compares a request with earlier ones. */
export type Recall = (messages: readonly unknown[]) => Recalled;

export interface Recalled {
  /** How many messages at its beginning an earlier request began with, too. */
  shared: number;
  /**
   * A number for each message: the same one as before for those. Remembers the others. The list is shared, and may grow:
   * what stands behind the messages does not count.
   */
  number(): readonly number[];
}

// Conversations that alternate on one session: its own, and side requests such as for a title.
const CONVERSATIONS_MOST = 4;
// No message of a real conversation is deeper, or has more values.
const DEEPEST = 100;
const MOST_VALUES = 200_000;

// A host that passes the same objects may have changed them. The latest messages are compared in every request, and some of
// the others in turn: comparing all of a long conversation would cost more than the rest of a turn.
const LATEST = 16;
const IN_TURN = 128;

const OBJECT = Symbol("object");
const LIST = Symbol("list");
const END = Symbol("end");

/** Messages as they were when they were seen: a host may change its objects afterwards. */
interface Conversation {
  ids: number[];
  /**
   * The messages themselves, for as long as the host passes the same ones again; otherwise empty, as nobody else may have
   * them any more.
   */
  messages: unknown[];
  /**
   * The message in the middle of the last request, if the host still has it: whether the next one has it in its place shows
   * what the host does. The first and the last ones are changed by some hosts that keep the others.
   */
  middle: WeakRef<object> | undefined;
  middleAt: number;
  /** Where the values of each end in the list of values. */
  ends: number[];
  /** The values of all messages, one after the other: strings are shared with the host's objects. */
  values: unknown[];
  /** The message whose turn it is to be compared. */
  next: number;
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
    const { ids, ends, values } = conversation;
    const isAgain = from !== undefined && passesAgain(from, messages);
    const isKept = isAgain && conversation.messages.length === shared;
    const seen = isKept ? conversation.messages : isAgain ? messages.slice(0, shared) : [];
    for (let index = shared; index < messages.length; index++) {
      const message = messages[index];
      const isSound = addValues(message, values);
      // A message that cannot be compared is like no other: not even itself.
      if (!isSound) values.length = ends.at(-1) ?? 0;
      ids.push(nextId++);
      if (isAgain) seen.push(isSound ? message : OBJECT);
      ends.push(values.length);
    }
    conversation.messages = seen;
    conversation.middleAt = messages.length >> 1;
    const middle = messages[conversation.middleAt];
    conversation.middle = typeof middle === "object" && middle !== null ? new WeakRef(middle) : undefined;
    conversations = [conversation, ...conversations.filter((one) => one !== conversation)];
    conversations.length = Math.min(conversations.length, CONVERSATIONS_MOST);
    return ids;
  }
}

function passesAgain({ middle, middleAt }: Conversation, messages: readonly unknown[]): boolean {
  const before = middle?.deref();
  return before !== undefined && before === messages[middleAt];
}

function longestShared(
  conversations: readonly Conversation[],
  messages: readonly unknown[],
): { from?: Conversation; shared: number } {
  let best: { from?: Conversation; shared: number } = { shared: 0 };
  for (const from of conversations) {
    // The latest one comes first, and is the longest as a rule: shorter ones cannot share more.
    if (from.ids.length <= best.shared) continue;
    // Objects that changed since have the values of the latest one.
    const shared =
      from === conversations[0] ? sharedWithLatest(from, messages) : sharedValues(from, messages);
    if (shared > best.shared) best = { from, shared };
  }
  return best;
}

function beginningOf(from: Conversation | undefined, length: number): Conversation {
  if (from === undefined)
    return { ids: [], messages: [], middle: undefined, middleAt: 0, ends: [], values: [], next: 0 };
  return {
    ...from,
    ids: from.ids.slice(0, length),
    messages: from.messages.slice(0, length),
    ends: from.ends.slice(0, length),
    values: from.values.slice(0, from.ends[length - 1] ?? 0),
  };
}

function sharedWithLatest(conversation: Conversation, messages: readonly unknown[]): number {
  const { messages: seen } = conversation;
  if (seen.length === 0) return sharedValues(conversation, messages);
  const most = Math.min(seen.length, messages.length);
  let shared = sameObjects(messages, seen, 0, most);
  let same = shared;
  while (shared < most && isAt(conversation, shared, messages)) {
    const next = sameObjects(messages, seen, shared + 1, most);
    same += next - shared - 1;
    shared = next;
  }
  if (same === 0) return shared;
  const latest = Math.max(0, shared - LATEST);
  const from = conversation.next < latest ? conversation.next : 0;
  const to = Math.min(from + IN_TURN, latest);
  conversation.next = to;
  const unchanged = sharedValues(conversation, messages, from, to);
  return unchanged < to ? unchanged : sharedValues(conversation, messages, latest, shared);
}

/** Where the lists begin to differ. In a loop of its own, and by `Object.is`: what `===` is compiled to looks into the objects. */
function sameObjects(one: readonly unknown[], other: readonly unknown[], from: number, to: number): number {
  let at = from;
  while (at < to && Object.is(one[at], other[at])) at++;
  return at;
}

function sharedValues(
  conversation: Conversation,
  messages: readonly unknown[],
  from = 0,
  to = Math.min(conversation.ids.length, messages.length),
): number {
  const { ends, values } = conversation;
  // One object for all of them: there may be thousands.
  const comparing = { values, at: 0, end: ends[from - 1] ?? 0 };
  let shared = from;
  for (; shared < to; shared++) {
    comparing.at = comparing.end;
    comparing.end = ends[shared] as number;
    if (!hasValues(messages[shared], comparing)) break;
  }
  return shared;
}

function isAt({ ends, values }: Conversation, index: number, messages: readonly unknown[]): boolean {
  return hasValues(messages[index], { values, at: ends[index - 1] ?? 0, end: ends[index] as number });
}

/** An instance of a class is compared by identity and by this. */
function contentOf(message: object): unknown {
  return (message as { content?: unknown }).content ?? (message as { parts?: unknown }).parts;
}

function isInstance(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlain(value);
}

/** False if the message is too deep or too large to compare. */
function addValues(message: unknown, values: unknown[]): boolean {
  const most = values.length + MOST_VALUES;
  if (isPlain(message) || !isInstance(message)) return add(message, { values, most, depth: 0 });
  values.push(message);
  return add(contentOf(message), { values, most, depth: 1 });
}

interface Adding {
  values: unknown[];
  most: number;
  depth: number;
}

/** Texts and numbers are added where they stand: a call for each takes most of the time in a process that is new. */
function add(value: unknown, adding: Adding): boolean {
  const { values, most } = adding;
  if (values.length > most || adding.depth > DEEPEST) return false;
  if (Array.isArray(value)) {
    values.push(LIST);
    adding.depth += 1;
    for (let index = 0; index < value.length && values.length <= most; index++) {
      const item: unknown = value[index];
      if (typeof item !== "object") values.push(item);
      else if (!add(item, adding)) return false;
    }
  } else if (isPlain(value)) {
    values.push(OBJECT);
    adding.depth += 1;
    for (const key in value) {
      if (values.length > most) return false;
      const field = value[key];
      values.push(key);
      if (typeof field !== "object") values.push(field);
      else if (!add(field, adding)) return false;
    }
  } else {
    values.push(value);
    return true;
  }
  values.push(END);
  adding.depth -= 1;
  return values.length <= most;
}

interface Comparing {
  values: readonly unknown[];
  at: number;
  end: number;
}

/** Whether a message has these values, including the order of keys: what is sent has to be what was given. */
function hasValues(message: unknown, comparing: Comparing): boolean {
  if (!has(message, comparing)) return false;
  // The content of an instance stands behind it.
  const isSame =
    comparing.at === comparing.end || (isInstance(message) && has(contentOf(message), comparing));
  return isSame && comparing.at === comparing.end;
}

function has(value: unknown, comparing: Comparing): boolean {
  const { values, end } = comparing;
  if (comparing.at >= end) return false;
  if (Array.isArray(value)) {
    if (values[comparing.at++] !== LIST) return false;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object" ? !has(item, comparing) : !Object.is(values[comparing.at++], item))
        return false;
    }
    return values[comparing.at++] === END;
  }
  if (isPlain(value)) {
    if (values[comparing.at++] !== OBJECT) return false;
    for (const key in value) {
      if (values[comparing.at++] !== key) return false;
      const field = value[key];
      if (typeof field === "object" ? !has(field, comparing) : !Object.is(values[comparing.at++], field))
        return false;
    }
    return values[comparing.at++] === END;
  }
  return Object.is(values[comparing.at++], value);
}

/** Everything else, such as bytes or a date, is compared by identity. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
