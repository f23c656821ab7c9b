// One call of the script: whether it is told what it expects, whether it fails this time, what it answers.

import { disappointment, type Heard, type TypeOf } from "./expectations.ts";
import { type Action, type Call, type Failing, onlyFails } from "./scenario.ts";

export type Reply = Pick<Call, "say" | "thinking" | "tools" | "usage">;

export interface PlayedCall {
  /** Happens before the answer; only the first time the call comes. */
  meanwhile: readonly Action[];
  does: Reply | Failing;
  /** The next request is for the next call of the script. */
  done: boolean;
  /** It was not told what it expects. */
  derailed: boolean;
  /** The answer reached nobody: the call will come again. */
  undo(): void;
}

export interface CallPlayer {
  play(call: Call, heard: readonly Heard[]): PlayedCall;
  /** What the call expects and was not told. */
  unmet(call: Call, heard: readonly Heard[]): { line: number; message: string }[];
}

export interface CallPlayerOptions {
  typeOf: TypeOf | undefined;
  /** Keeps a problem, and gives it in words with file and line. */
  problem(line: number, message: string): string;
}

export function createCallPlayer({ typeOf, problem }: CallPlayerOptions): CallPlayer {
  const failures = new Map<Call, number>();
  const begun = new Set<Call>();

  function unmet(call: Call, heard: readonly Heard[]) {
    return call.expect.flatMap((expectation) => {
      const message = disappointment(expectation, heard, typeOf);
      return message === undefined ? [] : [{ line: expectation.line, message }];
    });
  }

  return {
    unmet,
    play(call, heard) {
      const before = failures.get(call) ?? 0;
      const first = !begun.has(call);
      begun.add(call);
      const undo = () => void failures.set(call, before);
      const common = { meanwhile: first ? call.meanwhile : [], derailed: false, undo };
      const fail = call.fail && before < call.fail.times ? call.fail : undefined;
      // A call that is made again is told the same, and perhaps more: what counts is what it answers to.
      const wrong = (onlyFails(call) ? first : fail === undefined) ? unmet(call, heard) : [];
      if (wrong.length > 0) {
        const words = wrong.map(({ line, message }) => problem(line, message)).join("\n");
        const does = plainly(`It went differently from its script.\n${words}`);
        return { ...common, does, done: true, derailed: true };
      }
      if (fail === undefined) return { ...common, does: call, done: true };
      failures.set(call, before + 1);
      return { ...common, does: fail, done: onlyFails(call) && before + 1 === fail.times };
    },
  };
}

/** It never pretends to be a model. */
export function plainly(words: string): Reply {
  return replying(`This is a rehearsal, no model. ${words}`);
}

export function replying(say: string): Reply {
  return { say, tools: [], usage: {} };
}
