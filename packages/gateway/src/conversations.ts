// Which conversation a request belongs to: by the name that its client gives it, or by the history it continues.

import type { Profile } from "sotto";
import { beginningOf } from "./answer-words.ts";
import { fieldsOf } from "./body-parts.ts";
import { createFindByContent, type Found } from "./by-content.ts";
import { type ClientRequest, claudeUser, identify, toolNames } from "./clients.ts";
import { digest, type HistoryChain, historyChain } from "./history-chain.ts";
import type { Marks } from "./marks.ts";
import { pauseIfLong } from "./request-body.ts";
import {
  createSentRequests,
  cutMark,
  doneMark,
  FAR,
  headOf,
  NO_WORDS,
  type Sent,
  type SentRequests,
  type TurnOf,
  upToNumber,
  wordsMark,
} from "./sent-requests.ts";

export interface Conversation extends Found {
  profile?: Profile;
  /** The type of the sub-agent whose conversation it is. */
  subagent?: string;
  /** Asked when its session has no log yet: a new name may go on with the history of a conversation of another name. */
  begins?(): Promise<Found["fork"]>;
  /** The request asks for a summary of it: nothing of the request is recorded. */
  summary?: true;
  /** So that requests find it that continue from an answer that the provider keeps. */
  rememberAnswer?(id: string): Promise<void>;
}

export type Sought = Conversation | { side: string };

export interface Asked extends ClientRequest {
  /** The name of the client's token: conversations of one client are not those of another. */
  client?: string | undefined;
}

export type FindConversation = (asked: Asked) => Promise<Sought>;

export function createFindConversation(marks: Marks): FindConversation {
  const byContent = createFindByContent(marks);
  const requests = createSentRequests(marks);
  return async (asked) => {
    const { dialect, body } = asked;
    if (Object.keys(body).length === 0) throw notOfThisApi(`expected an object with ${dialect.field}`);
    try {
      return await sought(asked);
    } catch (error) {
      // Reading a body of another shape throws what JavaScript throws; the dialect knows what is wrong.
      throw error instanceof TypeError ? notOfThisApi(dialect.problem(body)) : error;
    }
  };

  async function sought(asked: Asked): Promise<Sought> {
    const { headers, dialect, body, client } = asked;
    // It was parsed just now, and its messages are hashed next.
    await pauseIfLong(Number(headers["content-length"]));
    const identity = identify(asked);
    const { profile, conversation: named, by = "", agent, side, summary } = identity;
    if (side !== undefined) return { side };
    const space = client === undefined ? "gateway" : `gateway/@${client}`;
    const whose = {
      ...(profile && { profile }),
      ...(agent === undefined ? {} : { subagent: agent }),
      ...(summary && { summary }),
    };
    const tools = toolNames(asked);

    if (named !== undefined) {
      const isOwnName = by === "header x-sotto-session" || profile === undefined;
      const name = `${space}/${isOwnName ? "" : `${profile?.name}/`}${ownName(named)}`;
      const sub = agent === undefined ? undefined : `${name}/${shortName(agent)}`;
      if (sub !== undefined) return { session: sub, by, ...whose, remember: takeOnly };
      const chain = historyChain(asked, `${space} named ${keyOf(asked)}`);
      const place = await placeIn(marks, name, chain, asked);
      if (place === "side")
        return { side: "it has another system prompt than its conversation, and no tools" };
      const session = place === "main" || isOwnName ? name : `${name}/${place}`;
      const more = session === name ? {} : { subagent: "agent" };
      return { session, by, ...whose, ...more, ...histories({ marks, requests }, session, chain) };
    }

    const rememberAnswerOf = (session: string) => ({
      rememberAnswer: async (id: string) =>
        void (await marks.set(session, { name: answerMark(space, id), value: session })),
    });
    const kept = dialect.kept?.(body as never);
    if (kept !== undefined) {
      const { name, moves } = kept;
      const session = moves
        ? ((await marks.read([answerMark(space, name)]))[0] ?? `${space}/answer/${shortName(name)}`)
        : `${space}/conversation/${shortName(name)}`;
      const where = moves ? "field previous_response_id" : "field conversation";
      const more = moves ? rememberAnswerOf(session) : {};
      return { session, by: where, ...whose, remember: takeOnly, ...more };
    }
    const whoseKey = keyOf(asked);
    const kind = [space, profile?.name ?? "", agent ?? "", tools.length > 0 ? "tools" : "", whoseKey].join(
      " ",
    );
    const chain = historyChain(asked, kind);
    // What begins with nothing at all would be one conversation for everybody.
    if (chain.upTo.length === 0) {
      const problem = dialect.problem(body as never);
      if (problem !== undefined) throw notOfThisApi(problem);
      return { side: "it says nothing that its conversation could be known by" };
    }
    const found = await byContent(chain, space);
    const more = dialect.keepsAnswer?.(body as never) ? rememberAnswerOf(found.session) : {};
    return { ...found, ...whose, ...more };
  }
}

