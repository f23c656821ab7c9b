// Bytes that come in pieces, put together in one buffer that doubles: the work grows with the bytes, however small their
// pieces are, and what is longer than a limit is not kept.

export interface BoundedBytes {
  add(piece: Buffer): void;
  /** All since the last time, valid until the next `add`. Undefined if it was too long. */
  take(): Buffer | undefined;
}

export function createBoundedBytes(most: number): BoundedBytes {
  let kept = Buffer.alloc(0);
  let length = 0;
  return {
    add(piece) {
      const before = length;
      length += piece.length;
      if (length > most) {
        kept = Buffer.alloc(0);
        return;
      }
      if (length > kept.length) {
        const larger = Buffer.allocUnsafe(Math.min(2 * length, most));
        kept.copy(larger, 0, 0, before);
        kept = larger;
      }
      piece.copy(kept, before);
    },
    take() {
      const taken = length > most ? undefined : kept.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}
