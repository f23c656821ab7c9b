// What a session is about, kept in mind while it runs, so that its end can be summed up.

import type { ModelMessage } from "ai";
import { redactWords, type Session, type Store } from "sotto";
import { readEvents } from "../../sotto/src/log/read-events.ts";
import { GO_ON } from "./agent-of-host.ts";
import type { Agent } from "./agent.ts";
import type { Listener } from "./agent-events.ts";
import { isSummary } from "./conversation/compact.ts";
import { createDenial } from "./tools/files/denied.ts";
import { shown } from "./tools/files/open-file.ts";
import { keepNote, type NotePlace } from "./session-files.ts";
import { summaryOf } from "./summary.ts";

export interface Notebook {
  /** The agent, with an ear on what it is asked. */
  follow(agent: Agent): Agent;
  hear: Listener;
  /** Writes the summary, and records the end; nothing where nothing was done. Never rejects. */
  close(session: Session): Promise<void>;
}

export interface NotebookOptions extends NotePlace {
  store: Store;
  denyRead: readonly string[];
  /** The conversation it goes on from. */
  before?: readonly ModelMessage[] | undefined;
  listen: Listener;
}

export function createNotebook({
  store,
  denyRead,
  before = [],
  listen,
  ...place
}: NotebookOptions): Notebook {
  const asked = before.flatMap(promptIn);
  let answer = "";
  let answered = false;

  const write = async (session: Session) => {
    const summary = summaryOf({
      at: new Date(),
      asked,
      answer,
      todos: await session.todos(),
      files: await filesWritten(store, { ...place, denyRead }),
      redact: redactWords(process.env),
    });
    await keepNote(place, summary);
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
  const isDenied = createDenial({ cwd, denyRead });
  const written = (await readEvents(store, sessionId, "file_written")).filter(
    ({ path, version }) => version?.kind !== "secret" && ![path, version?.realPath ?? path].some(isDenied),
  );
  return [...new Set(written.map(({ path }) => shown(path, cwd)))];
}