function notOfThisApi(problem: string | undefined): Error {
  return new Error(`it is not a request of this API${problem === undefined ? "" : `: ${problem}`}`);
}

// By name: a client may use one for its sub-agents and side requests as well.

type Place = "main" | "side" | (string & {});

/** The conversation is that of the first request with tools: a client may have begun with one for a title. */
async function placeIn(marks: Marks, name: string, chain: HistoryChain, asked: Asked): Promise<Place> {
  const hasTools = toolNames(asked).length > 0;
  const value = `${hasTools ? "tools" : "none"} ${chain.system} ${chain.first}`;
  const isLike = (mark: string) => {
    const [, system, first] = mark.split(" ");
    return system === chain.system || first === chain.first;
  };
  const main = await marks.set(name, { name: `main/${digest(name)}`, value });
  const toolsMark = `tools/${digest(name)}`;
  const withTools = main.startsWith("tools ")
    ? main
    : hasTools
      ? await marks.set(name, { name: toolsMark, value })
      : (await marks.read([toolsMark]))[0];
  if (withTools !== undefined && isLike(withTools)) return "main";
  const isAlone = !hasTools && withTools !== undefined;
  // Nobody goes on with a title.
  if (isLike(main) && !(isAlone && !isAnswered(asked))) return "main";
  return isAlone ? "side" : `agent-${digest(`${chain.system} ${chain.first}`).slice(0, 12)}`;
}

function isAnswered({ dialect, body }: Asked): boolean {
  return dialect
    .messages(body)
    .some((message, index) => dialect.read(message, index).some(({ role }) => role === "assistant"));
}

/**
 * Clients fork or resume a conversation under a new name: its log begins as that of the request whose history and answer it
 * continues.
 */
function histories(
  { marks, requests }: { marks: Marks; requests: SentRequests },
  session: string,
  { upTo, allEnds, answerAt }: HistoryChain,
): Pick<Conversation, "remember" | "begins" | "over"> {
  const end = upTo.at(-1);
  if (end === undefined) return { remember: takeOnly };
  // Set once its turn is taken.
  let own: Promise<number> | undefined;
  return {
    async remember(take) {
      let number = (await requests.lastNumber(end).catch(() => 0)) + 1;
      let sent: TurnOf | undefined;
      const markOf = (turn: TurnOf) => headOf(end, number, turn);
      const marksOf = (turn: number, at?: string) => {
        sent = turn === 0 ? undefined : { session, turn, at };
        return sent === undefined ? [] : [markOf(sent)];
      };
      const taken = await marks.withTurn(session, marksOf, take);
      // Another request with the same history may have taken the number meanwhile.
      const settle = async (turn: TurnOf) => {
        while ((await marks.set(session, markOf(turn))) !== markOf(turn).value) number += 1;
        return number;
      };
      if (sent !== undefined) own = settle(sent);
      own?.catch(() => undefined);
      return taken;
    },
    async over(answer, isCut = false) {
      if (answer === undefined && !isCut) return;
      // A request that is sent again takes no turn.
      const number = await (own ?? latestOwn(end));
      if (number === undefined) return;
      if (answer === undefined) await marks.put(session, [{ name: cutMark(end, number), value: "cut" }]);
      else await requests.answered(session, { hash: end, number, words: wordsMark(beginningOf(answer)) });
    },
    async begins() {
      // The same request under another name is another conversation, which begins with the same words.
      const ends = allEnds.filter((length) => length < upTo.length).toReversed();
      const [length, latest] = await requests.longest(upTo, ends);
      if (latest === undefined) return undefined;
      const hash = upTo[length - 1] as string;
      const given = wordsMark(answerAt(length));
      const numbers = await requests.numbersOf(hash, latest.number, given);
      const sent = await requests.withNumbers(hash, numbers);
      const answers = await marks.read(sent.map(({ number }) => doneMark(hash, number)));
      const cuts = await marks.read(sent.map(({ number }) => cutMark(hash, number)));
      // Answered with words that are not known. Nobody has an answer to what failed, or is under way.
      const isOpen = ({ session }: Sent, at: number) =>
        (answers[at] === NO_WORDS || (answers[at] === undefined && cuts[at] !== undefined)) &&
        !sent.slice(at + 1).some((later) => later.session === session);
      return (
        sent.findLast((_, at) => answers[at] === given) ??
        (given === NO_WORDS ? latest : sent.findLast(isOpen)) ??
        // Clients may change what they were answered. Where only a prompt is the same, it is another conversation.
        (length > (ends.at(-1) as number) ? latest : undefined)
      );
    },
  };

  async function latestOwn(hash: string): Promise<number | undefined> {
    const numbers = upToNumber(await requests.lastNumber(hash), FAR);
    return (await requests.withNumbers(hash, numbers)).findLast((one) => one.session === session)?.number;
  }
}

