// The same search with ripgrep, if installed: faster, and no pattern takes exponential time.

import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { hitText } from "./match-text.ts";
import type { FileHits, GrepQuestion, SearchEnd, SearchOptions } from "./run-search.ts";

export interface RipgrepJob {
  program: string;
  root: string;
  question: GrepQuestion;
}

interface Told {
  type: "begin" | "match" | "context" | "end" | "summary";
  data: {
    path?: { text?: string; bytes?: string };
    lines?: { text?: string };
    line_number?: number | null;
    submatches?: { start: number }[];
  };
}

// A longer message is about a line too long to read.
const LONGEST_MESSAGE = 1024 * 1024;
const TOO_LONG: Told["data"] = { lines: { text: "[line too long to show]" } };
const MOST_PROBLEM = 2000;
// It reads ignore files as a whole: one linked to an endless device would take all the memory there is.
const MOST_MEMORY_KB = 2 * 1024 * 1024;

export function findRipgrep(path = process.env.PATH ?? ""): string | undefined {
  const candidates = path.split(delimiter).filter(isAbsolute);
  return candidates
    .map((directory) => join(directory, process.platform === "win32" ? "rg.exe" : "rg"))
    .find(isExecutable);
}

/**
 * Undefined if it died, such as by its memory limit: what it found until then is not all there is. Also where it would
 * wait for ever.
 */
export async function runRipgrep(job: RipgrepJob, options: SearchOptions): Promise<SearchEnd | undefined> {
  const { signal, limitMs, hear } = options;
  signal.throwIfAborted();
  // Globs are relative to this.
  const cwd = statSync(job.root).isDirectory() ? job.root : dirname(job.root);
  if (hasPipe(cwd)) return undefined;
  const [program, ...parameters] = limited([job.program, ...parametersOf(job)]);
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"], cwd });
  let end: SearchEnd = "done";
  let problem = "";
  const stop = (why: SearchEnd) => {
    end = why;
    child.kill("SIGKILL");
  };
  const abort = () => stop("enough");
  signal.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => stop("too_long"), limitMs);
  const collect = createCollector((hits) => {
    if (end === "done" && !hear({ kind: "hits", hits })) stop("enough");
  });
  child.stdout.on("data", (chunk: Buffer) => collect(chunk.toString("latin1")));
  child.stderr.on("data", (chunk: Buffer) => {
    problem = (problem + chunk.toString("utf8")).slice(0, MOST_PROBLEM);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    signal.throwIfAborted();
    if (end === "done" && code === 2 && /regex|glob/iu.test(problem))
      hear({ kind: "wrong", problem: problem.trim() });
    const hasDied = end === "done" && ![0, 1, 2].includes(code ?? -1);
    return hasDied ? undefined : end;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** Whether an ignore file here or above is a pipe: ripgrep waits for its writer. Further down the time limit ends that. */
function hasPipe(directory: string): boolean {
  const files = [".gitignore", ".git/info/exclude"].map((name) => join(directory, name));
  if (files.some((path) => statSync(path, { throwIfNoEntry: false })?.isFIFO())) return true;
  return directory !== dirname(directory) && hasPipe(dirname(directory));
}

/** The command with a limit on its memory, where there is a shell that sets one. */
function limited(command: [program: string, ...string[]]): [program: string, ...string[]] {
  if (process.platform === "win32") return command;
  return ["/bin/sh", "-c", 'ulimit -v "$0" 2>/dev/null; exec "$@"', String(MOST_MEMORY_KB), ...command];
}

function parametersOf({ root, question }: RipgrepJob): string[] {
  const { pattern, ignoreCase, multiline, glob, before, after, firstOnly } = question;
  return [
    ...["--no-config", "--json", "--hidden", "--no-require-git", "--no-ignore-dot", "--no-ignore-global"],
    ...["--sort=path", "--glob=!**/.git", `--before-context=${before}`, `--after-context=${after}`],
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...(firstOnly ? ["--max-count=1"] : []),
    `--regexp=${pattern}`,
    "--",
    root,
  ];
}

/** Parses the output (one character per byte) and reports the hits file by file. */
function createCollector(found: (hits: FileHits) => void): (text: string) => void {
  let rest = "";
  let tooLong = "";
  let hits: FileHits | undefined;
  const take = (line: string) => {
    const { type, data } = JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as Told;
    if (type === "begin") hits = { path: pathOf(data), count: 0, lines: [] };
    else if (type === "end" && hits !== undefined && hits.count > 0) found(hits);
    else if (type === "match" || type === "context") add(hits, data, type === "match");
  };
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (tooLong === "") take(line);
      else if (tooLong.startsWith('{"type":"match"')) add(hits, TOO_LONG, true);
      tooLong = "";
    }
    if (rest.length <= LONGEST_MESSAGE) return;
    tooLong ||= rest.slice(0, 100);
    rest = "";
  };
}

function add(
  hits: FileHits | undefined,
  { lines, line_number, submatches }: Told["data"],
  isMatch: boolean,
): void {
  if (hits === undefined) return;
  const texts = (lines?.text ?? "").replace(/\n$/u, "").split("\n");
  if (isMatch) hits.count += texts.length;
  for (const [index, text] of texts.entries()) {
    const number = (line_number ?? 1) + index;
    hits.lines.push({ number, text: hitText(text, index === 0 ? submatches?.[0]?.start : 0), isMatch });
  }
}

function pathOf({ path }: Told["data"]): string {
  return path?.text ?? Buffer.from(path?.bytes ?? "", "base64").toString("utf8");
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
