// One hook call: records the event, sends the reminders that are due, and notes in the store that they left.

import { existsSync } from "node:fs";
import {
  type Agent,
  createSession,
  type Session,
  type SessionEvent,
  type SessionOptions,
  SottoError,
  type Turn,
} from "sotto";
import type { Store } from "sotto/extend";
import { problemText } from "sotto/inspect";
import {
  asSeenByOtherAgents,
  createSessionForCall,
  endCalls,
  nameFor,
  parseEvent,
  recordAny,
  recordTogether,
  runningSubagents,
  setWriting,
  standsApart,
} from "sotto/internal";
import { readEndSync } from "sotto-agent/regular-file";
import { openPlace, type StorePlace } from "../sessions/open-store.ts";
import { answer, withoutTag } from "./answer.ts";
import { type HookAgent, hookAgent, type Meaning } from "./event-rules.ts";
import { type CallMoment, type CallPlan, planCall, ruleFor, type Writes } from "./plan-call.ts";
import { type HookInput, readEvent, sessionName } from "./read-event.ts";
import { fillReserve } from "./reserve.ts";
import { forgetLost, keepCall, reserveFor, takeCalls } from "./waiting-calls.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface Call {
  agent: string;
  /** The event, from stdin. */
  text: string;
  storePlace: StorePlace;
  /** How long a call of the store may wait. */
  storeMs: number;
  environment: Readonly<Record<string, string | undefined>>;
  parentProcess: number;
  nonce: string;
  /** Start time in milliseconds. */
  now: number;
  /** Throws if the output is closed. */
  write(text: string): void;
  debug(words: string): void;
  problem(words: string, event?: string): void;
  /** For a call that must end early: leaves what is not recorded to the next one. Returns words for the log. */
  leave?(): string;
}

// A text that is not in the transcript after this time was lost.
const LATE_MS = 2000;
// The agent may not write this kind of text to its transcript. After some misses, only texts of the same type count as
// evidence that it does; after more, the text counts as received.
const MISSED_OFTEN = 3;
const MOST_MISSED = 12;
// How many earlier texts to look for as evidence.
const LOOKED_FOR = 10;

/** Never throws. Leaves the session and store open: the process exits next. */
export async function runCall(call: Call): Promise<void> {
  let input: HookInput | undefined;
  try {
    const agent = hookAgent(call.agent);
    if (agent === undefined) throw new Error(`unknown agent "${call.agent}"`);
    input = readEvent(call.text);
    const planned = plannedFor(agent, input, call);
    if (planned === undefined) call.debug(`${input.event}: nothing to do`);
    else {
      call.leave = () => keep(call, planned);
      const { store } = await openPlace(call.storePlace, call.storeMs);
      await recordWaiting(call, store);
      await carryOut(call, Object.assign(planned, { store }));
      prepare(call);
    }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    call.problem(isOfStore(error) ? words + (call.leave?.() ?? "") : words, input?.event);
  }
}

function plannedFor(agent: HookAgent, input: HookInput, { now, nonce }: CallMoment): Planned | undefined {
  const plan = planCall(agent, input, { now, nonce });
  return plan && { agent, input, plan, left: new Set(plan.record.keys()), isRecorded: false };
}

function isOfStore(error: unknown): boolean {
  return error instanceof SottoError && /^store_(?:locked|full|failed|read_only)$/u.test(error.code);
}

/** After a call that went well: for one that does not. */
function prepare({ storePlace, problem }: Call): void {
  const reserve = reserveFor(storePlace);
  if (reserve !== undefined) fillReserve(reserve);
  const lost = forgetLost(storePlace);
  if (lost > 0)
    problem(`of earlier events, ${lost} could not be kept: the agent may be told of its own changes`);
}

/** Returns words for the log; none if nothing of it would be lost. */
function keep(call: Call, { agent, input, plan, left, isRecorded }: Planned): string {
  if (isRecorded) return "";
  const opens = ruleFor(agent, input.event)?.means === "agent_start";
  if (plan.record.length === 0 && plan.writes === undefined && !opens) return "";
  const { parentProcess, nonce, now } = call;
  const text = withoutSecrets(call.text, plan.record, call.environment);
  // Without its secrets a command may name fewer files.
  const count = planCall(agent, readEvent(text), { now, nonce })?.record.length ?? 0;
  const kept = left.size === plan.record.length ? [...Array(count).keys()] : [...left];
  const name = agent.directory ?? "";
  const value = call.environment[name];
  const environment = value === undefined ? {} : { [name]: value };
  const { main: session } = sessionName(agent.name, input, parentProcess);
  const about = { session, agent: agent.name, text, parentProcess, nonce, now, environment, left: kept };
  return keepCall(call.storePlace, about)
    ? "; the event is kept for the next call"
    : "; the event could not be kept";
}

