// Finds the conversation to resume or fork, and opens the transcript to continue in.

import { createSession, type Session } from "sotto";
import { holdFile } from "sotto/internal";
import type { ResumeOptions } from "../options.ts";
import { type SessionPlace, sessionOptions } from "../options.ts";
import { failed } from "../terminal/failure.ts";
import {
  type Conversation,
  conversationsIn,
  endOfTurn,
  latestConversation,
  noTranscript,
  openTranscript,
  readConversation,
  type Transcript,
  transcriptFile,
  transcriptPath,
} from "./transcript.ts";

/** Returns undefined for a new conversation. */
export async function findConversation(
  { resume, fork, stateDirectory }: ResumeOptions,
  cwd: string,
): Promise<Conversation | undefined> {
  const id = fork?.id ?? resume;
  if (id === undefined) return undefined;
  if (stateDirectory === undefined)
    throw failed("a session in memory (--store memory:) cannot be resumed", "no_store");
  const directory = conversationsIn(stateDirectory);
  const found =
    id === true
      ? await latestConversation(directory, cwd)
      : await readConversation(transcriptPath(directory, id));
  if (found === undefined)
    throw failed(
      id === true ? `there is no session in ${cwd} to resume` : `there is no conversation "${id}"`,
      "unknown_session",
    );
  return fork?.turn === undefined ? found : endingAt(found, fork.turn);
}

function endingAt(conversation: Conversation, turn: number): Conversation {
  const { messages, turns, id } = conversation;
  const answer = turns.get(turn);
  if (answer === undefined) throw failed(`${id} has no turn ${turn}, or it was compacted`, "invalid_request");
  return { ...conversation, messages: messages.slice(0, endOfTurn(messages, answer)) };
}

/** Returns the new session for `--fork`, otherwise undefined. */
export async function forkSession(
  { fork, sources = [], ...place }: ResumeOptions & SessionPlace,
  id: string,
): Promise<Session | undefined> {
  if (fork === undefined) return undefined;
  const parent = createSession(sessionOptions(place, fork.id));
  try {
    return await parent.fork({ id, sources, ...(fork.turn === undefined ? {} : { turn: fork.turn }) });
  } finally {
    await parent.close();
  }
}

/**
 * Keeps other processes out of a conversation: their messages would get between each other. Undefined where nothing is
 * kept.
 */
export async function holdConversation(
  { stateDirectory }: ResumeOptions,
  id: string,
): Promise<{ release(): void } | undefined> {
  const path = transcriptFile({ stateDirectory }, id);
  if (path === undefined) return undefined;
  const held = await holdFile(`${path}.lock`);
  if (held !== undefined) return held;
  throw failed(
    `${id} is open in another \`sotto run\`; end it there, or continue in a copy: sotto run --fork ${id}`,
    "session_in_use",
  );
}

export async function transcriptFor(
  { stateDirectory, fork }: ResumeOptions,
  { id, cwd, model }: { id: string; cwd: string; model: string },
  before: Conversation | undefined,
): Promise<Transcript> {
  const path = transcriptFile({ stateDirectory }, id);
  if (path === undefined) return noTranscript;
  const transcript = await openTranscript(path);
  await transcript.append({ type: "session", id, cwd, model, at: new Date().toISOString() });
  if (fork !== undefined && before !== undefined)
    await transcript.append({ type: "replaced", why: "rewound", messages: before.messages });
  return transcript;
}
