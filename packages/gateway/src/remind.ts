// Puts reminders into a request: finds its conversation, asks for a turn, splices. Whatever goes wrong, the request goes
// out as it came, with the reason.

import type { IncomingMessage } from "node:http";
import { setImmediate as atOnce } from "node:timers/promises";
import type { Session, Turn } from "sotto";
import type { ProviderHistory, Store } from "sotto/extend";
import { type BodyText, type Bytes, createReadBody } from "sotto/internal";
import { fieldsOf } from "./body-parts.ts";
import {
  type Conversation,
  createFindConversation,
  type FindConversation,
  saidWorkspace,
} from "./conversations.ts";
import type { Ended } from "./forward.ts";
import { fromMemory, type Marks, readOnly } from "./marks.ts";
import { overlayStore } from "./overlay-store.ts";
import { createPrefixes, type Prefix, type Prefixes } from "./prefix.ts";
import type { ClientBody, RecordRequest } from "./recording.ts";
import { type RequestBody, splicedBytes } from "./request-body.ts";
import { type Attempt, createRetries } from "./retries.ts";
import type { Route } from "./routes.ts";
import type { Sessions } from "./sessions.ts";
import type { AnswerFacts, ModelFacts } from "./usage.ts";

export interface Asked {
  headers: IncomingMessage["headers"];
  route: Route;
  body: RequestBody;
  /** The name of the client's token. */
  client?: string | undefined;
}

export interface Reminded {
  /** In pieces: what is the client's is not copied. */
  bytes: readonly Buffer[];
  /** The bytes are not compressed any more. */
  decoded?: boolean;
  session?: string;
  foundBy?: string;
  /** How many new reminders are in it, and their tokens. */
  reminders: number;
  /** Why the request is as it came. */
  unchanged?: string;
  /** It should not be: something went wrong. */
  failed?: boolean;
  /** Whether it begins as the last one of its conversation did. */
  prefix?: Prefix | undefined;
  /** The beginning of the answer helps to find its conversation again. */
  wantsWords?: boolean;
  /** The answer's first byte is here. */
  answered(status: number): void;
  /** Keeps the answer's id, if the next request may continue from it by that. */
  keepId?(id: string): Promise<void>;
  /** The answer is whole: keeps what it was told, if no later request shows that. */
  keepTurn?(): Promise<unknown>;
  /** The answer says that it failed: it is none. */
  noAnswer(): void;
  /** What the answer said about itself. */
  told(facts: AnswerFacts): void;
  /** It is over; `cut`: the answer was not passed on to its end. */
  over(ended: Ended): void;
}

export interface ReminderOptions {
  store: Store;
  marks: Marks;
  sessions: Sessions;
  remindMs: number;
  modelFacts?: ((model: string) => ModelFacts | undefined) | undefined;
  /** Keeps what clients send, if that is wanted. */
  record: RecordRequest;
}

export type Remind = (asked: Asked) => Promise<Reminded>;

