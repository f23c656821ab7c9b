// Conversations in a world of changing files: side by side, in processes of their own, forked, delegated, taken back.

import { createMemoryStore, createSqliteStore, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { createChangingFiles, files } from "./changing-files.ts";
import { believed, hasActed, show } from "./file-judge.ts";
import type { Ending, Stage, Talk } from "./file-stage.ts";
import { act, ask, createTalk, mark } from "./file-talk.ts";
import { type FileWorld, openIn } from "./file-world.ts";
import type { Random } from "./seeded.ts";

const STEPS = 45;
const config = {
  timeout_ms: 60_000,
  max_tokens_per_turn: 1_000_000,
  max_context_tokens: 1_000_000,
  attachments: { edited_image_file: { send: true }, todo: false },
};

export interface Life extends Stage {
  talks: Talk[];
  problems: string[];
  open(id: string): Session;
  close(): Promise<void>;
}

export function beginLife(world: FileWorld, random: Random): Life {
  const isKept = random.chance(0.5);
  const stores: Store[] = [];
  const memory = createMemoryStore();
  const store = () => {
    if (!isKept) return memory;
    const opened = createSqliteStore({ path: world.at(".store/s.db"), lockWaitMs: 30_000 });
    stores.push(opened);
    return opened;
  };
  const life: Life = {
    world,
    random,
    changing: createChangingFiles(world, random),
    marks: [],
    meant: new Map(),
    handed: [],
    count: 0,
    story: [],
    problems: [],
    talks: [],
    open: (id) => openIn(world, { id, store: store(), config, permissions: { denyRead: ["private/**"] } }),
    async close() {
      for (const { sessions } of life.talks) for (const session of sessions) await session.close();
      for (const one of stores) await one.close();
    },
  };
  life.talks.push(createTalk(life.open("s"), random.chance(0.5)));
  return life;
}

/** What can happen besides: undefined where it cannot happen now. */
const events: ((life: Life, talk: Talk) => Promise<unknown> | undefined)[] = [
  function compact(life, talk) {
    if (!isConfirmed(talk)) return undefined;
    const marked = believed(talk, life);
    talk.messages = [];
    mark(talk, life, "KNOW", { marked });
    return one(talk, life).record({ type: "compacted" });
  },
  function goBack(life, talk) {
    const [round, toTurn] = earlier(talk, life);
    if (round === undefined) return undefined;
    resume(talk, talk.rounds.indexOf(round));
    talk.wentBack = true;
    return one(talk, life).record({ type: "rewound", toTurn });
  },
  function goOnDifferently(life, talk) {
    const [round] = earlier(talk, life);
    if (round === undefined || !talk.sendsBodies || talk.wentBack) return undefined;
    const index = talk.rounds.indexOf(round);
    const left = talk.rounds.slice(index);
    const isSummed = round.before.some((message, at) => message !== talk.messages[at]);
    if (isSummed || hasActed(talk, round) || left.some(({ isMention }) => isMention)) return undefined;
    resume(talk, index);
    talk.messages.push({ role: "user", content: `Rather this, ${life.marks.length}.` });
    return Promise.resolve();
  },
  function fork(life, talk) {
    if (life.talks.length >= 4) return undefined;
    const [round, turn] = life.random.chance(0.5) ? earlier(talk, life) : [];
    const { rounds, messages, tasks } = talk;
    const copy = { ...talk, rounds: [...rounds], messages: [...messages], tasks: new Map(tasks) };
    if (round !== undefined) resume(copy, talk.rounds.indexOf(round));
    const id = `fork-${life.marks.push(new Map())}`;
    return one(talk, life)
      .fork({ id, ...(round === undefined ? {} : { turn }) } as { id: string })
      .then((session) => life.talks.push({ ...copy, sessions: [session] }));
  },
  function delegate(life, talk) {
    if (life.talks.length >= 4 || !isConfirmed(talk)) return undefined;
    const session = one(talk, life).subagent({ agentType: "Explore" });
    const child = createTalk(session, life.random.chance(0.5));
    const known = [...believed(talk, life)].filter(([, { may }]) =>
      may.every((one) => typeof one === "string"),
    );
    mark(child, life, "KNOW", { marked: new Map(known) });
    life.talks.push(child);
    return ask(child, life, "commit").then((problems) => life.problems.push(...problems));
  },
  function endDelegation(life, talk) {
    if (talk.sessions[0]?.agent.kind !== "sub") return undefined;
    const { id } = talk.sessions[0];
    life.talks = life.talks.filter(({ sessions: [own] }) => !`${own?.id}/`.startsWith(`${id}/`));
    return talk.sessions[0].close();
  },
  async function otherProcess(life, talk) {
    const [session] = talk.sessions;
    if (session === undefined || session.agent.kind === "sub" || talk.wentBack) return;
    for (const one of talk.sessions) await one.close();
    // Its sub-agents go with it.
    life.talks = life.talks.filter(({ sessions: [own] }) => !own?.id.startsWith(`${session.id}/`));
    talk.sessions = [life.open(session.id)];
  },
  function twoProcesses(life, talk) {
    const [session] = talk.sessions;
    if (session === undefined || session.agent.kind === "sub" || !isConfirmed(talk)) return undefined;
    if (talk.wentBack) return undefined;
    if (talk.sessions.length < 2) talk.sessions.push(life.open(session.id));
    return Promise.resolve();
  },
];

function one({ sessions }: Talk, { random }: Life): Session {
  return random.pick(sessions);
}

/** The model, and everybody else, knows that it knows. */
function isConfirmed({ ending, sendsBodies, known }: Talk): boolean {
  return known !== undefined && (ending === "commit" || (ending === "answer" && !sendsBodies));
}

/** A round to go back to, and the turn that came before it. */
function earlier({ rounds }: Talk, { random }: Life): [Talk["rounds"][number] | undefined, number] {
  const whole = rounds.slice(-6).filter((round) => {
    const before = rounds[rounds.indexOf(round) - 1];
    return (
      before !== undefined && before.number < round.number && isAnswered(round.ending) && !round.isMention
    );
  });
  const round = whole.length === 0 ? undefined : random.pick(whole);
  return [round, round === undefined ? 0 : (rounds[rounds.indexOf(round) - 1]?.number ?? 0)];
}

function resume(talk: Talk, index: number): void {
  const { before, ending } = talk.rounds[index] as Talk["rounds"][number];
  talk.messages = [...before];
  talk.ending = ending;
  talk.known = undefined;
  talk.rounds = talk.rounds.slice(0, index);
}

function endingFor({ sessions, sendsBodies }: Talk, { random }: Life): Ending {
  // What one process has in its hands the other does not say, where no request shows it.
  if (sessions.length > 1 && !sendsBodies) return random.pick(["commit", "commit", "abandon"]);
  return random.pick(["commit", "commit", "commit", "answer", "answer", "abandon", "ask again"]);
}

function isAnswered(ending: Ending): boolean {
  return ending === "commit" || ending === "answer";
}

function change({ random, changing, story }: Life): void {
  const file = random.pick(files);
  changing.change(file);
  story.push(`${file.names[0]} is ${show(changing.contentOf(file)).slice(0, 120)}`);
}

/** Lives on until something is wrong; what that is. */
export async function live(life: Life): Promise<string[]> {
  const { random } = life;
  for (let step = 0; step < STEPS; step++) {
    const talk = random.pick(life.talks);
    for (let count = random.below(4); count > 0; count--) change(life);
    if (isAnswered(talk.ending)) for (let count = random.below(4); count > 0; count--) await act(talk, life);
    for (let count = random.below(3); count > 0; count--) change(life);
    const event = random.pick(events);
    if (random.chance(0.3)) {
      const happens = event(life, talk);
      if (happens !== undefined) life.story.push(`${event.name} in ${talk.sessions[0]?.id}`);
      await happens;
    }
    if (life.talks.includes(talk)) life.problems.push(...(await ask(talk, life, endingFor(talk, life))));
    if (life.problems.length > 0) return life.problems;
  }
  return [];
}
