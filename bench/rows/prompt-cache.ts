// What reminders cost with a prompt cache: where they are put decides it. The engine plays the same day as the others.

import { anthropicMessages, type Config, createSession, type Session } from "sotto";
import type { Bench } from "../bench.ts";
import { createDay, type Day, type Message, REQUESTS, SYSTEM } from "../inputs/standard-session.ts";

/** What a token costs that stood in the request before, at the same place. */
const CACHED = 0.1;
/** What the engine's reminders may cost with its default config, as a multiple of saying nothing. */
const MOST = 1.05;

type Said = (request: number) => string | undefined;
/** The request as it goes out: what is in the history, and what was or is said at which message. */
type Policy = (history: readonly Message[], said: ReadonlyMap<number, string>) => readonly Message[];

const POLICIES: [string, string, Policy][] = [
  ["at the head", "put near the head again each request", againNearHead],
  ["piling up", "near the head, piling up", pilingUp],
  ["appended", "appended and kept", appended],
];

// About what existing agents send: a word about the todo list, changed files, a mode.
const NOTE = `<system-reminder>\n${"The list of things to do was not touched for a while; look at it. ".repeat(6)}\n</system-reminder>`;
const RHYTHMS: [string, Said, Config][] = [
  [
    "a reminder on every request",
    () => NOTE,
    { critical_instruction: NOTE.replace(/<.*?>\n?/gu, "").trim() },
  ],
  ["the rhythm of a coding agent", (request) => (isTalkative(request) ? NOTE : undefined), {}],
];

function isTalkative(request: number): boolean {
  return request % 25 === 0 || request % 5 === 3 || request % 30 === 18;
}

/** Otherwise saying little would be no merit. */
const EXPECTED =
  "project_context edited_text_file plan_mode plan_mode_exit queued_command diagnostics task_status".split(
    " ",
  );

interface Bill {
  cost: number;
  hits: number;
}

export async function measure(bench: Bench): Promise<void> {
  const silent = await billOf((request) => request);
  for (const [rhythm, said, config] of RHYTHMS) {
    const engine = await engineBill(config);
    for (const [short, baseline, policy] of POLICIES) {
      let theirs: Bill = silent;
      await bench.row({
        name: `prompt cache, ${REQUESTS} requests, ${rhythm}, beside reminders ${short}`,
        unit: "× no reminders",
        baseline,
        ...(config.critical_instruction === undefined ? { goal: { figure: MOST } } : {}),
        isFixed: true,
        ours: () => engine.cost / silent.cost,
        theirs: async () => {
          theirs = await billOf((history) => policy(history, saidIn(history, said)));
          return theirs.cost / silent.cost;
        },
        note: () => `from the cache ${percent(engine.hits)}, the baseline ${percent(theirs.hits)}`,
      });
    }
  }
}

/** The day as a host would send it that puts its reminders by a policy. */
async function billOf(policy: (history: readonly Message[]) => readonly Message[]): Promise<Bill> {
  const day = createDay();
  const history: Message[] = [];
  const bill = createBill();
  for (let request = 0; request < REQUESTS; request++) {
    day.events(request);
    history.push(...day.messages(request));
    bill.add(policy(history));
    day.disturb(request);
  }
  day.remove();
  return bill.total();
}

/** The same day through the engine; the prefix has to hold from each request to the next. */
async function engineBill(config: Config): Promise<Bill> {
  const day = createDay();
  const session = createSession({ cwd: day.cwd, home: day.cwd, agent: { kind: "main" }, config });
  const bill = createBill();
  const history: Message[] = [];
  const kinds = new Set<string>();
  for (let request = 0; request < REQUESTS; request++) {
    history.push(...day.messages(request));
    const messages = await ask(session, day, { request, history, kinds });
    bill.add(messages);
    if (bill.broken > 0) throw new Error(`request ${request} breaks the prefix`);
    day.disturb(request);
  }
  await session.close();
  day.remove();
  for (const type of EXPECTED) if (!kinds.has(type)) throw new Error(`${type} was never said`);
  return bill.total();
}

async function ask(
  session: Session,
  day: Day,
  { request, history, kinds }: { request: number; history: readonly Message[]; kinds: Set<string> },
): Promise<readonly Message[]> {
  for (const event of day.events(request)) await session.record(event);
  const userPrompt = day.prompt(request);
  const body = { model: "m", max_tokens: 1, system: SYSTEM, messages: [...history] };
  const turn = await session.turn({
    dialect: anthropicMessages,
    body: body as never,
    ...(userPrompt === undefined ? {} : { userPrompt }),
  });
  if (turn.problem !== undefined) throw new Error(turn.problem);
  for (const { type } of turn.reminders) kinds.add(type);
  await turn.commit();
  return (turn.body as typeof body).messages;
}

/** Requests one after the other against a cache of the longest prefix. */
function createBill() {
  let last = "";
  let cost = 0;
  let cached = 0;
  let sent = 0;
  return {
    broken: 0,
    add(messages: readonly Message[]) {
      // Without the last bracket: what follows is a message more.
      const text = SYSTEM + JSON.stringify(messages).slice(0, -1);
      const shared = sharedPrefix(last, text);
      if (shared < last.length) this.broken++;
      cost += shared * CACHED + (text.length - shared);
      cached += shared;
      sent += text.length;
      last = text;
    },
    total: (): Bill => ({ cost, hits: cached / sent }),
  };
}

function sharedPrefix(a: string, b: string): number {
  if (b.startsWith(a)) return a.length;
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (b.startsWith(a.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What was said, by the index of the user message it was said with. */
function saidIn(history: readonly Message[], said: Said): Map<number, string> {
  const users = history.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return new Map(
    users.flatMap((index, request) =>
      said(request) === undefined ? [] : [[index, said(request) as string]],
    ),
  );
}

function againNearHead(history: readonly Message[], said: ReadonlyMap<number, string>): readonly Message[] {
  const now = said.get(history.length - 1);
  return now === undefined ? history : [note([`${now}\n${history.length}`]), ...history];
}

function pilingUp(history: readonly Message[], said: ReadonlyMap<number, string>): readonly Message[] {
  return said.size === 0 ? history : [note([...said.values()]), ...history];
}

function appended(history: readonly Message[], said: ReadonlyMap<number, string>): readonly Message[] {
  return history.map((message, index) => {
    const text = said.get(index);
    return text === undefined
      ? message
      : { ...message, content: [...message.content, { type: "text", text }] };
  });
}

function note(texts: readonly string[]): Message {
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
