// A session for programs and scripts: the answer alone, one object at the end, or a line of JSON for each event.

import type { AgentEvent, Listener, TokenUsage } from "../agent-events.ts";
import { addUsage, noUsage } from "../model/model-facts.ts";
import { printable, safeLine, safeText } from "../terminal/text.ts";
import { retryWords } from "./event-line.ts";
import type { Out } from "./page.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface AnswerFaceOptions {
  format: OutputFormat;
  out: Out;
  /** Where the text format says what went wrong, and what the host or a hook has to say. */
  errors: Out;
  session: { sessionId: string; model: string; cwd: string };
}

export interface AnswerFace {
  listen: Listener;
  /** After the last event: writes what is only known then. */
  end(): { isError: boolean };
}

/** What `json` writes. */
export interface SessionAnswer {
  text: string;
  turns: number;
  usage: TokenUsage;
  costUsd?: number;
  sessionId: string;
  isError: boolean;
  /** Why it is one. */
  error?: string;
  /** Of this session alone, each once however often it was sent. */
  reminders: { type: string; tokens: number }[];
}

const LONGEST_ERROR = 1000;

export function createAnswerFace({ format, out, errors, session }: AnswerFaceOptions): AnswerFace {
  const answer: SessionAnswer = {
    text: "",
    turns: 0,
    usage: noUsage,
    sessionId: session.sessionId,
    isError: false,
    reminders: [],
  };
  const told = new Set<string>();
  /** It can take a while, and nothing else is to be seen meanwhile. */
  function sayRetry(event: AgentEvent): void {
    if (event.type === "subagent") sayRetry(event.event);
    else if (event.type === "retrying")
      errors.write(`sotto: ${safeLine(retryWords(event), LONGEST_ERROR)}\n`);
  }
  if (format === "stream-json") out.write(jsonLine({ type: "session", ...session }));
  return {
    listen(event) {
      if (format === "stream-json") out.write(jsonLine(event));
      if (format === "text" && event.type === "notice")
        errors.write(`sotto: ${safeLine(event.text, LONGEST_ERROR)}\n`);
      if (format !== "stream-json") sayRetry(event);
      if (event.type === "reminder" && told.has(event.reminder.id)) return;
      if (event.type === "reminder") told.add(event.reminder.id);
      take(event, answer);
    },
    end() {
      const { text, isError, error = "" } = answer;
      if (format === "json") out.write(jsonLine(answer));
      if (format === "text" && text !== "") out.write(`${safeText(text).trimEnd()}\n`);
      if (format === "text" && isError) errors.write(`sotto: ${safeLine(error, LONGEST_ERROR)}\n`);
      return { isError };
    },
  };
}

function take(event: AgentEvent, answer: SessionAnswer): void {
  if (event.type === "reminder") {
    const { type, tokens } = event.reminder;
    answer.reminders.push({ type, tokens });
  }
  if (event.type === "failed" || event.type === "aborted") {
    answer.isError = true;
    answer.error = event.type === "failed" ? event.message : "stopped before the end";
  }
  if (event.type === "finished") {
    answer.text = event.text;
    answer.turns += event.turns;
    answer.usage = addUsage(answer.usage, event.usage);
    if (event.costUsd !== undefined) answer.costUsd = (answer.costUsd ?? 0) + event.costUsd;
  }
}

/** What JSON leaves as it is and a terminal would obey is escaped, too: it reads back as the same text. */
function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}
