// Whom to look at though nobody said anything: a few in each turn, more between turns, round and round. So what no
// event told of is found within ⌈tracked / 300⌉ turns.

import { createRing, type Ring } from "./round-robin.ts";
import type { Tracked } from "./tracked.ts";

export interface Audit {
  /** Files on network mounts: not part of the rest. */
  readonly remote: Ring<Tracked>;
  /** Takes a file up, or to where it belongs by now. */
  place(file: Tracked): void;
  delete(file: Tracked): void;
  all(): Iterable<Tracked>;
  /**
   * For this turn. What is left of the last round is due now, or the promise would not hold; but turns so close upon
   * each other that nothing runs between them may leave it to the events, where there are any.
   */
  turn(isHurried: boolean): Tracked[];
  /** What may be looked at before the next turn begins anew. */
  round(): void;
  /** For one step between turns. */
  step(count: number): Tracked[];
}

const TURN = 32;
const ROUND = 600;
// So many a turn, of the unwatched as of the watched.
const PROMISED = 300;

interface Part {
  ring: Ring<Tracked>;
  /** How many are left of this round. */
  left: number;
}

export function createAudit(): Audit {
  const watched: Part = { ring: createRing(), left: 0 };
  const unwatched: Part = { ring: createRing(), left: 0 };
  const remote = createRing<Tracked>();

  const local = () => unwatched.ring.size + watched.ring.size;
  const ringOf = ({ directories }: Tracked) => {
    if (directories.some(({ isRemote }) => isRemote)) return remote;
    return directories.every(({ state }) => state === "watched") ? watched.ring : unwatched.ring;
  };

  return {
    remote,
    place(file) {
      const ring = ringOf(file);
      if (ring === file.ring) return;
      file.ring?.delete(file);
      file.ring = ring;
      ring.add(file);
    },
    delete(file) {
      file.ring?.delete(file);
      file.ring = undefined;
    },
    *all() {
      yield* unwatched.ring;
      yield* watched.ring;
    },
    turn(isHurried) {
      // So few that the promise says: at the next turn.
      if (local() <= PROMISED) return [...unwatched.ring, ...watched.ring];
      const left = [...draw(unwatched, ROUND), ...draw(watched, isHurried ? 0 : ROUND)];
      const first = unwatched.ring.some(TURN);
      return [...left, ...first, ...watched.ring.some(TURN - first.length)];
    },
    round() {
      const most = local() <= PROMISED ? 0 : ROUND;
      unwatched.left = Math.min(unwatched.ring.size, most - Math.min(watched.ring.size, PROMISED, most));
      watched.left = Math.min(watched.ring.size, most - unwatched.left);
    },
    step(count) {
      const first = draw(unwatched, count);
      return [...first, ...draw(watched, count - first.length)];
    },
  };
}

function draw(part: Part, most: number): Tracked[] {
  const left = Math.min(part.left, part.ring.size);
  const files = part.ring.some(Math.min(most, left));
  part.left = left - files.length;
  return files;
}
