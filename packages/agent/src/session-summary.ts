// What a session is about, kept in mind while it runs, so that its end can be summed up.

import type { ModelMessage } from "ai";
import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import { readEvents, redactText } from "sotto/internal";
import { type Agent, GO_ON } from "./agent.ts";
import type { Listener } from "./agent-events.ts";
import { isSummary } from "./conversation/compact.ts";
import { type SummaryPlace, saveSummary } from "./session-files.ts";
import { createReadRules } from "./tools/files/denied.ts";
import { shown } from "./tools/files/open-file.ts";

export interface SessionRecorder {
  /** The agent, with an ear on what it is asked. */
  follow(agent: Agent): Agent;
  hear: Listener;
  /** Writes the summary, and records the end; nothing where nothing was done. Never rejects. */
  close(session: Session): Promise<void>;
}

export interface NotebookOptions extends SummaryPlace {
  store: Store;
  denyRead: readonly string[];
  /** The conversation it goes on from. */
  before?: readonly ModelMessage[] | undefined;
  listen: Listener;
}

export function createSessionRecorder({
  store,
  denyRead,
  before = [],
  listen,
  ...place
}: NotebookOptions): SessionRecorder {
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
        asked.push(prompt);
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
        listen({ type: "notice", text: `no notes of this session were kept: ${(error as Error).message}` }),
      );
    },
  };
}

/** What the user said, and not what stands in their place. */
function promptIn(message: ModelMessage): string[] {
  const { role, content } = message;
  const isPrompt = role === "user" && typeof content === "string" && content !== GO_ON && !isSummary(message);
  return isPrompt ? [content] : [];
}

/** As the log has them. What may not be read, or holds secrets, is not named either. */
async function filesWritten(
  store: Store,
  { sessionId, cwd, denyRead }: { sessionId: string; cwd: string; denyRead: readonly string[] },
): Promise<string[]> {
  const isDenied = createReadRules({ cwd, denyRead });
  const written = (await readEvents(store, sessionId, "file_written")).filter(
    ({ path, version }) => version?.kind !== "secret" && ![path, version?.realPath ?? path].some(isDenied),
  );
  return [...new Set(written.map(({ path }) => shown(path, cwd)))];
}

// What a session was about, in a page: made of what it knows already, without asking a model.

export interface SessionStory {
  /** When it ended. */
  at: Date;
  /** What the user asked for, in order. */
  asked: readonly string[];
  /** What the agent said last. */
  answer: string;
  todos: readonly { content: string; status: string }[];
  /** As people write them. */
  files: readonly string[];
  /** What must not be written down is taken out. */
  redact(text: string): string;
}

// A later session sees the first twenty lines: what was asked and what came of it stand there.
const MOST_ASKED = 5;
const MOST_ANSWER = 8;
const MOST_LISTED = 8;
const LONGEST = 300;
const LONGEST_TITLE = 80;

export function summaryOf({ at, asked, answer, todos, files, redact }: SessionStory): string {
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

/** The first says what it was about, the last where it stood. */
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

/** By the local calendar, as the user's day was. */
function dayOf(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((one) => String(one).padStart(2, "0")).join("-");
}
