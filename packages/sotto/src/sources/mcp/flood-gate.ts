// How much a server may say: bursts are fine, a flood is not. What flows over ends its connection, not this process.

export interface FloodGate {
  /** So much came; false once it is too much. */
  bytes(count: number): boolean;
  message(): boolean;
  /** What was too much, in words. */
  problem(): string | undefined;
}

export interface FloodLimits {
  /** At once. */
  bytes: number;
  messages: number;
  /** And then, a second. */
  bytesPerSecond: number;
  messagesPerSecond: number;
}

export const FLOOD_LIMITS: FloodLimits = {
  // Room for a large resource or two.
  bytes: 16 * 1024 * 1024,
  bytesPerSecond: 1024 * 1024,
  messages: 2000,
  messagesPerSecond: 200,
};

/** One message may have so many bytes: reading it holds the thread. */
export const LONGEST_MESSAGE = 4 * 1024 * 1024;

export function createFloodGate(now: () => number, limits: FloodLimits = FLOOD_LIMITS): FloodGate {
  let problem: string | undefined;
  let bytesLeft = limits.bytes;
  let messagesLeft = limits.messages;
  let at = now();
  const refill = () => {
    const seconds = Math.max(0, now() - at) / 1000;
    at = now();
    bytesLeft = Math.min(limits.bytes, bytesLeft + seconds * limits.bytesPerSecond);
    messagesLeft = Math.min(limits.messages, messagesLeft + seconds * limits.messagesPerSecond);
  };
  return {
    bytes(count) {
      refill();
      bytesLeft -= count;
      if (bytesLeft < 0) problem ??= `it sent more than ${Math.round(limits.bytes / 1024 / 1024)} MB at once`;
      return problem === undefined;
    },
    message() {
      refill();
      messagesLeft -= 1;
      if (messagesLeft < 0) problem ??= `it sent more than ${limits.messages} messages at once`;
      return problem === undefined;
    },
    problem: () => problem,
  };
}
