// `sotto turn`: one turn, JSON in and JSON out, for hosts in any language.

import { readFileSync } from "node:fs";
import { createMemoryStore, createSession, type Session, type SessionOptions, type Turn } from "sotto";
import type { Dialect, StoredEvent } from "sotto/extend";
import { problemText } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import {
  CLOSED_PIPE,
  count,
  createStyle,
  type ExitCode,
  failed,
  indent,
  lineWidth,
  printable,
  toFailure,
  usageError,
} from "sotto-agent/terminal";
import { checkChanges, checkRewinds, eventWords, toEvents } from "../input/event-fields.ts";
import { type Fields, fields, optional, optionalField, string } from "../input/fields.ts";
import { parseJson } from "../input/json.ts";
import { type GivenRequest, toRequest, toSessionOptions } from "../input/session-fields.ts";
import { readStdin } from "../input/stdin.ts";
import { notSent, outcomeTable, turnResult } from "../output/turn-result.ts";
import { isClosedOutput, note, write } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(TURN)
    .addOption(json("the default; failures are JSON on stdout as well").conflicts("pretty"))
    .option("--pretty", "for people: which reminders are sent, which are skipped, and why")
    .option("--session <id>", "keep state under this name (default: nothing is kept)")
    .addOption(store())
    .option("--commit", "record the reminders as sent (default)")
    .option("--no-commit", "record them as sent only when a later request shows that the model answered")
    .option("--schema", "print the JSON Schema of input and output, and exit")
    .addHelpText(
      "after",
      examples(
        `echo '{"events": [{"type": "mode_changed", "mode": "plan"}],\n"messages": [{"role": "user", "content": "hi"}]}' | sotto turn`,
        "sotto turn --session build-7 < request.json",
        "sotto turn --session build-7 --store /var/lib/agent/sotto.db < request.json",
      ),
    )
    .action(action(turn));

const TURN = `Runs one turn: reads a JSON object from stdin and writes one to stdout.

  in   cwd          the agent's directory (default: current directory)
       agent        {"kind": "main" or "sub", "type"?, "definition"?}
       messages     the conversation; or body, a whole request
       dialect      anthropic-messages (default), openai-chat,
                    openai-responses or gemini
       events       what happened since the last turn, in order
       userPrompt   what the user typed, if this turn starts with it
       config       as in the [system_reminder] table
       tools        names of the agent's tools
       permissions  {"denyRead": [patterns]}: files the agent may not read
       home         the user's home directory (default: yours)
       profile      the agent that makes the requests, e.g. claude-code:
                    its tool calls become events
       preset       coding (default) or assistant, which leaves out files,
                    instructions and todos
  out  attachments, reminders, trace
       request      the same request with the reminders in place
       problems     config files that could not be used, if any

Nothing is recorded unless the whole input is valid.`;

export interface TurnCommand {
  session?: string;
  store?: string;
  /** Default: true. */
  commit?: boolean;
  pretty?: boolean;
  schema?: boolean;
}

const SCHEMA = new URL(
  import.meta.url.endsWith(".ts") ? "../../turn.schema.json" : "../turn.schema.json",
  import.meta.url,
);

const HINT = `pass a JSON object on stdin, e.g. echo '{"messages":[{"role":"user","content":"hi"}]}' | sotto turn (see sotto turn --help)`;