/** What earlier calls could not record. */
async function recordWaiting(call: Call, store: Store): Promise<void> {
  for (const { call: waiting, drop, putBack } of takeCalls(call.storePlace)) {
    const then: Call = { ...call, ...waiting };
    let event: string | undefined;
    let known: Known | undefined;
    try {
      const agent = hookAgent(then.agent);
      const input = readEvent(then.text);
      event = input.event;
      const planned = agent && plannedFor(agent, input, then);
      if (planned === undefined) continue;
      known = { ...planned, left: new Set(waiting.left), store };
      const session = openSession(then, known);
      await recordEvents(then, session, known);
      const { writes } = known.plan;
      if (writes?.isOver === false) await setWriting(session, writingCall(writes));
    } catch (error) {
      if (isOfStore(error)) {
        // Without what was recorded by now.
        putBack(known && [...known.left]);
        throw error;
      }
      call.problem(error instanceof Error ? error.message : String(error), event);
    } finally {
      drop();
    }
  }
}

// None of the agent's calls is under way then: one that was announced and has no end was refused, or interrupted.
const CALLS_OVER: ReadonlySet<Meaning | undefined> = new Set([
  "prompt",
  "tools_done",
  "answered",
  "agent_stop",
]);

const MAIN: Agent = { kind: "main" };

type Seen = Parameters<Session["settleHandedOver"]>[0];

interface Planned {
  agent: HookAgent;
  input: HookInput;
  plan: CallPlan;
  /** Which of the plan's events are not recorded yet. */
  left: Set<number>;
  /** All of it, with the main session, too. */
  isRecorded: boolean;
}

interface Known extends Planned {
  store: Store;
}

async function carryOut(call: Call, known: Known): Promise<void> {
  const { plan } = known;
  const session = openSession(call, known);
  await session.settleHandedOver(plan.starts ? seenBefore(known) : seenMeanwhile(known));
  await recordMode(session, known);
  await recordEvents(call, session, known);
  const { writes } = plan;
  // What is about to be written is only noted below.
  known.isRecorded = writes?.isOver !== false;
  const isRuled = writes?.isOver === false && plan.turn !== undefined;
  if (isRuled) for (const path of writes.paths) await session.beforeWrite(path);
  await runTurn(call, session, known);
  // Last, so that the turn above still tells what others changed before.
  if (writes?.isOver === false) await setWriting(session, writingCall(writes));
  known.isRecorded = true;
}

async function recordEvents(call: Call, session: Session, known: Known): Promise<void> {
  const { input, left } = known;
  const areCallsOver = CALLS_OVER.has(ruleFor(known.agent, input.event)?.means);
  const broken = areCallsOver ? await endCalls(session) : [];
  const events = happened(known);
  // One invalid event does not stop the others, or the turn.
  const unlessInvalid = (error: unknown) => {
    if (!(error instanceof SottoError) || error.code !== "invalid_event") throw error;
    call.problem(error.message, input.event);
  };
  const valid = [...left].flatMap((index) => {
    try {
      const event = events[index];
      if (event !== undefined) return [{ index, event: parseEvent(event) }];
    } catch (error) {
      unlessInvalid(error);
    }
    left.delete(index);
    return [];
  });
  // Each step of the log writes several pages, which later calls read.
  const isOneStep = valid.length > 0 && !valid.some(({ event }) => standsApart(event));
  const steps = isOneStep ? [valid] : valid.map((one) => [one]);
  await Promise.all(
    steps.map(async (step) => {
      const record = recordTogether(
        session,
        step.map(({ event }) => event),
      );
      await record.catch(unlessInvalid);
      for (const { index } of step) left.delete(index);
    }),
  );
  const { writes } = known.plan;
  if (writes?.isOver) await setWriting(session, { id: writes.callId, paths: [] });
  await tellOthers(call, session, { ...known, broken });
}

