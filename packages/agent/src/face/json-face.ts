// Output for programs (`-p`): the answer alone, one JSON object at the end, or one JSON line per event.

import type { AgentEvent, Listener, TokenUsage } from "../agent-events.ts";
import { addUsage, noUsage } from "../model/model-facts.ts";
import { printable, safeLine, safeText } from "../terminal/text.ts";
import { retryWords } from "./event-line.ts";
import type { Out } from "./page.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface AnswerFaceOptions {
  format: OutputFormat;
  out: Out;
  /** For errors and notices of the text format. */
  errors: Out;
  session: { sessionId: string; model: string; cwd: string };
}

export interface AnswerFace {
  listen: Listener;
  /** Call after the last event: writes the result. */
  end(): { isError: boolean };
}

/** The object that `json` prints. */
export interface SessionAnswer {
  text: string;
  turns: number;
  usage: TokenUsage;
  costUsd?: number;
  sessionId: string;
  isError: boolean;
  /** The message of the error. */
  error?: string;
  /** Each once, however often it was sent; without those of sub-agents. */
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
  /** A retry can take a while, and nothing else is printed meanwhile. */
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
    answer.error = event.type === "failed" ? event.message : "stopped by the user";
  }
  if (event.type === "finished") {
    answer.text = event.text;
    answer.turns += event.turns;
    answer.usage = addUsage(answer.usage, event.usage);
    if (event.costUsd !== undefined) answer.costUsd = (answer.costUsd ?? 0) + event.costUsd;
  }
}

/** Escapes control characters that JSON allows; the line parses to the same value. */
function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}
