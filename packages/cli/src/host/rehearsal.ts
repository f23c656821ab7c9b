// A rehearsal: the script played through the real engine, with real files, processes and HTTP.

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, createSqliteStore, type SessionEvent } from "sotto";
import { type Play, playScene } from "./agent-loop.ts";
import type { Audience } from "./audience.ts";
import { createBackgroundTasks } from "./background-tasks.ts";
import { createExpectations } from "./expectations.ts";
import { type Measured, measure } from "./measure.ts";
import { startRehearsalServer } from "./rehearsal-server.ts";
import { FILES, type Stage, SUMMARY_REPLY, scenes } from "./script.ts";
import { TOOLS } from "./tools.ts";

export interface RehearsalOptions {
  audience: Audience;
  signal: AbortSignal;
  /** Leave the directory in place. */
  keep: boolean;
}

export interface Rehearsed {
  measured: Measured;
  turns: number;
  directory: string;
  store: string;
}

type Closing = (() => Promise<void>)[];

export async function rehearse(options: RehearsalOptions): Promise<Rehearsed> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "sotto-rehearsal-")));
  const remove = () => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const closing: Closing = options.keep ? [] : [remove];
  try {
    return await playIn(directory, options, closing);
  } finally {
    // One that fails must not keep the others from clearing away.
    for (const close of closing.reverse()) await close().catch(() => undefined);
  }
}

async function playIn(directory: string, options: RehearsalOptions, closing: Closing): Promise<Rehearsed> {
  const planFile = join(directory, ".claude", "plans", "greeting.md");
  await mkdir(join(directory, ".claude", "plans"), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(directory, name), content);

  const script = scenes(directory, planFile);
  const server = await startRehearsalServer(
    script.flatMap((scene) => [...(scene.compact ? [SUMMARY_REPLY] : []), ...scene.answers]),
  );
  closing.push(server.close);
  const path = join(directory, "sotto.db");
  const store = createSqliteStore({ path });
  closing.push(() => store.close());
  const session = createSession({
    id: "rehearsal",
    cwd: directory,
    agent: { kind: "main" },
    store,
    tools: TOOLS.map(({ name }) => name),
    config: { enable_token_usage: true },
  });
  closing.push(() => session.close());

  const expectations = createExpectations();
  const record = async (event: SessionEvent) => {
    expectations.note(event);
    await session.record(event);
  };
  const tasks = createBackgroundTasks({ directory, record });
  closing.push(() => tasks.close());
  const { audience, signal } = options;
  const stage: Stage = {
    async happens(words, event) {
      audience.happened(words);
      await record(event);
    },
    async taskEnded(id) {
      await unlessAborted(tasks.ended(id), signal);
      audience.happened(`the background task ${id} has ended`);
    },
    stopTask: tasks.stop,
  };
  const play: Play = {
    session,
    server,
    expectations,
    tools: { session, tasks, record },
    audience,
    signal,
    history: [],
    given: [],
    views: new Map(),
  };
  for (const scene of script) await playScene(scene, stage, play);
  const requests = server.received.flatMap((one, index) => {
    const view = play.views.get(index);
    return view === undefined ? [] : [{ ...one, view }];
  });
  const measured = measure({ requests, given: play.given, expected: expectations.all });
  return { measured, turns: script.length, directory, store: path };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
