// Forking: copies the log so far to the start of another session's log.

import { beginLog } from "../log/begin-log.ts";
import type { Entry, NewEntry } from "../log/entries.ts";
import { soundIn, stamp } from "../log/journal.ts";
import { refold } from "../log/refold.ts";
import { SottoError } from "../platform/errors.ts";
import type { Engine } from "./engine.ts";
import { toSettle } from "./offer.ts";

export async function copyLog(
  { journal, store, platform, id }: Engine,
  { to, turn }: { to: string; turn: number | undefined },
): Promise<void> {
  const { state } = journal;
  if (turn !== undefined && turn > state.turn)
    throw new SottoError("invalid_request", `fork: turn ${turn} is past the last turn, ${state.turn}`);
  const exists = () => new SottoError("invalid_request", `fork: a session ${to} exists already`);
  if ((await store.read(to, 0, 1)).last > 0) throw exists();
  const at = new Date(platform.now()).toISOString();
  const { entries, last } = soundIn(await store.read(id, 0), platform.hash);
  const rewind: NewEntry[] =
    turn === undefined || turn === state.turn
      ? []
      : [stamp(at, { kind: "event" as const, event: { type: "rewound" as const, toTurn: turn } })];
  const copied = [...entries, ...rewind.map((entry): Entry => ({ ...entry, seq: last + 1 }))];
  // Offers that the other session's host holds are not under way here; for those with an anchor the history tells.
  const open = Object.values(refold(copied).deliveries).filter(
    ({ state: settled, anchor }) => settled === "offered" && anchor === undefined,
  );
  const given = open.map((delivery): NewEntry => toSettle(delivery, "abandoned", at));
  const begun = [...copied.map(({ seq: _seq, ...entry }): NewEntry => entry), ...given];
  if (!(await beginLog(store, to, { entries: begun, now: platform.now() }))) throw exists();
}
