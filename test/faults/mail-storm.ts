// Many processes write into one mailbox, one reads it, all are killed at random: what was acknowledged is told once.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { createSqliteStore } from "sotto";
import type { Entry } from "sotto/extend";
import { seeded } from "../support/seeded.ts";
import { bundleChild } from "./bundle-child.ts";

export interface MailStormOptions {
  seed: number;
  writers: number;
  /** Letters that must be acknowledged, at the least. */
  letters: number;
  progress?(line: string): void;
}

export interface MailReport {
  acknowledged: number;
  told: number;
  kills: { writers: number; readers: number };
  problems: string[];
}

// From its first word on: how long it takes to begin says nothing about when it is at work.
const LONGEST_MS = 400;

export async function mailStorm({ seed, writers, letters, progress }: MailStormOptions): Promise<MailReport> {
  const random = seeded(seed);
  const program = await bundleChild("mail-child.ts");
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-mail-storm-")));
  const kills = { writers: 0, readers: 0 };
  let incarnation = 0;
  const logs: string[] = [];
  const acknowledged = () => logs.flatMap((path) => linesOf(path));
  const isEnough = () => acknowledged().length >= letters;
  const live = (args: readonly string[], output: string) =>
    livesFor(start([program, ...args], output), output, random.below(LONGEST_MS));

  const writer = async (index: number) => {
    while (!isEnough()) {
      const name = `w${index}i${++incarnation}`;
      const path = join(cwd, `${name}.log`);
      logs.push(path);
      if (await live(["writer", cwd, name, String(letters)], path)) kills.writers += 1;
      progress?.(`${acknowledged().length} acknowledged, ${kills.writers + kills.readers} kills`);
    }
  };
  const reader = async () => {
    while (!isEnough())
      if (await live(["reader", cwd], join(cwd, `reader${++incarnation}.log`))) kills.readers += 1;
  };

  try {
    await Promise.all([reader(), ...Array.from({ length: writers }, (_, index) => writer(index))]);
    await readTheRest(start([program, "reader", cwd], join(cwd, "last-reader.log")));
    const sent = acknowledged();
    const told = await toldIn(join(cwd, "mail.db"));
    const box = join(cwd, ".sotto/mail/storm/reader");
    const problems = [
      ...problemsIn(sent, told),
      ...readdirSync(join(box, "new")).map((file) => `left: ${file}`),
    ];
    return { acknowledged: sent.length, told: told.length, kills, problems };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function start(args: readonly string[], output: string): ChildProcess {
  const file = openSync(output, "a");
  const child = spawn(process.execPath, ["--no-warnings", ...args], {
    stdio: ["pipe", file, "inherit"],
  });
  closeSync(file);
  child.stdin?.on("error", () => undefined);
  return child;
}

/** So long from its first word on; whether it had to be killed. */
async function livesFor(child: ChildProcess, output: string, ms: number): Promise<boolean> {
  const ended = once(child, "exit");
  while (child.exitCode === null && child.signalCode === null && statSync(output).size === 0) await delay(10);
  const time = new AbortController();
  await Promise.race([ended, delay(ms, undefined, { signal: time.signal }).catch(() => undefined)]);
  time.abort();
  child.kill("SIGKILL");
  const [, signal] = await ended;
  return signal === "SIGKILL";
}

async function readTheRest(child: ChildProcess): Promise<void> {
  child.stdin?.write("last\n");
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the last reader ended with ${code}`);
}

/** The letters of all deliveries that were confirmed. */
async function toldIn(path: string): Promise<string[]> {
  const store = createSqliteStore({ path });
  const { entries } = await store.read("reader", 0);
  await store.close();
  const confirmed = new Set(
    entries.flatMap((entry: Entry) =>
      entry.kind === "delivery" && entry.state === "confirmed" ? [entry.id] : [],
    ),
  );
  const offered = new Map(
    entries.flatMap((entry: Entry) =>
      entry.kind === "delivery" && entry.state === "offered" && confirmed.has(entry.id)
        ? [[entry.id, entry] as const]
        : [],
    ),
  );
  return [...offered.values()].flatMap(({ blocks }) =>
    [...JSON.stringify(blocks).matchAll(/\\n(w\d+i\d+\.\d+)\\n/gu)].map(([, text = ""]) => text),
  );
}

function problemsIn(sent: readonly string[], told: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const text of told) times.set(text, (times.get(text) ?? 0) + 1);
  return [
    ...sent.filter((text) => !times.has(text)).map((text) => `lost: ${text}`),
    ...[...times].filter(([, count]) => count > 1).map(([text, count]) => `told ${count} times: ${text}`),
  ];
}

function linesOf(path: string): string[] {
  try {
    // The last may have been cut off: without its end it was not said.
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}