type AnyEvent = Parameters<typeof recordAny>[1];

/** What there is to record, by its place in the plan; nothing for what is not true. */
function happened({ agent, plan }: Planned): (AnyEvent | undefined)[] {
  // Other agents report a call that failed like any other.
  const isProven = Object.values(agent.events).some(({ means }) => means === "tool_failed");
  return plan.record.map((event) => {
    if (isUntrue(event)) return undefined;
    return event.type === "file_written" && !isProven ? { ...event, unproven: true } : event;
  });
}

/** The call failed without a sign of it, or the file is there again. */
function isUntrue(event: SessionEvent): boolean {
  return event.type === "file_removed" && existsSync(event.path);
}

async function runTurn(call: Call, session: Session, known: Known): Promise<void> {
  const { input, plan } = known;
  if (plan.turn === undefined) return call.debug(`${input.event}: recorded; this event takes no text`);
  const { prompt } = plan.turn;
  const turn = await session.turn(prompt === undefined ? {} : { userPrompt: prompt });
  // Once for each prompt: a config file that is ignored explains what is not said.
  const tell = prompt === undefined ? call.debug : (words: string) => call.problem(words, input.event);
  for (const problem of turn.problems) tell(problemText(problem));
  if (turn.problem !== undefined) call.problem(turn.problem, input.event);
  await send(call, turn, known);
}

/** After a restart, the transcript shows which texts of earlier calls the agent has. */
function seenBefore({ agent, input }: Known): (text: string) => boolean {
  const has = inTranscript(input.transcriptPath);
  return (text) => has(agent.tags ? text : withoutTag(text, false)) || has(text);
}

/**
 * The agent has continued, so it has the text, unless the call was killed in its last moments: then agents drop it. That
 * is assumed if the transcript shows other texts of ours but not this one, and only a few times: no agent documents what
 * it writes there.
 */
function seenMeanwhile(known: Known): Seen {
  if (!known.agent.showsTexts || known.input.transcriptPath === undefined) return true;
  const has = seenBefore(known);
  return (text, { at, isEdge, missed, seenBefore }) => {
    if (!isEdge || missed >= MOST_MISSED || has(text)) return true;
    // It may still be written.
    if (Date.now() - at < LATE_MS) return undefined;
    const others = seenBefore().filter(({ isSameType }) => isSameType || missed < MISSED_OFTEN);
    return !others.slice(0, LOOKED_FOR).some((other) => has(other.text));
  };
}

async function send(call: Call, turn: Turn, { agent, input }: Known): Promise<void> {
  const rule = ruleFor(agent, input.event);
  if (rule === undefined) return;
  const { given, output } = answer(turn.reminders, { agent, event: input.event, rule });
  for (const { type, tokens } of given) call.debug(`${input.event}: ${type}, ${tokens} tokens`);
  if (given.length === 0) call.debug(`${input.event}: no reminders`);
  // Agents drop the text of a call that is killed, so only the hand-over follows.
  if (output !== "") call.write(output);
  if (!(await turn.handOver(given)))
    call.problem("the store could not be written: these reminders may be sent again", input.event);
}

/** Records with the main agent and its sub-agents what one of them writes or runs. `broken`: its writes that have no end. */
async function tellOthers(
  call: Call,
  session: Session,
  known: Known & { broken: readonly string[] },
): Promise<void> {
  const { agent, input, plan, broken } = known;
  const { main, sub } = sessionName(agent.name, input, call.parentProcess);
  const from = agentOf(input, sub);
  const events = happened(known);
  const toldTo = (to: Agent) => {
    const teller = { of: nameFor(from, to), id: sub ?? main, now: call.now };
    return events.flatMap((event) => (event && asSeenByOtherAgents(event, teller)) ?? []);
  };
  const { writes } = plan;
  const isNews = writes !== undefined || broken.length > 0 || toldTo(MAIN).length > 0;
  const means = ruleFor(agent, input.event)?.means;
  if (!isNews && means !== "agent_start" && means !== "agent_stop") return;
  const open = (id: string, agent: Agent) =>
    createSessionForCall({ ...sessionOptions(call, known), id, agent });
  const mainSession = sub === undefined ? session : open(main, MAIN);
  const over = means === "agent_stop" ? { over: true as const } : {};
  const running = await runningSubagents(
    mainSession,
    sub === undefined ? undefined : { id: sub, agentType: from.type ?? "agent", ...over },
  );
  if (!isNews) return;
  const tell = async (other: Session, to: Agent) => {
    for (const event of toldTo(to)) await recordAny(other, event);
    const idOf = (callId: string) => `${sub ?? main}/${callId}`;
    for (const callId of broken) await setWriting(other, { id: idOf(callId), paths: [] });
    if (writes === undefined) return;
    const whose = { id: idOf(writes.callId), of: nameFor(from, to), writes: [] };
    await setWriting(other, { ...writingCall(writes), ...whose });
  };
  if (sub !== undefined) await tell(mainSession, MAIN);
  for (const { id, type } of running.filter((one) => one.id !== sub)) {
    const to: Agent = { kind: "sub", type };
    await tell(open(id, to), to);
  }
}

