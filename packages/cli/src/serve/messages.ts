// Bytes into lines, one message each. A line that is too long is told once and dropped as it comes, never kept.

export type Line = { text: string } | { problem: "too long" | "not UTF-8" };

export interface LineSplitter {
  push(chunk: Uint8Array): Line[];
  /** The last line need not end with a line feed. */
  end(): Line[];
}

const LINE_FEED = 0x0a;

export function createLineSplitter(limit: number): LineSplitter {
  // A long line comes in many pieces: they are put together once.
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isDropping = false;

  function take(part: Uint8Array): Line[] {
    if (isDropping || part.length === 0) return [];
    length += part.length;
    if (length <= limit) {
      pieces.push(part);
      return [];
    }
    isDropping = true;
    pieces = [];
    return [{ problem: "too long" }];
  }

  function finish(): Line[] {
    const [line, dropped] = [pieces, isDropping];
    pieces = [];
    length = 0;
    isDropping = false;
    if (dropped) return [];
    const found = decode(Buffer.concat(line));
    return "text" in found && found.text.trim() === "" ? [] : [found];
  }

  return {
    push(chunk) {
      const found: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        found.push(...take(chunk.subarray(from, at)), ...finish());
        from = at + 1;
      }
      return [...found, ...take(chunk.subarray(from))];
    },
    end: finish,
  };
}

/** A wrong byte is an error: replacing it would change what the model is sent. */
function decode(bytes: Uint8Array): Line {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "not UTF-8" };
  }
}
