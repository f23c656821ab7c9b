// A session's life as a list of steps, so that the same can be lived twice, once with an interruption.

import type { Session, TraceEntry } from "sotto";
import type { StoredEvent } from "sotto/extend";
import { recordAny } from "sotto/internal";
import type { Client } from "./agent-client.ts";
import { remindersIn } from "./requests.ts";
import type { Random } from "./seeded.ts";
import type { World } from "./world.ts";

export interface Step {
  events: StoredEvent[];
  end: "commit" | "abandon" | "nothing";
  /** Before the step's turn the client sums its history up. */
  compacts: boolean;
  /** The client asks the same again before it goes on. */
  retries: boolean;
}

/** What one turn showed. */
export interface Sight {
  reminders: { type: string; text: string }[];
  outcomes: Record<string, TraceEntry["outcome"]>;
  /** All that stands in the request, old and new. */
  standing: string[];
}

export function drawSteps(random: Random, world: World, count: number): Step[] {
  return Array.from({ length: count }, () => ({
    events: Array.from({ length: random.below(3) }, () => world.event()),
    end: random.pick(["commit", "commit", "nothing", "abandon"] as const),
    compacts: random.chance(0.06),
    retries: random.chance(0.15),
  }));
}

/** Lives through a step; without a client the host places reminders itself. */
export async function play(session: Session, step: Step, client: Client | undefined): Promise<Sight[]> {
  for (const event of step.events) await recordAny(session, event);
  if (step.compacts) {
    await session.record({ type: "compacted" });
    if (client !== undefined)
      client.messages = [client.wire.prompt(`Summary of ${client.messages.length} messages.`)];
  }
  const sights = [await ask(session, step, client)];
  if (step.retries && client !== undefined) sights.push(await ask(session, step, client));
  if (client === undefined) await session.record({ type: "assistant_turn" });
  else client.goOn();
  return sights;
}

async function ask(session: Session, { end }: Step, client: Client | undefined): Promise<Sight> {
  const request = client && { dialect: client.wire.dialect, body: client.request() };
  const turn = await session.turn(request ?? {});
  if (end === "commit" || client === undefined) await turn.commit();
  else if (end === "abandon") await turn.abandon();
  return {
    reminders: turn.reminders.map(({ type, text }) => ({ type, text })),
    outcomes: Object.fromEntries(turn.trace.map(({ type, outcome }) => [type, outcome])),
    standing: client === undefined || turn.body === undefined ? [] : remindersIn(client.wire, turn.body),
  };
}
