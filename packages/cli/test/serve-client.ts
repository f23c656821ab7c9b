// A host in another language, as far as `sotto serve --stdio` can tell: lines out, lines in, answers found by their id.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type RunOptions, startSotto } from "./run-sotto.ts";

export interface Answer {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data: { code: string; unrecorded?: number[] } };
}

export interface ProblemNotice {
  method: string;
  session?: string;
  code: string;
  message: string;
}

export interface ServeClient {
  child: ChildProcessWithoutNullStreams;
  /** Whole lines as they came out, in order. */
  lines: string[];
  problems: ProblemNotice[];
  write(text: string | Uint8Array): void;
  notify(method: string, params?: object): void;
  /** The answer, whatever it is. */
  ask(method: string, params?: object): Promise<Answer>;
  /** The result of what must work. */
  call<T = Record<string, unknown>>(method: string, params?: object): Promise<T>;
  /** Written in one piece, so that the server has them all before it answers any. */
  askTogether(...asked: [method: string, params?: object | undefined][]): Promise<Answer>[];
  /** The next answer to nobody in particular. */
  toNobody(): Promise<Answer>;
  /** The next notice of a problem. */
  problem(): Promise<ProblemNotice>;
  ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

export function startServe(options: RunOptions = {}): ServeClient {
  return talkTo(startSotto(["serve", "--stdio"], options));
}

export function talkTo(child: ChildProcessWithoutNullStreams): ServeClient {
  const waiting = new Map<string | number, (answer: Answer) => void>();
  const stray = createMailbox<Answer>();
  const notices = createMailbox<ProblemNotice>();
  const client = { lines: [] as string[], problems: [] as ProblemNotice[] };
  let last = 0;
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    client.lines.push(line);
    const message = JSON.parse(line) as Answer & { method?: string; params?: ProblemNotice };
    if (message.method === "problem" && message.params !== undefined) {
      client.problems.push(message.params);
      notices.put(message.params);
    } else if (message.id === null) stray.put(message);
    else waiting.get(message.id)?.(message);
  });
  const write = (text: string | Uint8Array) => void child.stdin.write(text);
  const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stderr }));

  const prepare = (method: string, params?: object) => {
    const id = ++last;
    const answered = new Promise<Answer>((resolve, reject) => {
      waiting.set(id, resolve);
      void ended.then(() => reject(new Error(`no answer to ${method}: ${stderr}`)));
    });
    return { line: lineOf({ id, method, ...(params === undefined ? {} : { params }) }), answered };
  };
  const askTogether = (...asked: [method: string, params?: object | undefined][]) => {
    const prepared = asked.map(([method, params]) => prepare(method, params));
    write(prepared.map(({ line }) => line).join(""));
    return prepared.map(({ answered }) => answered);
  };
  const ask = (method: string, params?: object) => askTogether([method, params])[0] as Promise<Answer>;
  return {
    child,
    ...client,
    write,
    notify: (method, params) => write(lineOf({ method, ...(params === undefined ? {} : { params }) })),
    ask,
    askTogether,
    async call<T>(method: string, params?: object) {
      const { result, error } = await ask(method, params);
      if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.data.code})`);
      return result as T;
    },
    toNobody: stray.take,
    problem: notices.take,
    ended,
  };
}

function createMailbox<T>(): { put(one: T): void; take(): Promise<T> } {
  const there: T[] = [];
  const takers: ((one: T) => void)[] = [];
  return {
    put(one) {
      const taker = takers.shift();
      if (taker === undefined) there.push(one);
      else taker(one);
    },
    take() {
      const [first] = there.splice(0, 1);
      return first === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(first);
    },
  };
}