export function createRemind(options: ReminderOptions): Remind {
  const { marks, remindMs } = options;
  const readBody = createReadBody();
  const find = createFindConversation(marks);
  const look = createFindConversation(readOnly(marks));
  const recall = createFindConversation(fromMemory(marks));
  const retries = createRetries();
  const prefixes = createPrefixes();
  return async (asked) => {
    const plain = unchanged(asked, "");
    const { problem } = asked.body;
    if (problem !== undefined) return { ...plain, unchanged: problem, failed: true };
    const mayNotChange = signed(asked.headers);
    if (mayNotChange !== undefined) return { ...plain, unchanged: mayNotChange };
    let isLate = false;
    let recalled: Recall = async () => undefined;
    const failed = async (unchanged: string) => {
      // What is known is known at once; nobody waits for the store again.
      const found = await Promise.race([recalled(), atOnce(undefined)]);
      return { ...plain, prefix: found && prefixes.without(found.session), unchanged, failed: true };
    };
    const finding = asked.route.counts ? look : find;
    const work = remind({
      ...options,
      asked,
      readBody,
      find: finding,
      recall,
      retries,
      prefixes,
      isLate: () => isLate,
      onRead: (recalls) => {
        recalled = recalls;
      },
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), remindMs);
    });
    try {
      const done = await Promise.race([work, late]);
      if (done !== "late") return done;
      isLate = true;
      // Nobody sends what it found.
      void work.then((reminded) => reminded.over({ status: 0, cut: true })).catch(() => undefined);
      return await failed(`no reminders were ready within ${remindMs} ms`);
    } catch (error) {
      return await failed(reasonOf(error));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The conversation, as far as this process knows it: for a store that is down. */
type Recall = () => Promise<Conversation | undefined>;

interface Work extends ReminderOptions {
  asked: Asked;
  readBody: ReturnType<typeof createReadBody>;
  find: FindConversation;
  recall: FindConversation;
  retries: ReturnType<typeof createRetries>;
  prefixes: Prefixes;
  onRead: (recalled: Recall) => void;
  /** The request went out without waiting for this. */
  isLate: () => boolean;
}

async function remind(work: Work): Promise<Reminded> {
  const { asked, readBody, find, sessions, retries } = work;
  const { route, headers, client } = asked;
  const { dialect } = route as Required<Route>;
  const whole = readBody(dialect.field, asked.body.plain as Bytes);
  const read = (route.counts && requestIn(whole.body)) || whole;
  const body = fieldsOf(read.body);
  const sought = { headers, dialect, body, client };
  const recalled: Recall = async () => {
    const known = route.counts ? undefined : await work.recall(sought).catch(() => undefined);
    return known && "session" in known ? known : undefined;
  };
  work.onRead(recalled);
  const conversation = await find(sought).catch(async (error: unknown) => {
    const known = await recalled();
    if (known === undefined || !sessions.isOpen(known.session)) throw error;
    return known;
  });
  if ("side" in conversation) return unchanged(asked, conversation.side);
  const { session: id, by: foundBy } = conversation;
  const whose = { session: id, foundBy };
  const saysWorkspace = () => saidWorkspace({ headers, dialect, body });
  const notSent = () => void conversation.over?.(undefined).catch(() => undefined);
  if (route.counts || conversation.summary) {
    notSent();
    return { ...(await count(work, { conversation, read, saysWorkspace })), ...whose };
  }

  const to = `${route.upstream.name} ${route.path}`;
  const kept = dialect.kept?.(read.body);
  const given = asked.body.bytes;
  const { session, done } = await sessions.use(conversation, saysWorkspace).catch((error: unknown) => {
    notSent();
    throw error;
  });
  const keepsAnswers = dialect.keepsAnswer?.(body) === true;
  const all = { work, session, conversation, kept, keepsAnswers, askedModel: modelIn(body, route), done };
  const earlier = retries.take(id, to, given);
  // What was sent since is not in it, and would seem to be answered.
  const isStale =
    earlier !== undefined &&
    (!retries.isLatest(earlier) || (await work.marks.isOvertaken(id).catch(() => false)));
  if (isStale) void earlier.turn.abandon();
  if (earlier !== undefined && !isStale) {
    const watched = watching({ ...all, attempt: earlier });
    const isChanged = earlier.sent !== earlier.given.parts;
    const as = isChanged ? decodedOf(asked) : { unchanged: "it was sent before, as it came" };
    return { ...watched, ...whose, bytes: earlier.sent, reminders: 0, ...as };
  }
  try {
    const order = retries.begin(id);
    const take = () => session.turn({ dialect, body: read.body }) as Promise<Turn>;
    const turn = await conversation.remember(take);
    const isChanged = turn.body !== read.body;
    const sent = isChanged ? splicedBytes(asked.body, read.pieces(turn.body)) : given.parts;
    const attempt = { session: id, to, given, sent, order, turn };
    const nothing = isChanged ? decodedOf(asked) : { unchanged: whyNothing(turn) };
    const request = { dialect, body };
    const watched = watching({ ...all, attempt, request });
    const more = { prefix: work.prefixes.of(id, turn, body), failed: turn.problem !== undefined };
    return { ...watched, ...whose, bytes: sent, reminders: turn.reminders.length, ...more, ...nothing };
  } catch (error) {
    notSent();
    done();
    throw error;
  }
}

function whyNothing({ problem, trace: [first, ...others] }: Turn): string {
  const isOff = first?.outcome === "off" && others.every(({ reason }) => reason === first.reason);
  return problem ?? (isOff ? first.reason : "nothing is due");
}

/** Gemini counts a list of contents, or a request as it would be sent: the latter with its system prompt and tools. */
function requestIn(whole: unknown): BodyText | undefined {
  const { generateContentRequest } = fieldsOf(whole);
  if (typeof generateContentRequest !== "object" || generateContentRequest === null) return undefined;
  const write = (changed: unknown) => JSON.stringify({ ...fieldsOf(whole), generateContentRequest: changed });
  return { body: generateContentRequest, write, pieces: (changed) => [write(changed)] };
}

/** Gemini's is in the path. */
function modelIn({ model }: Readonly<Record<string, unknown>>, { path }: Route): string | undefined {
  return typeof model === "string" ? model : /\/models\/([^/:?]+):/u.exec(path)?.[1];
}

/** An error of the parser would quote the body. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not valid JSON";
  return error instanceof Error ? error.message : String(error);
}

function decodedOf({ body }: Asked): { decoded?: true } {
  return body.plain === body.bytes ? {} : { decoded: true };
}

/** Types that need to know what was used; without them it is not recorded. */
const USAGE_TYPES = new Set(["token_usage", "budget_usd"]);

/** Statuses that refuse the body itself: the client sends another one, perhaps to another gateway. */
const REFUSES_BODY = new Set([400, 404, 413, 415, 422]);

interface Watched {
  work: Work;
  session: Session;
  conversation: Conversation;
  attempt: Attempt;
  /** The history that the provider keeps: it has this request only once the answer is whole. */
  kept: ProviderHistory | undefined;
  /** The provider keeps the answer: the next request may continue from it by its id. */
  keepsAnswers: boolean;
  /** Unset if it is sent again. */
  request?: ClientBody;
  /** What the client asked for: not every server says which model answers. */
  askedModel?: string | undefined;
  done(): void;
}

/** What becomes of a request decides what becomes of its reminders. */
function watching({
  work,
  session,
  conversation,
  attempt,
  kept,
  keepsAnswers,
  request,
  askedModel,
  done,
}: Watched): Pick<
  Reminded,
  "wantsWords" | "answered" | "keepId" | "keepTurn" | "noAnswer" | "told" | "over"
> {
  const { turn } = attempt;
  const isKeptByName = kept?.moves === false;
  let begins = "";
  let hasFailed = false;
  const reportsUsage = turn.trace.some(({ type, outcome }) => USAGE_TYPES.has(type) && outcome !== "off");
  return {
    wantsWords: conversation.over !== undefined,
    answered(status) {
      if (kept === undefined && status >= 200 && status < 300) void turn.commit();
    },
    ...(keepsAnswers && {
      keepId: async (name: string) => {
        await Promise.all([turn.keptAs(name), conversation.rememberAnswer?.(name)]);
      },
    }),
    ...(kept && {
      keepTurn: async () => {
        if (!hasFailed) await turn.commit();
        // Before the client goes on: nothing else shows that it was not answered.
        else if (isKeptByName) await turn.abandon();
      },
    }),
    noAnswer() {
      hasFailed = true;
    },
    told({ usage, model = askedModel, words = "" }) {
      begins = words;
      if (usage === undefined || model === undefined || !reportsUsage) return;
      const facts = work.modelFacts?.(model);
      if (facts === undefined) return;
      const usedTokens = usage.input + usage.output;
      const addedUsd = facts.costOf(usage);
      void session
        .record({ type: "usage_reported", usedTokens, totalTokens: facts.window, addedUsd })
        .catch(() => undefined);
    },
    over({ status, cut, unsent = false }) {
      const isAnswered = status >= 200 && status < 300;
      const isWhole = isAnswered && !cut && !hasFailed && !work.isLate();
      const isPart = isAnswered && cut && !work.isLate();
      void conversation.over?.(isWhole ? begins : undefined, isPart).catch(() => undefined);
      // A retry has been sent before.
      if (work.isLate() || (unsent && request !== undefined)) void turn.abandon({ unsent: true });
      else if (kept && isWhole) void turn.commit();
      else if (isKeptByName) void turn.abandon();
      else if (!cut && REFUSES_BODY.has(status)) void turn.abandon();
      else if (!isWhole) work.retries.keep(attempt);
      if (request === undefined || unsent || work.isLate()) return done();
      void work
        .record(session, request)
        .catch(() => undefined)
        .finally(done);
    },
  };
}

/** What the request would be with its reminders, in a copy of its session: nothing of it is recorded. */
async function count(
  { asked, store, sessions }: Work,
  {
    conversation,
    read,
    saysWorkspace,
  }: { conversation: Conversation; read: BodyText; saysWorkspace: () => string | undefined },
): Promise<Reminded> {
  const { dialect } = asked.route as Required<Route>;
  const copy = await overlayStore(store, conversation.session);
  if (copy === undefined) return unchanged(asked, "its conversation is not known yet");
  const session = sessions.aside(conversation, copy, saysWorkspace);
  try {
    const turn = await session.turn({ dialect, body: read.body });
    if (turn.body === read.body) return unchanged(asked, whyNothing(turn));
    const bytes = splicedBytes(asked.body, read.pieces(turn.body));
    const why = conversation.summary ? "its client sums it up: it is not recorded" : "it is only counted";
    return { ...unchanged(asked, why), bytes, ...decodedOf(asked) };
  } finally {
    await session.close();
  }
}

function unchanged({ body }: Asked, why: string): Reminded {
  const nothing = () => {};
  return {
    bytes: body.bytes.parts,
    reminders: 0,
    unchanged: why,
    answered: nothing,
    noAnswer: nothing,
    told: nothing,
    over: nothing,
  };
}

/** A body that is signed or summed up may not change. */
function signed(headers: IncomingMessage["headers"]): string | undefined {
  const isSigned =
    headers["x-amz-content-sha256"] !== undefined ||
    headers["content-md5"] !== undefined ||
    headers["content-digest"] !== undefined ||
    headers.digest !== undefined ||
    /digest|md5|checksum|signature/iu.test(headers.trailer ?? "") ||
    headers.authorization?.startsWith("AWS4-") === true;
  return isSigned ? "it is signed: a changed body would be refused" : undefined;
}
