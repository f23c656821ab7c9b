// Conversations whose turns are taken by a random process each, and whether their requests go on from one another.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import type { AnthropicBody } from "sotto";
import { prefixOf } from "../support/prefix.ts";
import { seeded } from "../support/seeded.ts";
import { bundleChild } from "./bundle-child.ts";
import { canaryWord, countCanaries } from "./canaries.ts";

export interface Routed {
  number: number;
  session: string;
  /** Something that happens first. */
  word?: string;
  body: AnthropicBody;
  commits: boolean;
}

type Answer = { number: number; body?: AnthropicBody; error?: string };

export interface RoutingOptions {
  url: string;
  seed: number;
  processes: number;
  sessions: number;
  turns: number;
}

export interface RoutingReport {
  turns: number;
  /** How many of them another process took than the one before. */
  moved: number;
  said: number;
  problems: string[];
}

export async function routeTurns(options: RoutingOptions): Promise<RoutingReport> {
  const program = await bundleChild("routed-child.ts");
  const processes = await Promise.all(
    Array.from({ length: options.processes }, (_, index) =>
      start(program, [options.url, tmpdir(), index % 2 === 0 ? "east" : "west"]),
    ),
  );
  const report: RoutingReport = { turns: 0, moved: 0, said: 0, problems: [] };
  try {
    await Promise.all(
      Array.from({ length: options.sessions }, (_, index) => converse(index, { options, processes, report })),
    );
  } finally {
    for (const { child } of processes) child.disconnect();
    await Promise.all(processes.map(({ child }) => once(child, "exit")));
  }
  return report;
}

interface Conversation {
  options: RoutingOptions;
  processes: readonly Started[];
  report: RoutingReport;
}

async function converse(index: number, { options, processes, report }: Conversation): Promise<void> {
  const random = seeded(options.seed * 1000 + index);
  const session = `routed-${index}`;
  const messages: AnthropicBody["messages"][number][] = [];
  let before: { prefix: string; by: number } | undefined;
  for (let turn = 1; turn <= options.turns; turn++) {
    messages.push({ role: "user", content: `Prompt ${turn}.` });
    const by = random.below(processes.length);
    const word = canaryWord(session, "r", turn);
    const commits = random.chance(0.5);
    const body = await (processes[by] as Started).ask({
      session,
      word,
      body: { messages: [...messages] },
      commits,
    });
    const prefix = prefixOf("anthropic-messages", body);
    report.turns++;
    if (before !== undefined) {
      if (before.by !== by) report.moved++;
      if (!prefix.startsWith(before.prefix))
        report.problems.push(`${session}: turn ${turn} does not go on from the one before`);
    }
    for (let earlier = 1; earlier <= turn; earlier++) {
      const times = countCanaries(JSON.stringify(body)).get(canaryWord(session, "r", earlier)) ?? 0;
      if (times !== 1)
        report.problems.push(`${session}: turn ${turn} says the word of turn ${earlier} ${times} times`);
      report.said += times;
    }
    before = { prefix, by };
    messages.push({ role: "assistant", content: `Answer ${turn}.` });
  }
}

interface Started {
  child: ChildProcess;
  ask(routed: Omit<Routed, "number">): Promise<AnthropicBody>;
}

async function start(program: string, given: string[]): Promise<Started> {
  const child = fork(program, given, { execArgv: ["--no-warnings"] });
  const waiting = new Map<number, { resolve(body: AnthropicBody): void; reject(error: Error): void }>();
  let asked = 0;
  const ready = new Promise<void>((resolve, reject) => {
    child.on("message", ({ number, body, error }: Answer) => {
      if (number === 0) return resolve();
      const one = waiting.get(number);
      waiting.delete(number);
      if (body !== undefined) one?.resolve(body);
      else one?.reject(new Error(error));
    });
    child.on("exit", (code) => {
      const error = new Error(`a process ended with ${code}`);
      reject(error);
      for (const one of waiting.values()) one.reject(error);
    });
  });
  await ready;
  return {
    child,
    ask: (routed) =>
      new Promise((resolve, reject) => {
        const number = ++asked;
        waiting.set(number, { resolve, reject });
        child.send({ ...routed, number });
      }),
  };
}
