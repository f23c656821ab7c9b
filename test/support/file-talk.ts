// A conversation about files that change behind its back: an agent reads and writes, is asked and answered, goes back,
// is summed up, and at each turn must know how things are.

import type { Session, SessionEvent, Turn } from "sotto";
import { anthropic, prompt, type WireBody, type WireMessage } from "./agent-wire.ts";
import { type Beliefs, type Marked, type Piece, readConversation } from "./believed-files.ts";
import { type ChangingFile, type ChangingFiles, type Content, files, GONE } from "./changing-files.ts";
import type { FileWorld } from "./file-world.ts";
import type { Random } from "./seeded.ts";

/** What all conversations of one world share. */
export interface Stage {
  world: FileWorld;
  random: Random;
  changing: ChangingFiles;
  marks: Marked[];
  meant: Map<string, Content[]>;
  /** All that anybody was handed: nothing secret may stand in it. */
  handed: string[];
  /** What happened so far, for whoever has to find out why. */
  story: string[];
}

export interface Talk {
  /** The processes that work on it: one turn each. */
  sessions: Session[];
  /** Sends whole requests; else it places reminders itself. */
  sendsBodies: boolean;
  messages: WireMessage[];
  /** Where each turn began. */
  rounds: Round[];
  /** How the last turn ended. */
  ending: Ending;
  /** What the model knew at the last turn, and what stood there; nothing where it has gone back since. */
  known: Beliefs | undefined;
  since: number;
  /** It went back, and said so. */
  wentBack: boolean;
  /** What tasks wrote, as they said. */
  tasks: Map<ChangingFile, Content[]>;
}

export interface Round {
  number: number;
  before: WireMessage[];
  /** How the one before ended. */
  ending: Ending;
  isMention: boolean;
}

/** `ask again`: nobody answered, and nobody said so. */
export type Ending = "commit" | "answer" | "abandon" | "ask again";

export function createTalk(session: Session, sendsBodies: boolean): Talk {
  return {
    sessions: [session],
    sendsBodies,
    messages: [prompt("Begin.")],
    rounds: [],
    ending: "commit",
    known: undefined,
    since: 0,
    wentBack: false,
    tasks: new Map(),
  };
}

/** Something stands in the conversation that has to do with files. */
export function mark(
  talk: Talk,
  stage: Stage,
  what: string,
  { name = "-", marked }: { name?: string; marked: Marked },
) {
  const number = stage.marks.push(marked) - 1;
  const text = `[${what} ${name} #${number}]`;
  if (what === "KNOW") talk.messages.push(prompt(text));
  else {
    const id = `call_${number}`;
    talk.messages.push(anthropic.reply(undefined, [id]), ...anthropic.results([{ id, text }], true));
  }
}

/** The agent does something with a file, in one of the ways hosts tell of it. */
export async function act(talk: Talk, stage: Stage): Promise<void> {
  const { random, changing, world } = stage;
  const session = random.pick(talk.sessions);
  const file = random.pick(files);
  const name = random.pick(file.names);
  const content = changing.contentOf(file);
  const record = (event: SessionEvent) => session.record(event);
  const given = (text: Content) =>
    random.chance(0.5) && typeof text === "string" && file.kind !== "binary" && file.kind !== "image"
      ? { content: text }
      : {};
  const path = random.chance(0.5) ? name : world.at(name);
  const what = random.below(12);
  if (content === GONE) return;
  stage.story.push(`act ${what} on ${name} in ${session.id}: ${show(content).slice(0, 120)}`);
  if (what < 5) {
    mark(talk, stage, "READ", { name, marked: content });
    await record({ type: "file_read", path, ...given(content) });
  } else if (what === 5) await record({ type: "file_read", path, offset: 1, limit: 2 });
  else if (what === 6 && ["text", "crlf", "utf-16"].includes(file.kind)) {
    // Somebody is faster than the host is in telling.
    if (changing.rewrite(file) !== content) mark(talk, stage, "READ", { name, marked: content });
    else return;
    await record({ type: "file_read", path, content: content as string });
  } else if (what < 9) {
    const wrote = changing.rewrite(file);
    mark(talk, stage, "WRITE", { name, marked: wrote });
    await record({ type: "file_written", path, ...given(wrote), ...(what === 7 ? { cause: "hook" } : {}) });
  } else if (what === 9 && talk.known !== undefined) {
    const removed = name === "sub/b.ts" && random.chance(0.5) ? "sub" : name;
    if (file.names[0] !== name) return;
    changing.remove(removed);
    mark(talk, stage, "REMOVE", { name: removed, marked: GONE });
    await record({ type: "file_removed", path: removed });
  } else if (what > 9) {
    talk.tasks.set(file, [...(talk.tasks.get(file) ?? []), changing.rewrite(file)]);
    await record({ type: "file_written", path, cause: "task b1" });
  }
}

