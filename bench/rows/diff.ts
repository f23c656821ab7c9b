// A bounded diff by lines, against jsdiff, which is bounded only by a time-out of two seconds.

import { diffLines as jsdiffLines } from "diff";
import { diffLines } from "../../packages/sotto/src/sources/files/diff/diff.ts";
import { changeSnippet } from "../../packages/sotto/src/sources/files/diff/snippet.ts";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";

const TIME_OUT_MS = 2000;
/** For every diff. */
const GOAL = { figure: 60 };

interface Texts {
  before: string;
  after: string;
  /** Lines added and removed together; none where the two may differ in it. */
  changed?: number;
}

interface Case extends Texts {
  what: string;
  repeats?: number;
}

export async function measure(bench: Bench): Promise<void> {
  for (const { what, repeats = 1, ...texts } of cases()) {
    const snippets: number[] = [];
    // jsdiff runs into its time-out each time: once is enough to see it.
    let stopped: number | undefined;
    const theirs = () =>
      stopped ??
      time(repeats, () => {
        const from = performance.now();
        const count = theirCount(texts);
        if (count === undefined) stopped = performance.now() - from;
        else check(texts, count);
      });
    await bench.row({
      name: `diff, ${what}`,
      unit: "ms",
      baseline: "diffLines of jsdiff 9, timeout 2000",
      goal: GOAL,
      ours: () => {
        snippets.push(time(repeats, () => checkSnippet(texts)));
        return time(repeats, () => check(texts, ourCount(texts)));
      },
      theirs,
      note: () =>
        `with its snippet ${median(snippets).toPrecision(3)} ms${stopped === undefined ? "" : "; jsdiff was stopped"}`,
    });
  }
}

function* cases(): Generator<Case> {
  yield { what: "200 lines, 1 edit", repeats: 200, ...edited(200, 1) };
  yield { what: "2,000 lines, 5 edits", repeats: 20, ...edited(2000, 5) };
  yield { what: "20,000 lines, 1 edit", repeats: 5, ...edited(20_000, 1) };
  yield { what: "50,000 lines, 10 edits", repeats: 3, ...edited(50_000, 10) };
  yield { what: "5,000 lines, rewritten", before: code(0, 5000), after: code(5000, 10_000), changed: 10_000 };
  yield {
    what: "50,000 lines, rewritten",
    before: code(0, 50_000),
    after: code(50_000, 100_000),
    changed: 100_000,
  };
  yield { what: "50,000 lines, shuffled", before: code(0, 50_000), after: shuffled(code(0, 50_000)) };
  yield { what: "50,000 lines of two kinds", before: coins(50_000, 1), after: coins(50_000, 2) };
  yield {
    what: "one line of 5 MB",
    before: "x".repeat(5e6),
    after: `${"x".repeat(25e5)}y${"x".repeat(25e5)}`,
    changed: 2,
  };
}

function time(repeats: number, run: () => void): number {
  const from = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++) run();
  return (performance.now() - from) / repeats;
}

function ourCount({ before, after }: Texts): number {
  const edits = diffLines(before, after, { rewrittenOver: Number.POSITIVE_INFINITY });
  if (typeof edits === "string") throw new Error(edits);
  return edits.reduce(
    (sum, { beforeStart, beforeEnd, afterStart, afterEnd }) =>
      sum + beforeEnd - beforeStart + afterEnd - afterStart,
    0,
  );
}

function theirCount({ before, after }: Texts): number | undefined {
  const changes = jsdiffLines(before, after, { timeout: TIME_OUT_MS });
  return changes?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
}

function check({ changed }: Texts, count: number): void {
  if (count === 0 || (changed !== undefined && count !== changed))
    throw new Error(`${count} lines changed, not ${changed}`);
}

function checkSnippet({ before, after, changed }: Texts): void {
  const { snippet, added, removed } = changeSnippet(before, after);
  const lines = snippet.split("\n").length;
  if (lines < 1 || lines > 61) throw new Error(`a snippet of ${lines} lines`);
  if (changed !== undefined && added + removed !== changed)
    throw new Error(`${added + removed} lines changed, not ${changed}`);
}

function code(from: number, to: number): string {
  const line = (index: number) => `  const value${index} = compute(thing${index % 977}, other);\n`;
  return Array.from({ length: to - from }, (_, index) => line(from + index)).join("");
}

/** Edits spread evenly over the file. */
function edited(lines: number, edits: number): Texts {
  const before = code(0, lines);
  const split = before.split("\n");
  for (let edit = 0; edit < edits; edit++)
    split[Math.floor(((edit + 0.5) * lines) / edits)] = `  edited(${edit});`;
  return { before, after: split.join("\n"), changed: 2 * edits };
}

function shuffled(text: string): string {
  const lines = text.split("\n").slice(0, -1);
  const next = numbers(7);
  for (let index = lines.length - 1; index > 0; index--) {
    const other = next() % (index + 1);
    [lines[index], lines[other]] = [lines[other] as string, lines[index] as string];
  }
  return `${lines.join("\n")}\n`;
}

function coins(lines: number, seed: number): string {
  const next = numbers(seed);
  return Array.from({ length: lines }, () => ((next() >> 8) % 2 === 0 ? "heads\n" : "tails\n")).join("");
}

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}
