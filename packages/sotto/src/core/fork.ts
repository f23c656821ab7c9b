// Forking: the log so far becomes the beginning of another session's log.

import type { SessionContext } from "./context.ts";
import { SottoError } from "./errors.ts";
import { stamp } from "./journal.ts";
import type { NewEntry } from "./log.ts";
import { toSettle } from "./offer.ts";

export async function copyLog(
  { journal, store, platform, id }: SessionContext,
  { to, turn }: { to: string; turn: number | undefined },
): Promise<void> {
  const { state } = journal;
  if (turn !== undefined && turn > state.turn)
    throw new SottoError("invalid_request", `fork: turn ${turn} is past the last turn, ${state.turn}`);
  const existing = await store.read(to, 0, 1);
  if (existing.last > 0) throw new SottoError("invalid_request", `fork: a session ${to} exists already`);
  const at = new Date(platform.now()).toISOString();
  const { entries } = await store.read(id, 0);
  const copied = entries.map(({ seq: _seq, ...entry }): NewEntry => entry);
  // Whatever the other session has under way is not under way here.
  const open = Object.values(state.deliveries).filter((delivery) => delivery.state === "offered");
  const given = open.map((delivery): NewEntry => toSettle(delivery, "abandoned", at));
  const rewind: NewEntry[] =
    turn === undefined || turn === state.turn
      ? []
      : [stamp(at, { kind: "event" as const, event: { type: "rewound" as const, toTurn: turn } })];
  await store.append(to, { entries: [...copied, ...given, ...rewind] });
}
