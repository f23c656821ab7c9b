// Whether a turn leaves the model with what is true, and how it was told.

import type { Turn } from "sotto";
import { anthropic, listOf, type WireBody, type WireMessage } from "./agent-wire.ts";
import { type Beliefs, type Piece, readConversation } from "./believed-files.ts";
import { type Content, files, GONE } from "./changing-files.ts";
import type { Round, Stage, Talk } from "./file-stage.ts";

/** Remembers how things are while something new is said of them. */
export function note({ reminders }: Turn<WireBody>, { changing, world, meant }: Stage): void {
  for (const { again, text, blocks } of reminders) {
    if (again) continue;
    const [first = text] = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
    for (const file of files)
      if (file.names.some((name) => first.includes(world.at(name))))
        meant.set(first, [...new Set<Content>([...(meant.get(first) ?? []), changing.contentOf(file)])]);
  }
}

/** The model must know all files as they are, and was told nothing that it knew. */
export function judge(turn: Turn<WireBody>, talk: Talk, stage: Stage): string[] {
  const { changing, world, marks, meant } = stage;
  const problems: string[] = turn.problem === undefined ? [] : [turn.problem];
  const options = { root: world.root, marks, meant };
  const { beliefs, problems: unread, told } = readConversation(viewOf(turn, talk), options);
  problems.push(...unread);
  talk.known = beliefs;
  for (const [file, { may }] of beliefs) {
    const content = changing.contentOf(file);
    if (!may.includes(content)) problems.push(`not told: ${file.names[0]} is ${show(content)}`);
  }
  for (const { text, again } of turn.reminders) {
    if (again) continue;
    const last = told.findLast((one) => one.text === text);
    // Of another agent's tasks that agent's talk knows.
    const isTasks = last !== undefined && text.includes("by task b1.");
    if (last !== undefined) stage.count += 1;
    if (isTasks && !last.after.some((one) => talk.tasks.get(last.file)?.includes(one)))
      problems.push(`no task did it: ${text}`);
    if (last?.before?.may.length !== 1 || last.file.kind === "secret") continue;
    if (last.before.may[0] === changing.contentOf(last.file)) problems.push(`needless: ${text}`);
  }
  return problems;
}

/** What the model knows now, where the last turn was answered. */
export function believed(talk: Talk, { world, marks, meant }: Stage): Beliefs {
  const { known, messages, since } = talk;
  return readConversation(piecesOf(messages.slice(since)), { root: world.root, marks, meant, known }).beliefs;
}

/** Whether the model has read or written something since a round. */
export function hasActed(talk: Talk, round: Round): boolean {
  const later = piecesOf(talk.messages.slice(round.before.length));
  return later.some((piece) => "text" in piece && /^\[[A-Z]+ /u.test(piece.text));
}

function viewOf(turn: Turn<WireBody>, talk: Talk): Piece[] {
  if (talk.sendsBodies) return piecesOf(listOf(anthropic, turn.body));
  return piecesOf([...talk.messages, ...placed(turn)]);
}

/** As a host keeps them in its own history. */
export function placed({ reminders }: Turn<WireBody>): WireMessage[] {
  return reminders.map(({ blocks }) => ({ role: "user", content: blocks }));
}

function piecesOf(messages: readonly WireMessage[]): Piece[] {
  return messages.flatMap(({ content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : (content as object[])).flatMap(
      pieceOf,
    ),
  );
}

function pieceOf(block: object): Piece[] {
  const { text, content, data, source } = block as Record<string, unknown>;
  if (typeof text === "string") return [{ text }];
  if (typeof content === "string") return [{ text: content }];
  const image = data ?? (source as { data?: unknown } | undefined)?.data;
  return typeof image === "string" ? [{ image }] : [];
}

export function show(content: Content): string {
  return content === GONE ? "gone" : JSON.stringify(content);
}