export async function ask(talk: Talk, stage: Stage, ending: Ending): Promise<string[]> {
  const { random } = stage;
  const session = random.pick(talk.sessions);
  const file = random.pick(files);
  const mention = random.chance(0.15) ? `See @${random.pick(file.names)}` : undefined;
  const before = [...talk.messages];
  if (talk.messages.at(-1)?.role === "assistant" || mention !== undefined)
    talk.messages.push(prompt(mention ?? `Go on, ${stage.marks.length}.`));
  const turn = await session.turn({
    ...(talk.sendsBodies ? { dialect: anthropic.dialect, body: anthropic.body(talk.messages) } : {}),
    ...(mention === undefined ? {} : { userPrompt: mention }),
  });
  stage.handed.push(JSON.stringify([turn.reminders, turn.attachments, turn.trace, turn.body]));
  talk.rounds.push({ number: turn.number, before, ending: talk.ending, isMention: mention !== undefined });
  const problems = judge(turn, talk, stage);
  const said = turn.reminders.map(
    ({ id, text, again }) => `${id}${again ? " again" : ""} ${text.slice(18, 160)}`,
  );
  const { outcome, reason } = turn.trace.find(({ type }) => type === "edited_text_file") ?? {};
  stage.story.push(
    `turn ${turn.number} of ${session.id} ends with ${ending}; ${mention}; ${outcome}: ${reason}`,
    ...said,
  );
  await end(turn, { talk, session, ending, stage });
  return problems;
}

/** The model must know all files as they are, and was told nothing that it knew. */
function judge(turn: Turn<WireBody>, talk: Talk, { changing, world, marks, meant }: Stage): string[] {
  const fresh = turn.reminders.filter(({ again }) => !again);
  const problems: string[] = turn.problem === undefined ? [] : [turn.problem];
  for (const { text, blocks } of fresh) {
    const first = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))[0] ?? text;
    for (const file of files) {
      const content = changing.contentOf(file);
      if (file.names.some((name) => first.includes(world.at(name))))
        meant.set(first, [...new Set<Content>([...(meant.get(first) ?? []), content])]);
    }
  }
  const {
    beliefs,
    problems: unread,
    told,
  } = readConversation(viewOf(turn, talk), {
    root: world.root,
    marks,
    meant,
  });
  problems.push(...unread);
  talk.known = beliefs;
  talk.since = talk.messages.length;
  for (const [file, { may }] of beliefs) {
    const content = changing.contentOf(file);
    if (!may.includes(content)) problems.push(`not told: ${file.names[0]} is ${show(content)}`);
  }
  for (const { text } of fresh) {
    const last = told.findLast((one) => one.text === text);
    const isTasks = last !== undefined && text.includes("by task b1");
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
  if (talk.sendsBodies) return piecesOf(turn.body.messages);
  return piecesOf([...talk.messages, ...placed(turn)]);
}

/** As a host keeps them in its own history. */
function placed({ reminders }: Turn<WireBody>): WireMessage[] {
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

interface EndOptions {
  talk: Talk;
  session: Session;
  ending: Ending;
  stage: Stage;
}

async function end(turn: Turn<WireBody>, { talk, session, ending, stage }: EndOptions): Promise<void> {
  const { random } = stage;
  talk.ending = ending;
  if (ending === "commit") await turn.commit();
  if (ending === "abandon") {
    await turn.abandon();
    // Asked once more in other words, or as before.
    if (random.chance(0.3) && talk.messages.length > 1 && !talk.wentBack) reword(talk);
  }
  if (ending !== "commit" && ending !== "answer") return;
  if (!talk.sendsBodies) {
    talk.messages.push(...placed(turn));
    if (ending === "answer" || random.chance(0.5)) await session.record({ type: "assistant_turn" });
  }
  talk.messages.push(anthropic.reply(`Done ${stage.marks.length}.`, []));
}

function reword(talk: Talk): void {
  const last = talk.messages.at(-1);
  if (typeof last?.content !== "string" || last.content.startsWith("[")) return;
  talk.messages[talk.messages.length - 1] = prompt(`${last.content} Please.`);
}

export function show(content: Content): string {
  return content === GONE ? "gone" : JSON.stringify(content);
}