function writingCall({ callId, tool, paths, writes, isOver }: Writes): Parameters<typeof setWriting>[1] {
  return { id: callId, tool, paths: isOver ? [] : paths, writes };
}

function openSession(call: Call, known: Known): Session {
  const { agent, input } = known;
  const { main, sub } = sessionName(agent.name, input, call.parentProcess);
  const options = sessionOptions(call, known);
  if (sub === undefined || ruleFor(agent, input.event)?.means !== "agent_start")
    return known.plan.starts ? createSession(options) : createSessionForCall(options);
  const parent = createSessionForCall({ ...options, id: main, agent: MAIN });
  return parent.subagent({ agentType: input.agentType ?? "agent", id: sub });
}

function agentOf({ agentType: type = "agent" }: HookInput, sub: string | undefined): Agent {
  return sub === undefined ? MAIN : { kind: "sub", type };
}

function sessionOptions(call: Call, { agent, input, store }: Known): SessionOptions {
  const { main, sub } = sessionName(agent.name, input, call.parentProcess);
  const { tokens } = agent.limit;
  return {
    id: sub ?? main,
    cwd: directoryOf(call, agent, input),
    agent: agentOf(input, sub),
    store,
    profile: agent.profile,
    // The agent works for the user whose files these are.
    trust: { user: true, pastSessions: true },
    configFiles: {
      defaults: {
        max_tokens_per_turn: tokens,
        max_prompt_tokens: tokens,
        max_memory_tokens: tokens,
        max_context_tokens: tokens,
        // Several calls belong to one message of the model; what is due with each message is sent with one of them.
        attachments: {
          critical_system_reminder: { min_turns_between: 1 },
          output_style: { min_turns_between: 1 },
          token_usage: { min_turns_between: 1 },
        },
      },
    },
    // This process exits at once, so it starts no servers.
    config: { language_servers: false },
  };
}

/** Where the agent was started, for config, rules and relative paths, even if its shell has moved on. */
function directoryOf({ environment }: Call, { directory }: HookAgent, { cwd }: HookInput): string {
  const named = directory === undefined ? undefined : environment[directory];
  const place = named?.startsWith("/") ? named : (cwd ?? process.cwd());
  if (place.includes("\0")) throw new Error("cwd: expected the agent's working directory, a path");
  return place;
}

/** The event says which mode the agent is in. Of its permission modes, only plan is a mode of ours. */
async function recordMode(session: Session, { input: { permissionMode } }: Known): Promise<void> {
  if (permissionMode === undefined) return;
  const mode = permissionMode === "plan" ? "plan" : "normal";
  if ((await session.state()).mode !== mode) await session.record({ type: "mode_changed", mode });
}

// Recent texts are near the end.
const TAIL_BYTES = 1 << 20;

// The agent may have truncated longer texts.
const PROBE = 400;

/** Looks for a text, JSON-escaped, at the end of a transcript; angle brackets may be entities. */
export function inTranscript(path: string | undefined): (text: string) => boolean {
  let tail: string | undefined;
  return (text) => {
    tail ??= path === undefined ? "" : tailOf(path).replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    return text !== "" && tail.includes(JSON.stringify(text.slice(0, PROBE).toWellFormed()).slice(1, -1));
  };
}

/** Empty if there is none or it cannot be read. */
function tailOf(path: string): string {
  try {
    return readEndSync(path, TAIL_BYTES).toString("utf8");
  } catch {
    return "";
  }
}
