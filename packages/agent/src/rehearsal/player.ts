// Plays the script: what the model does when it is called, what the user types and answers.

import type { RehearsedConversation } from "./requests.ts";
import { type NewInput, type TypeOf, unmetExpectation } from "./requests.ts";
import { type Action, type Call, type Failing, onlyFails, type Scenario, type UserStep } from "./scenario.ts";

/** What is done about one request. */
export interface UserCue extends Pick<PlayedCall, "meanwhile" | "does"> {
  /** Whoever asked has left before the answer: the same is done for who asks next. */
  takeBack(): void;
}

export interface Player {
  cue(conversation: RehearsedConversation, heard: readonly NewInput[]): UserCue;
  /** The next prompt; calls of the script before it that never came are problems. */
  nextUser(): UserStep | undefined;
  /** What the script has the user answer at this point. */
  nextAnswer(): string | undefined;
}

export interface PlayerOptions extends CallPlayerOptions {
  scenario: Scenario;
}

export function createPlayer({ scenario, typeOf, problem }: PlayerOptions): Player {
  const { script, agents, summary } = scenario;
  const calls = createCallPlayer({ typeOf, problem });
  const unused = new Map([...agents].map(([type, runs]) => [type, [...runs]]));
  const runs = new Map<RehearsedConversation, Call[]>();
  let at = 0;
  let summaries = 0;
  /** Since it went differently from the script, the rest up to the next prompt cannot come. */
  let derailed = false;
  /** The prompt of the script that was handed out last, until the model hears it, or another one in its place. */
  let handedOut: UserStep | undefined;

  function main(heard: readonly NewInput[]): UserCue {
    if (isAnother(heard)) {
      // It is handed out again.
      at = script.indexOf(handedOut as UserStep);
      handedOut = undefined;
      return saying(replying(`${WHAT_IT_IS}\n\n${REAL_MODEL}`));
    }
    handedOut = undefined;
    for (let step = script[at]; step?.kind === "answer"; step = script[++at])
      problem(step.line, "the agent was expected to ask for this answer before it calls the model again");
    const typed = typedByHand(heard);
    if (typed === undefined) {
      const { line, text } = script[at] as UserStep;
      problem(line, `the script waits for the prompt ${JSON.stringify(text)}`);
      return saying(replying(`${WHAT_IT_IS} It waits for this prompt: ${text}\n\n${REAL_MODEL}`));
    }
    const step = script[at];
    if (step?.kind !== "assistant") return { ...saying(over(scenario)), meanwhile: typed };
    const { done, meanwhile, does, undo, ...played } = calls.play(step, heard);
    if (done) at++;
    derailed ||= played.derailed;
    const takeBack = () => {
      undo();
      if (done && script[at - 1] === step) at--;
    };
    return { meanwhile: [...typed, ...meanwhile], does, takeBack };
  }

  /** A person has typed something of their own instead of the prompt that was handed out. */
  function isAnother(heard: readonly NewInput[]): boolean {
    const { text } = handedOut ?? {};
    return text !== undefined && heard.length > 0 && !heard.some((one) => one.text.includes(text.trim()));
  }

  /**
   * A person may type the prompts of the script instead of the pretended user: goes past the prompts up to the one
   * that was heard, and gives what happens before them. Nothing where the script waits for another prompt.
   */
  function typedByHand(heard: readonly NewInput[]): Action[] | undefined {
    const end = script.findIndex(({ kind }, index) => index >= at && kind !== "user");
    const prompts = script.slice(at, end < 0 ? undefined : end) as UserStep[];
    if (prompts.length === 0) return [];
    const last = prompts.findLastIndex(({ text }) => heard.some((one) => one.text.includes(text.trim())));
    if (last < 0) return undefined;
    at += last + 1;
    return prompts.slice(0, last + 1).flatMap(({ meanwhile }) => meanwhile);
  }

  function agent(
    conversation: RehearsedConversation,
    agentType: string,
    heard: readonly NewInput[],
  ): UserCue {
    const run = runs.get(conversation) ?? nextRun(agentType, heard);
    runs.set(conversation, run);
    const [call] = run;
    if (call === undefined) {
      conversation.finished = true;
      return saying(plainly(problem(0, `the scenario has no answer for this sub-agent ${agentType}`)));
    }
    const left = [...run];
    const { done, meanwhile, does, undo, ...played } = calls.play(call, heard);
    if (played.derailed) run.length = 0;
    else if (done) run.shift();
    conversation.finished = run.length === 0;
    const takeBack = () => {
      undo();
      run.splice(0, run.length, ...left);
      conversation.finished = false;
    };
    return { meanwhile, does, takeBack };
  }

  /** The first one that was told what it expects, since sub-agents may come in any order; else the first one. */
  function nextRun(agentType: string, heard: readonly NewInput[]): Call[] {
    const left = unused.get(agentType) ?? [];
    const fitting = left.findIndex(([first]) => first && calls.unmet(first, heard).length === 0);
    const [run = []] = left.splice(Math.max(0, fitting), 1);
    return [...run];
  }

  function skipToUser(): void {
    for (let step = script[at]; step && step.kind !== "user"; step = script[++at]) {
      if (derailed) continue;
      const what = step.kind === "answer" ? "asked for this answer" : "made this call to its end";
      problem(step.line, `the agent never ${what}`);
    }
    derailed = false;
  }

  return {
    cue(conversation, heard) {
      if (conversation.agentType !== undefined) return agent(conversation, conversation.agentType, heard);
      if (conversation.name === "main") return main(heard);
      const text = summary[Math.min(summaries++, summary.length - 1)];
      return saying(text === undefined ? plainly("Its scenario has no summary.") : replying(text));
    },
    nextUser() {
      skipToUser();
      const step = script[at];
      if (step?.kind === "user") {
        at++;
        handedOut = step;
        return step;
      }
      for (const [type, left] of unused)
        for (const run of left.splice(0)) problem(run[0]?.line ?? 0, `no sub-agent ${type} came for this`);
      return undefined;
    },
    nextAnswer() {
      const step = script[at];
      if (step?.kind !== "answer") return undefined;
      at++;
      return step.text;
    },
  };
}

/** Without a place in the script. */
function saying(does: PlayedCall["does"]): UserCue {
  return { meanwhile: [], does, takeBack: () => undefined };
}

function over({ file }: Scenario): Reply {
  return replying(`${WHAT_IT_IS} The script, ${file}, is over.\n\n${REAL_MODEL}`);
}

const WHAT_IT_IS =
  "This is a rehearsal, no model. A script plays the model's part, so it cannot answer prompts of your own; the tools, the files and the reminders are real.";
const REAL_MODEL =
  "For a real model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and start `sotto run` again, or name one: `sotto run --model compatible/qwen3 --base-url http://127.0.0.1:11434/v1`.";

// One call of the script: whether it is told what it expects, whether it fails this time, what it answers.

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
  play(call: Call, heard: readonly NewInput[]): PlayedCall;
  /** What the call expects and was not told. */
  unmet(call: Call, heard: readonly NewInput[]): { line: number; message: string }[];
}

export interface CallPlayerOptions {
  typeOf: TypeOf | undefined;
  /** Keeps a problem, and gives it in words with file and line. */
  problem(line: number, message: string): string;
}

export function createCallPlayer({ typeOf, problem }: CallPlayerOptions): CallPlayer {
  const failures = new Map<Call, number>();
  const begun = new Set<Call>();

  function unmet(call: Call, heard: readonly NewInput[]) {
    return call.expect.flatMap((expectation) => {
      const message = unmetExpectation(expectation, heard, typeOf);
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
