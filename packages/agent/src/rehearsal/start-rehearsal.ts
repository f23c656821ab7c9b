// The rehearsal: a local server that speaks Anthropic Messages and plays a scenario.

import { type ActionContext, act, type World } from "./act.ts";
import {
  asError,
  asEvents,
  asMessage,
  contentOf,
  type Exchange,
  MODEL,
  serve,
  type Usage,
  usageOf,
} from "./anthropic-server.ts";
import { createPlayer } from "./player.ts";
import {
  type Block,
  blocksOf,
  createConversations,
  isRepeated,
  type NewInput,
  newInputSince,
  promptBlocks,
  type RehearsedConversation,
  type RequestBody,
  refusal,
  tokensOf,
} from "./requests.ts";
import type { Call, Failing, Scenario } from "./scenario.ts";
import { fillIn } from "./scenario.ts";

export interface RehearsalOptions {
  /** The directory of the sample project. */
  cwd: string;
  world?: World;
  /** Called with each request of the script; the answer waits for it. */
  onRequest?: OnRequest | undefined;
}

export type OnRequest = (request: KeptRequest, heard: readonly NewInput[]) => Promise<void>;

export interface Rehearsal {
  /** Base URL for an SDK, which adds `/messages`. */
  readonly url: string;
  readonly model: string;
  /** Every model call, in order of arrival. */
  readonly requests: readonly KeptRequest[];
  /** Deviations from the script, with file and line. */
  readonly problems: readonly Problem[];
  /** Performs the actions before the next prompt and returns it; undefined when the script is over. */
  nextPrompt(): Promise<string | undefined>;
  /** The scripted answer to a question; undefined when there is none. */
  nextAnswer(): string | undefined;
  /** The host replaced the history: the next request of that conversation need not continue the last one. */
  rewritten(why: string, conversation?: string): void;
  close(): Promise<void>;
}

export interface Problem {
  /** 0 when no line of the scenario is to blame. */
  line: number;
  /** Starts with file and line. */
  message: string;
}

export interface KeptRequest {
  conversation: string;
  /** The body as received. */
  raw: Buffer;
  body: RequestBody;
  /** 0 without an answer. */
  status: number;
  outcome: "answered" | "failed" | "cut" | "left";
  answer?: readonly Block[];
  usage?: Usage;
  /** Why it need not continue the previous request. */
  rewritten?: string;
}

