// A row that moves while the model is waited for, and goes when there is something to show.

import type { Page } from "./page.ts";

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