/** Its name is enough. */
function takeOnly<T>(take: () => Promise<T>): Promise<T> {
  return take();
}

function answerMark(space: string, id: string): string {
  return `answer/${digest(`${space} ${id}`)}`;
}

const KEYS = ["x-api-key", "x-goog-api-key", "api-key", "authorization"];

/** People with different keys have different conversations. Of a token that is renewed now and then, only whose it is counts. */
function keyOf({ headers, body }: Asked): string {
  const keys = KEYS.map((name) => String(headers[name] ?? ""));
  const lasting = keys.flatMap((key) => (RENEWED.test(key) ? ownerOf(key) : key));
  if (lasting.some((key) => key !== "")) return digest(lasting.join("\n"));
  const account = keys.some((key) => key !== "") ? claudeUser(body).account : undefined;
  return account === undefined ? "" : digest(account);
}

const RENEWED = /\b(?:eyJ|ya29\.|sk-ant-oat)/u;

/** None if the token does not say it. Whoever forges one gets no answer from the provider. */
function ownerOf(token: string): string[] {
  const [, claims = ""] = /\beyJ[\w-]*\.([\w-]+)/u.exec(token) ?? [];
  try {
    const { iss, sub } = fieldsOf(JSON.parse(Buffer.from(claims, "base64url").toString()));
    return typeof sub === "string" && sub !== "" ? [`${String(iss)} ${sub}`] : [];
  } catch {
    return [];
  }
}

const LONGEST = 200;

/** Readable where it can be. */
export function shortName(name: string): string {
  return name.length <= LONGEST && /^[\x21-\x7e]+$/u.test(name) ? name : digest(name);
}

/** Names with an @ are those of clients with a token. */
export function ownName(name: string): string {
  return name.startsWith("@") ? digest(name) : shortName(name);
}

/** Where the client says it works: in a header, or in the words by which agents tell their model. */
export function saidWorkspace({ headers, body, dialect }: ClientRequest): string | undefined {
  const given = headers["x-sotto-workspace"];
  if (typeof given === "string") return given;
  const { system, instructions, systemInstruction } = body;
  const beginning = dialect.messages(body).slice(0, 3);
  const text = JSON.stringify([system, instructions, fieldsOf(systemInstruction), beginning]) ?? "";
  return WORKSPACES.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
}

const WORKSPACES = [
  /<cwd>([^<"\\]{1,1000})<\/cwd>/u,
  /[Ww]orking directory: ([^"\\\n]{1,1000}?)(?:\\n|"|<)/u,
  /current working directory is[: ]+`?([^"\\`\n]{1,1000}?)(?:\\n|"|`|\.)/u,
];
