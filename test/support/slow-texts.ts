// Texts that were made to keep a neutraliser busy, and a watch on the event loop.

import { performance } from "node:perf_hooks";
import process from "node:process";

/** 40 kB each: escapes that come out of references after brackets, references of references, doubtful characters. */
export const slowTexts: readonly string[] = [
  "<?&#27;",
  "<%1b",
  "<s:%1b",
  "&shy",
  "&#x61",
  `${"&shy".repeat(31)}a`,
  "<[31m",
  "&#x3ca",
  "<&#27;]&#7;",
  "&amp;",
].map((piece) => piece.repeat(Math.ceil(40_000 / piece.length)));

/** The milliseconds of processor time the longest stretch took in which nothing else could run. */
export async function longestHold(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = { at: performance.now(), cpu: process.threadCpuUsage().user };
  const look = () => {
    const now = { at: performance.now(), cpu: process.threadCpuUsage().user };
    // Other processes may have kept the machine: what counts is what this thread did meanwhile.
    longest = Math.max(longest, Math.min(now.at - last.at, (now.cpu - last.cpu) / 1_000));
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await run();
  isOver = true;
  look();
  return longest;
}
