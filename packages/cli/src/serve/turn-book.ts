// The turns that were handed out and are not settled yet, by a name that no other process uses.

import { randomUUID } from "node:crypto";
import type { Turn } from "sotto";
import { failed } from "../../../agent/src/terminal/failure.ts";

type Settling = "committed" | "abandoned";

interface BookedTurn {
  session: string;
  commit: Turn["commit"];
  abandon: Turn["abandon"];
  settled?: Settling;
}

export interface TurnBook {
  add(session: string, turn: Turn): string;
  /** Whose turn it is; fails where it is not known. */
  sessionOf(id: string): string;
  /** The same again gives the same answer, the other is refused. */
  settle(id: string, as: Settling): Promise<boolean>;
  forget(session: string): void;
}

/** A host need not settle its turns: the oldest are then forgotten, and histories tell what became of them. */
export const MOST_TURNS = 1000;

export function createTurnBook(): TurnBook {
  const bySession = new Map<string, Map<string, BookedTurn>>();
  const find = (id: string): BookedTurn => {
    for (const turns of bySession.values()) {
      const found = turns.get(id);
      if (found !== undefined) return found;
    }
    throw failed(
      `turn: there is no turn "${id.slice(0, 60)}"; those of a session end when it is closed, and its last ${MOST_TURNS} are known`,
      "unknown_turn",
    );
  };

  return {
    add(session, { commit, abandon }) {
      const id = randomUUID();
      const turns = bySession.get(session) ?? new Map<string, BookedTurn>();
      bySession.set(session, turns);
      turns.set(id, { session, commit, abandon });
      const [oldest] = turns.keys();
      if (turns.size > MOST_TURNS && oldest !== undefined) turns.delete(oldest);
      return id;
    },
    sessionOf: (id) => find(id).session,
    settle(id, as) {
      const turn = find(id);
      turn.settled ??= as;
      if (turn.settled !== as) throw failed(`turn: it is ${turn.settled} already`, "turn_settled");
      return as === "committed" ? turn.commit() : turn.abandon();
    },
    forget: (session) => void bySession.delete(session),
  };
}
