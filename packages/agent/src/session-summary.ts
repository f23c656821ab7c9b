// Follows a session and saves a one-page summary when it ends. No model is asked.

import type { ModelMessage } from "ai";
import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import { readEvents, redactText } from "sotto/internal";
import { type Agent, GO_ON } from "./agent.ts";
import type { Listener } from "./agent-events.ts";
import { isSummary } from "./conversation/compact.ts";
import { promptText } from "./prompt.ts";
import { type SummaryPlace, saveSummary } from "./session-files.ts";
import { displayPath } from "./tools/files/access.ts";
import { createReadRules } from "./tools/files/denied.ts";

export interface SessionRecorder {
  /** Returns the agent, noting the prompts it gets. */
  follow(agent: Agent): Agent;
  hear: Listener;
  /** Saves the summary and records the end, unless nothing was done. Never rejects. */
  close(session: Session): Promise<void>;
}

export interface SessionRecorderOptions extends SummaryPlace {
  store: Store;
  denyRead: readonly string[];
  /** The conversation it continues. */
  before?: readonly ModelMessage[] | undefined;
  listen: Listener;
}

export function createSessionRecorder({
  store,
  denyRead,
  before = [],
  listen,
  ...place
}: SessionRecorderOptions): SessionRecorder {
  const asked = before.flatMap(promptIn);
  let answer = "";
  let answered = false;

  const write = async (session: Session) => {
    const summary = summaryOf({
      at: new Date(),
      asked,
      answer,
      todos: (await session.state()).todos,
      files: await filesWritten(store, { ...place, denyRead }),
      redact: redactText(process.env),
    });
    await saveSummary(place, summary);
    await session.record({ type: "session_ended", summary });
  };

  return {
    follow: (agent) => ({
      run(prompt, signal) {
        asked.push(promptText(prompt));
        return agent.run(prompt, signal);
      },
      queue(prompt) {
        asked.push(prompt);
        agent.queue(prompt);
      },
      compact: agent.compact,
      rewind: agent.rewind,
      clear: agent.clear,
      spent: agent.spent,
      get waiting() {
        return agent.waiting;
      },
      get turns() {
        return agent.turns;
      },
      get messages() {
        return agent.messages;
      },
      get lastTurn() {
        return agent.lastTurn;
      },
    }),
    hear(event) {
      if (event.type === "turn_finished") answered = true;
      if (event.type === "finished" && event.text.trim() !== "") answer = event.text;
    },
    async close(session) {
      if (!answered) return;
      await write(session).catch((error: unknown) =>
        listen({
          type: "notice",
          text: `the summary of this session was not saved: ${(error as Error).message}`,
        }),
      );
    },
  };
}

/** The user's own prompts, without summaries and messages sent in the user's place. */
function promptIn(message: ModelMessage): string[] {
  const { role, content } = message;
  const isPrompt = role === "user" && typeof content === "string" && content !== GO_ON && !isSummary(message);
  return isPrompt ? [content] : [];
}

/** From the log. Leaves out files that are denied or hold secrets. */
async function filesWritten(
  store: Store,
  { sessionId, cwd, denyRead }: { sessionId: string; cwd: string; denyRead: readonly string[] },
): Promise<string[]> {
  const isDenied = createReadRules({ cwd, denyRead });
  const written = (await readEvents(store, sessionId, "file_written")).filter(
    ({ path, version }) => version?.kind !== "secret" && ![path, version?.realPath ?? path].some(isDenied),
  );
  return [...new Set(written.map(({ path }) => displayPath(path, cwd)))];
}

export interface SessionSummary {
  /** When the session ended. */
  at: Date;
  /** The user's prompts, in order. */
  asked: readonly string[];
  /** The last answer. */
  answer: string;
  todos: readonly { content: string; status: string }[];
  /** Short paths. */
  files: readonly string[];
  /** Removes secrets. */
  redact(text: string): string;
}

// A later session sees the first twenty lines: prompts and the answer come first.
const MOST_ASKED = 5;
const MOST_ANSWER = 8;
const MOST_LISTED = 8;
const LONGEST = 300;
const LONGEST_TITLE = 80;

export function summaryOf({ at, asked, answer, todos, files, redact }: SessionSummary): string {
  const clean = (text: string, most = LONGEST) => cut(redact(text).replace(/\s+/gu, " ").trim(), most);
  const prompts = asked.map((prompt) => `- ${clean(prompt)}`);
  const open = todos.map(({ content, status }) => `- [${status}] ${clean(content)}`);
  const lines = redact(answer)
    .split("\n")
    .map((line) => cut(line.trimEnd(), LONGEST))
    .filter((line) => line.trim() !== "");
  return `${[
    `# ${dayOf(at)}: ${clean(asked[0] ?? "a session", LONGEST_TITLE)}`,
    ...part("Asked", firstAndLast(prompts, MOST_ASKED)),
    ...part("Answered last", beginning(lines, MOST_ANSWER)),
    ...part("Todo list", beginning(open, MOST_LISTED)),
    ...part(
      "Files written",
      beginning(
        files.map((path) => `- ${clean(path)}`),
        MOST_LISTED,
      ),
    ),
  ].join("\n")}\n`;
}

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function beginning(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `(${lines.length - most + 1} more)`];
}

/** The first prompt names the topic, the last ones the state. */
function firstAndLast(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [
    ...lines.slice(0, 1),
    `(${lines.length - most + 1} more in between)`,
    ...lines.slice(lines.length - most + 2),
  ];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** In local time. */
function dayOf(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((one) => String(one).padStart(2, "0")).join("-");
}