export async function startRehearsal(
  written: Scenario,
  { cwd, world = {}, onRequest }: RehearsalOptions,
): Promise<Rehearsal> {
  const scenario = fillIn(written, cwd);
  const requests: KeptRequest[] = [];
  const problems: Problem[] = [];
  const problem = (line: number, words: string) => {
    const message = `${scenario.file}${line > 0 ? `:${line}` : ""}: ${words}`;
    problems.push({ line, message });
    return message;
  };
  const ending = new AbortController();
  const context: ActionContext = { cwd, world, signal: ending.signal, answers: [], problem };
  const player = createPlayer({ scenario, typeOf: world.typeOf, problem });
  const conversations = createConversations();
  const marks = new Map<string, string>();
  let calls = 0;

  async function answer(exchange: Exchange): Promise<void> {
    const body = parsed(exchange.raw);
    const wrong = refusal(body);
    if (wrong !== undefined) {
      problem(0, `invalid request: ${wrong}`);
      return exchange.send(400, asError(400, wrong));
    }
    if (body.model !== MODEL) {
      const words = problem(0, `this is a rehearsal: its only model is ${MODEL}, not ${body.model}`);
      return exchange.send(404, asError(404, words));
    }
    const conversation = conversations.of(body);
    const kept = keep(conversation.name, body, exchange.raw);
    const tokens = tokensOf(promptBlocks(body));
    const { window = Number.POSITIVE_INFINITY } = scenario;
    if (tokens > window) {
      Object.assign(kept, { status: 400, outcome: "failed" });
      return exchange.send(400, asError(400, `prompt is too long: ${tokens} tokens > ${window} maximum`));
    }
    const replying = { kept, conversation, tokens, exchange };
    if (isRepeated(conversation, body)) return reply(conversation.answer ?? [], {}, replying);
    const heard = newInputSince(conversation.answered, body);
    await onRequest?.(kept, heard);
    const cue = player.cue(conversation, heard);
    await act(cue.meanwhile, context, exchange.left);
    if (ending.signal.aborted) return;
    // An interrupted client does not ask again; one that failed will.
    if (exchange.hasLeft())
      return cue.meanwhile.some(({ does }) => does === "interrupt") ? undefined : cue.takeBack();
    const { does } = cue;
    if ("with" in does) return fail(does, kept, exchange);
    // A resumed session has call ids of an earlier server in its history.
    calls = Math.max(calls, highestCall(body));
    reply(
      contentOf(does, () => `${CALL_ID}${++calls}`),
      does.usage,
      replying,
    );
  }

  function keep(conversation: string, body: RequestBody, raw: Buffer): KeptRequest {
    const why = marks.get(conversation);
    marks.delete(conversation);
    const rewritten = why === undefined ? {} : { rewritten: why };
    const kept: KeptRequest = { conversation, raw, body, status: 0, outcome: "left", ...rewritten };
    requests.push(kept);
    return kept;
  }

  function reply(content: readonly Block[], pretended: Call["usage"], replying: Replying): void {
    const { kept, conversation, tokens, exchange } = replying;
    const { body } = kept;
    const usage = usageOf(pretended, { tokens, content, body, before: conversation.answered });
    conversations.answered(conversation, body, content);
    Object.assign(kept, { status: 200, outcome: "answered", answer: content, usage });
    const whole = { id: `msg_rehearsal_${requests.length}`, content, usage };
    if (body.stream === true) exchange.stream(asEvents(whole));
    else exchange.send(200, asMessage(whole));
  }

  const { url, close } = await serve(answer);
  return {
    url,
    model: MODEL,
    requests,
    problems,
    async nextPrompt() {
      const step = player.nextUser();
      if (step === undefined) return undefined;
      await act(step.meanwhile, context, Promise.resolve());
      return step.text;
    },
    nextAnswer: () => context.answers.shift() ?? player.nextAnswer(),
    rewritten: (why, conversation = "main") => void marks.set(conversation, why),
    close() {
      ending.abort();
      return close();
    },
  };
}

interface Replying {
  kept: KeptRequest;
  conversation: RehearsedConversation;
  tokens: number;
  exchange: Exchange;
}

async function fail(failing: Failing, kept: KeptRequest, exchange: Exchange): Promise<void> {
  const { with: what, retryAfterMs } = failing;
  if (what !== "cut") {
    Object.assign(kept, { status: what, outcome: "failed" });
    const headers = retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) };
    return exchange.send(what, asError(what, `Scripted failure: ${what}.`), headers);
  }
  Object.assign(kept, { status: 200, outcome: "cut" });
  const content = [{ type: "text", text: "This sentence of the rehearsal has no end, since the connection" }];
  const begun = { id: "msg_rehearsal_cut", content, usage: { input: 0, output: 0, cacheRead: 0 } };
  if (kept.body.stream !== true) return exchange.cut("application/json", '{"type":"message","content":[');
  // Everything except the events that end the block and the message.
  return exchange.cut("text/event-stream", asEvents(begun).slice(0, -3).join(""));
}

const CALL_ID = "toolu_rehearsal_";

function highestCall({ messages }: RequestBody): number {
  const ids = messages.flatMap(({ content }) => blocksOf(content)).map(({ id }) => String(id));
  const numbers = ids.filter((id) => id.startsWith(CALL_ID)).map((id) => Number(id.slice(CALL_ID.length)));
  return Math.max(0, ...numbers.filter(Number.isSafeInteger));
}

/** Invalid JSON becomes an empty request, which is refused. */
function parsed(raw: Buffer): RequestBody {
  try {
    return JSON.parse(raw.toString("utf8"));
  } catch {
    return {} as RequestBody;
  }
}
