// What is written to one stream: which line is open, a row that comes and goes, and the row the person types in.

export interface Out {
  write(text: string): unknown;
}

/** The row below everything, drawn by whoever reads the keyboard. */
export interface BottomRow {
  hide(): void;
  show(): void;
}

export interface Page {
  /** Text that is already safe for a terminal. */
  write(text: string): void;
  /** Ends the line that is open, if one is. */
  freshLine(): void;
  /** A row that the next text takes away again. Only for a terminal. */
  status(row: string): void;
  /** While someone types, whole lines go above the row and the rest waits. Only for a terminal. */
  hold(row: BottomRow): void;
  release(): void;
  readonly isOpen: boolean;
  /** Tells whether a line is still the one it was. */
  readonly line: number;
}

const TO_START_OF_EMPTY_ROW = "\r\u001b[K";

// A stream has one cursor: all who write to it share what is known of it.
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

// A row that moves while the model is waited for, and goes when there is something to show.

export interface Spinner {
  /** Draws the row at once, and again with each frame. */
  start(draw: (frame: string) => string): void;
  /** No frame comes any more; whoever writes next takes the row away. */
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
      // It never keeps a program alive that has nothing else to do.
      timer.unref();
    },
    stop,
  };
}
