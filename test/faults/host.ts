// A small real host: its engine, its files and its faults, and the events that happen to it.

import { createSession, createSqliteStore, type Session } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import type { MeasuredDialect } from "../support/prefix.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { type Canary, canaryKinds, canaryWord, toEvent } from "./canaries.ts";
import { createFaultyStore } from "./faulty-store.ts";
import { createHostDisk, type HostDisk, type Kept } from "./host-disk.ts";
import { createKiller, type Kill, type Reach } from "./points.ts";
import { createWeather, type Mood } from "./weather.ts";
import { type Wire, wires } from "./wire.ts";

/**
 * `anchored`: the host's history never shows a reminder. `kept`: it keeps the requests as the engine filled them.
 * `placed`: it asks for turns without a body and places the reminders itself, each id once.
 */
export type HostMode = "anchored" | "kept" | "placed";

/** What one process of the host is told to live through. */
export interface Life {
  directory: string;
  url: string;
  session: string;
  dialect: MeasuredDialect;
  mode: HostMode;
  /** Counts the processes of this session. */
  number: number;
  seed: number;
  /** Calls that are answered before the host ends by itself. */
  exchanges: number;
  kill?: Kill;
  /** Whether events that were not acknowledged are recorded again. */
  tellsAgain: boolean;
  /** No more faults; ends when nothing is due any more. */
  last: boolean;
  /** The address of a Postgres server; default: a file. */
  postgres?: string;
}

export interface Host extends Life {
  wire: Wire;
  disk: HostDisk;
  reach: Reach;
  random: Random;
  open(): Session;
  engine: Session;
  kept: Kept;
  calls: number;
  canaries: number;
  /** Nothing goes wrong while the host only fills its log. */
  calm: boolean;
}

const ANSWERED_LATE_MS = 250;
const PATIENT_MS = 30_000;
const BURST = 210;
export const LEASE_MS = 1000;

export function createHost(life: Life): Host {
  const { directory, session, seed, last } = life;
  const random = seeded(seed);
  const reach = createKiller(life.kill);
  const disk = createHostDisk(directory, reach);
  const wire = wires[life.dialect];
  const hangs = !last && random.chance(0.04);
  const weather = createWeather(() => (last ? "fine" : mood(random, disk, hangs)));
  const sound =
    life.postgres === undefined
      ? createSqliteStore({ path: disk.store, lockWaitMs: PATIENT_MS })
      : createPostgresStore({ connectionString: life.postgres, waitMs: PATIENT_MS, connections: 2 });
  const store = createFaultyStore(sound, {
    reach,
    mishap: (operation) => {
      if (last || host.calm || !random.chance(0.06)) return undefined;
      const kind = random.pick(["refused", "unclear"] as const);
      disk.fault(`store ${kind} ${operation}`);
      return kind;
    },
  });
  const open = () =>
    createSession({
      id: session,
      cwd: directory,
      agent: { kind: "main" },
      store,
      tools: ["Bash"],
      sources: [weather.source],
      attachments: [weather.attachment],
      config: {
        timeout_ms: hangs ? ANSWERED_LATE_MS : PATIENT_MS,
        // A database cannot see that a process is dead.
        ...(life.postgres === undefined ? {} : { claim_ttl_ms: LEASE_MS }),
        critical_instruction: "Be brief.",
        attachments: { critical_system_reminder: { min_turns_between: 3 } },
      },
    });
  const kept = disk.load() ?? { messages: [...wire.start], placed: [] };
  const tools = { wire, disk, reach, random, open, engine: open() };
  const host: Host = { ...life, ...tools, kept, calls: 0, canaries: 0, calm: false };
  return host;
}

function mood(random: Random, disk: HostDisk, hangs: boolean): Mood {
  const now: Mood = hangs
    ? "hangs"
    : random.chance(0.08)
      ? random.pick(["throws", "trigger throws"])
      : "fine";
  if (now !== "fine") disk.fault(`source ${now}`);
  return now;
}

/** Things happen; the host notes each one, records it, and notes that it was taken. */
export async function happen(host: Host, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const word = canaryWord(host.session, host.number, ++host.canaries);
    const canary: Canary = { word, kind: host.random.pick(canaryKinds) };
    host.disk.intend(canary);
    await record(host, canary);
  }
}

async function record({ engine, disk, reach }: Host, canary: Canary): Promise<void> {
  const done = engine.record(toEvent(canary)).then(
    () => "taken",
    () => "refused",
  );
  reach("inside-record");
  if ((await done) !== "taken") return;
  reach("after-record");
  disk.acknowledge(canary);
}

/** Some hosts tell again what they cannot be sure of; what is never told again may be lost, but not doubled. */
export async function recordAgain(host: Host): Promise<void> {
  if (!host.tellsAgain) return;
  const known = host.disk.acknowledged();
  for (const canary of host.disk.intended()) if (!known.has(canary.word)) await record(host, canary);
}

/** As much as it takes for the engine to keep a snapshot. */
export async function burst(host: Host): Promise<void> {
  host.calm = true;
  for (let index = 0; index < BURST; index++)
    await host.engine.record({ type: "task_progress", taskId: "burst", message: `${index}` });
  host.calm = false;
}

/** The same session once more, in the same process. */
export async function reopen(host: Host): Promise<void> {
  await host.engine.close();
  host.engine = host.open();
}

export function isAbout({ kill }: { kill?: Kill | undefined }, word: string): boolean {
  return kill?.point.includes(word) ?? false;
}
