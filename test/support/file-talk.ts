// A conversation about files that change behind its back: an agent reads and writes, is asked and answered, goes back,
// is summed up, and at each turn must know how things are.

import type { Session, SessionEvent, Turn, TurnOptions } from "sotto";
import { anthropic, prompt, type WireBody } from "./agent-wire.ts";
import type { Marked } from "./believed-files.ts";
import { type Content, files, GONE } from "./changing-files.ts";
import { judge, note, placed, show } from "./file-judge.ts";
import type { Ending, Stage, Talk } from "./file-stage.ts";

// A file that cannot be read within a second is left for the next turn: on a machine that stands still, none can.
const STALLED_MS = 900;

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
    talk.messages.push(...anthropic.reply(undefined, [id]), ...anthropic.results([{ id, text }], true));
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
    await record({ type: "file_written", path, ...given(wrote), ...(what === 7 ? { cause: "tool" } : {}) });
  } else if (what === 9 && talk.known !== undefined) {
    const removed = name === "sub/b.ts" && random.chance(0.5) ? "sub" : name;
    if (file.names[0] !== name) return;
    changing.remove(removed);
    mark(talk, stage, "REMOVE", { name: removed, marked: GONE });
    await record({ type: "file_removed", path: removed });
  } else if (what > 9) {
    talk.tasks.set(file, [...(talk.tasks.get(file) ?? []), changing.rewrite(file)]);
    await record({ type: "file_written", path, cause: random.pick(["task b1", "hook", "sub-agent Plan"]) });
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
  const request = {
    ...(talk.sendsBodies ? { dialect: anthropic.dialect, body: anthropic.body(talk.messages) } : {}),
    ...(mention === undefined ? {} : { userPrompt: mention }),
  };
  const turn = await answered(session, request, stage);
  talk.rounds.push({ number: turn.number, before, ending: talk.ending, isMention: mention !== undefined });
  const problems = judge(turn, talk, stage);
  tell(turn, `${session.id} ends with ${ending}; ${mention}`, stage);
  await end(turn, { talk, session, ending, stage });
  return problems;
}

type Request = TurnOptions<WireBody>;

async function answered(session: Session, request: Request, stage: Stage): Promise<Turn<WireBody>> {
  const from = performance.now();
  const turn = await session.turn(request);
  note(turn, stage);
  stage.handed.push(JSON.stringify([turn.reminders, turn.attachments, turn.trace, turn.body]));
  return performance.now() - from > STALLED_MS ? answered(session, request, stage) : turn;
}

function tell({ number, reminders, trace }: Turn<WireBody>, about: string, { story }: Stage): void {
  const { outcome, reason } = trace.find(({ type }) => type === "edited_text_file") ?? {};
  story.push(`turn ${number} of ${about}; ${outcome}: ${reason}`);
  for (const { id, again, text } of reminders)
    story.push(`${id}${again ? " again" : ""} ${text.slice(18, 160)}`);
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
  talk.since = talk.messages.length;
  talk.messages.push(...anthropic.reply(`Done ${stage.marks.length}.`, []));
}

function reword(talk: Talk): void {
  const last = talk.messages.at(-1);
  if (typeof last?.content !== "string" || last.content.startsWith("[")) return;
  talk.messages[talk.messages.length - 1] = prompt(`${last.content} Please.`);
}