async function turn(command: TurnCommand): Promise<ExitCode> {
  if (command.schema) return write(readFileSync(SCHEMA, "utf8")).then(() => 0);
  if (command.session === undefined && command.store !== undefined)
    throw usageError("--store needs --session: without a session name nothing is stored");
  if (command.session?.trim() === "") throw usageError("--session: the name must not be empty");
  const input = parseTurnInput(await readStdin({ hint: HINT, code: "invalid_json" }));
  const located = { events: input.events, pathOf: (index: number) => `events.${index}` };
  // Discarded: an invalid config must fail before anything is recorded.
  createSession({ ...input.options, store: createMemoryStore() });
  await checkChanges(located);
  const { store } = await (command.session === undefined
    ? { store: createMemoryStore() }
    : openStore(command.store));
  try {
    const id = command.session;
    await checkRewinds(located, { store, id });
    const session = createSession({ ...input.options, store, ...(id === undefined ? {} : { id }) });
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
  // Opened first, so that store errors are reported and do not use up the turn's deadline.
  await session.open();
  const { damaged } = await session.state();
  if (damaged.length > 0)
    note(`${count(damaged.length, "entry", "entries")} of the log could not be read: ${damaged[0]?.problem}`);
  await recordAll(session, input.events);
  const { userPrompt, request } = input;
  const result = await session.turn({ ...request, ...(userPrompt === undefined ? {} : { userPrompt }) });
  for (const problem of result.problems) note(problemText(problem));
  if (result.problem !== undefined) throw failed(result.problem, "turn_failed");
  try {
    if (isClosedOutput())
      throw failed("stdout is closed: nobody gets this turn, so its reminders stay due", "output_failed");
    await write(command.pretty ? turnPage(result, request) : `${toJson(result)}\n`);
  } catch (thrown) {
    // Nobody received the request, so its reminders stay due.
    await result.abandon();
    if (toFailure(thrown).code === CLOSED_PIPE) return 1;
    throw thrown;
  }
  if (command.commit === false || (await result.commit())) return 0;
  note("the store could not be written: these reminders may be sent again");
  return 1;
}

async function recordAll(session: Session, events: TurnInput["events"]): Promise<void> {
  for (const [index, event] of events.entries()) {
    try {
      await recordAny(session, event);
    } catch (error) {
      const { code, message } = toFailure(error);
      throw failed(
        `${eventWords({ message }, event, `events.${index}`)} (${index} of ${events.length} events were recorded)`,
        code,
      );
    }
  }
}

function toJson(turn: Turn): string {
  const { problems } = turn;
  return JSON.stringify({ ...turnResult(turn), ...(problems.length === 0 ? {} : { problems }) });
}

export interface TurnInput {
  options: SessionOptions;
  events: StoredEvent[];
  request?: GivenRequest;
  userPrompt?: string;
}

export const TURN_FIELDS = [
  ...["cwd", "agent", "userPrompt", "dialect", "body", "messages", "events", "config", "tools"],
  ...["home", "permissions", "agents", "profile", "preset", "instructions", "pastSessions"],
];

export function parseTurnInput(text: string): TurnInput {
  const { value, faithful } = parseJson(text);
  const input = fields(value, "the input", TURN_FIELDS);
  const request = toRequest(input, faithful as Fields);
  return {
    options: toSessionOptions(input),
    events: optional(input, "events", toEvents) ?? [],
    ...optionalField("userPrompt", optional(input, "userPrompt", string)),
    ...optionalField("request", request),
  };
}

export function turnPage(turn: Turn, request: { dialect: Dialect; body: unknown } | undefined): string {
  const style = createStyle();
  const { reminders, trace, body } = turn;
  const tokens = reminders.reduce((sum, reminder) => sum + reminder.tokens, 0);
  const texts = reminders.map(
    ({ type, text, tokens: one, again }) =>
      `  ${style.accent(type)}  ${count(one, "token")}${again ? ", sent before, not confirmed" : ""}\n${indent(printable(text), "    ")}\n`,
  );
  const skipped = notSent(trace);
  const parts = [
    reminders.length === 0
      ? style.bold("No reminders.")
      : `${style.bold(`Sent: ${count(reminders.length, "reminder")}, ${count(tokens, "token")}`)}\n${texts.join("\n")}`,
    ...(skipped.length === 0
      ? []
      : [
          `${style.bold(`Skipped: ${count(skipped.length, "type")}`)}\n${outcomeTable(skipped, { style, width: lineWidth(), indent: "  " })}`,
        ]),
    ...(request === undefined ? [] : [requestLine(request, body)]),
  ];
  return `${parts.join("\n\n").replace(/\n{3,}/gu, "\n\n")}\n`;
}

function requestLine({ dialect, body }: { dialect: Dialect; body: unknown }, after: unknown): string {
  const given = dialect.messages(body).length;
  const now = dialect.messages(after).length;
  return `Request: ${count(given, "message")} in, ${count(now, "message")} out (${dialect.name}).`;
}
