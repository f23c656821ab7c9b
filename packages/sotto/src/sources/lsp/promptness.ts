// How soon a server has word about what was written: a turn waits for it only where that was worth it before.

export interface Promptness {
  /** It was told of a write, and may answer. */
  asked(key: string): void;
  answered(key: string): void;
  forget(key: string): void;
  clear(): void;
  /** Something is unanswered, and of late at least half of the answers came within that time. */
  isWorth(waitMs: number): boolean;
}

const REMEMBERED = 6;

export function createPromptness(now: () => number = () => performance.now()): Promptness {
  const open = new Map<string, number>();
  /** How long the latest answers took; one that never came took for ever. */
  const took: number[] = [];
  const note = (ms: number) => {
    took.push(ms);
    if (took.length > REMEMBERED) took.shift();
  };
  return {
    asked(key) {
      if (open.has(key)) note(Number.POSITIVE_INFINITY);
      open.set(key, now());
    },
    answered(key) {
      const from = open.get(key);
      if (from === undefined) return;
      open.delete(key);
      note(now() - from);
    },
    forget: (key) => void open.delete(key),
    clear: () => open.clear(),
    isWorth(waitMs) {
      const isUnder = (ms: number) => ms <= waitMs;
      const inTime = [...open.values()].some((from) => isUnder(now() - from));
      return inTime && took.filter(isUnder).length * 2 >= took.length;
    },
  };
}
