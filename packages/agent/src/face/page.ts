// Writes to one stream and keeps track of the open line, the status row and the input row.

export interface Out {
  write(text: string): unknown;
}

/** The input row at the bottom, drawn by the keyboard reader. */
export interface BottomRow {
  hide(): void;
  show(): void;
}

export interface Page {
  /** Writes text that is already safe for a terminal. */
  write(text: string): void;
  /** Ends the open line, if any. */
  freshLine(): void;
  /** Shows a row that the next text replaces. Only on a terminal. */
  status(row: string): void;
  /** Keeps the input row at the bottom: whole lines go above it, an unfinished line waits. Only on a terminal. */
  hold(row: BottomRow): void;
  release(): void;
  readonly isOpen: boolean;
  /** The number of the current line. */
  readonly line: number;
}

const TO_START_OF_EMPTY_ROW = "\r\u001b[K";

// A stream has one cursor, so all writers share one page.
const pages = new WeakMap<Out, Page>();

export function pageOn(out: Out): Page {
  const page = pages.get(out) ?? createPage(out);
  pages.set(out, page);
  return page;
}

function createPage(out: Out): Page {
  let isOpen = false;
  let line = 0;
  let hasStatus = false;
  let bottom: BottomRow | undefined;
  let waiting = "";

  function put(text: string): void {
    if (text === "") return;
    clearStatus();
    out.write(text);
    isOpen = !text.endsWith("\n");
    line += breaksIn(text);
  }

  function clearStatus(): void {
    if (hasStatus) out.write(TO_START_OF_EMPTY_ROW);
    hasStatus = false;
  }

  function write(text: string): void {
    if (bottom === undefined) put(text);
    else {
      waiting += text;
      if (text.includes("\n")) putAbove(bottom);
    }
  }

  function putAbove(row: BottomRow): void {
    const end = waiting.lastIndexOf("\n") + 1;
    row.hide();
    put(waiting.slice(0, end));
    waiting = waiting.slice(end);
    row.show();
  }

  return {
    write,
    freshLine() {
      if (bottom === undefined ? isOpen : waiting !== "") write("\n");
    },
    status(row) {
      if (bottom !== undefined || isOpen) return;
      clearStatus();
      out.write(row);
      hasStatus = true;
    },
    hold(row) {
      clearStatus();
      if (isOpen) put("\n");
      bottom = row;
      row.show();
    },
    release() {
      bottom?.hide();
      bottom = undefined;
      put(waiting);
      waiting = "";
    },
    get isOpen() {
      return bottom === undefined ? isOpen : waiting !== "";
    },
    get line() {
      return line;
    },
  };
}

function breaksIn(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found += 1;
  return found;
}

// The moving row while the model is working.

export interface Spinner {
  /** Draws the row now and with each frame. */
  start(draw: (frame: string) => string): void;
  /** Stops drawing; the next output replaces the row. */
  stop(): void;
}

export const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 120;

export function createSpinner(page: Page): Spinner {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  return {
    start(draw) {
      stop();
      let frame = 0;
      const next = () => page.status(draw(FRAMES[frame++ % FRAMES.length] ?? ""));
      next();
      timer = setInterval(next, FRAME_MS);
      // Must not keep the process alive.
      timer.unref();
    },
    stop,
  };
}
