// `sotto turn`: one turn as JSON in and JSON out, for hosts in any language.

import { createMemoryStore, createSession, problemText, type Session, type Store, type Turn } from "sotto";
import { CLOSED_PIPE, type ExitCode, failed, toFailure, wrongUse } from "../failure.ts";
import { readStdin } from "../input/read-stdin.ts";
import { eventWords, parseTurnInput, type TurnInput } from "../input/turn-input.ts";
import { count } from "../output/text.ts";
import { turnPage } from "../output/turn-page.ts";
import { note, write } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";

export interface TurnCommand {
  session?: string;
  store?: string;
  /** Unless it is false. */
  commit?: boolean;
  pretty?: boolean;
}

const HINT = `give it a JSON object on stdin, e.g. echo '{"messages":[{"role":"user","content":"hi"}]}' | sotto turn (see sotto turn --help)`;

export async function turn(command: TurnCommand): Promise<ExitCode> {
  if (command.session === undefined && command.store !== undefined)
    throw wrongUse("--store needs --session: without a name nothing is kept");
  if (command.session?.trim() === "") throw wrongUse("--session: the name is empty");
  const input = parseTurnInput(await readStdin({ hint: HINT, code: "invalid_json" }));
  checkConfig(input);
  const { store } = command.session === undefined ? { store: createMemoryStore() } : openStore(command.store);
  try {
    await checkRewinds(input, store, command.session);
    const session = createSession(sessionOptions(input, store, command.session));
    try {
      return await runTurn(session, input, command);
    } finally {
      await session.close();
    }
  } finally {
    await store.close();
  }
}

async function runTurn(session: Session, input: TurnInput, command: TurnCommand): Promise<ExitCode> {
  // First, so that a store's own words come out and the turn's deadline is the turn's.
  await session.open();
  const damaged = await session.damaged();
  if (damaged.length > 0)
    note(`${count(damaged.length, "entry", "entries")} of the log could not be read: ${damaged[0]?.problem}`);
  await recordAll(session, input.events);
  const { userPrompt, request } = input;
  const result = await session.turn({ ...request, ...(userPrompt === undefined ? {} : { userPrompt }) });
  for (const problem of result.problems) note(problemText(problem));
  if (result.problem !== undefined) throw failed(result.problem, "turn_failed");
  try {
    await write(command.pretty ? turnPage(result, request) : `${toJson(result)}\n`);
  } catch (thrown) {
    // Nobody got the request, so nothing was said: it stays due.
    await result.abandon();
    if (toFailure(thrown).code === CLOSED_PIPE) return 1;
    throw thrown;
  }
  if (command.commit === false || (await result.commit())) return 0;
  note("the store could not be written: what was said may be said again");
  return 1;
}

async function recordAll(session: Session, events: TurnInput["events"]): Promise<void> {
  for (const [index, event] of events.entries()) {
    try {
      await session.record(event);
    } catch (error) {
      const { code, message } = toFailure(error);
      throw failed(
        `${eventWords({ message }, event, `events.${index}`)} (${index} of ${events.length} events were recorded)`,
        code,
      );
    }
  }
}

function toJson({ attachments, reminders, trace, problems, body }: Turn): string {
  return JSON.stringify({
    attachments,
    reminders: reminders.map(({ id, type, text, tokens }) => ({ id, type, text, tokens })),
    trace: trace.map(({ generator, type, outcome, reason, ms, tokens }) => ({
      generator,
      type,
      outcome,
      reason,
      ms: Math.round(ms * 1000) / 1000,
      tokens,
    })),
    request: body ?? null,
    ...(problems.length === 0 ? {} : { problems }),
  });
}

function sessionOptions(input: TurnInput, store: Store, id?: string) {
  const { request: _request, userPrompt: _userPrompt, events: _events, ...options } = input;
  return { ...options, store, ...(id === undefined ? {} : { id }) };
}

/** In a session nobody sees: a wrong config, or a wrong change of it, must fail before anything is recorded. */
function checkConfig(input: TurnInput): void {
  const trial = createSession(sessionOptions(input, createMemoryStore()));
  for (const [index, event] of input.events.entries()) {
    if (event.type !== "config_changed") continue;
    try {
      void trial.record(event);
    } catch (error) {
      throw wrongUse(eventWords(error, event, `events.${index}`), "invalid_event");
    }
  }
}

async function checkRewinds({ events }: TurnInput, store: Store, id: string | undefined): Promise<void> {
  if (!events.some((event) => event.type === "rewound")) return;
  const { entries } = id === undefined ? { entries: [] } : await store.read(id, 0);
  const last = entries.reduce(
    (turn, entry) => (entry.kind === "turn" ? Math.max(turn, entry.turn) : turn),
    0,
  );
  for (const [index, event] of events.entries())
    if (event.type === "rewound" && event.toTurn > last)
      throw wrongUse(
        `events.${index}.toTurn: ${event.toTurn} is past the last turn, ${last}`,
        "invalid_event",
      );
}
