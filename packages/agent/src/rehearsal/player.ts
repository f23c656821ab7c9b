// Plays the script: what the model answers, and what the user types and answers.

import type { RehearsedConversation } from "./requests.ts";
import { type NewInput, type TypeOf, unmetExpectation } from "./requests.ts";
import { type Action, type Call, type Failing, onlyFails, type Scenario, type UserStep } from "./scenario.ts";

/** The response to one request. */
export interface UserCue extends Pick<PlayedCall, "meanwhile" | "does"> {
  /** The client disconnected before the answer: the next request gets the same response. */
  takeBack(): void;
}

export interface Player {
  cue(conversation: RehearsedConversation, heard: readonly NewInput[]): UserCue;
  /** The next prompt. Calls before it that never came are reported as problems. */
  nextUser(): UserStep | undefined;
  /** The user's answer at this point of the script. */
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
  /** The agent left the script: the steps up to the next prompt cannot come. */
  let derailed = false;
  /** The last scripted prompt, until the model gets it or another one in its place. */
  let handedOut: UserStep | undefined;

  function main(heard: readonly NewInput[]): UserCue {
    if (isAnother(heard)) {
      // Offer the scripted prompt again.
      at = script.indexOf(handedOut as UserStep);
      handedOut = undefined;
      return saying(replying(`${WHAT_IT_IS}\n\n${REAL_MODEL}`));
    }
    handedOut = undefined;
    for (let step = script[at]; step?.kind === "answer"; step = script[++at])
      problem(step.line, "the agent called the model without asking for this answer");
    const typed = typedByHand(heard);
    if (typed === undefined) {
      const { line, text } = script[at] as UserStep;
      problem(line, `the script is waiting for the prompt ${JSON.stringify(text)}`);
      return saying(replying(`${WHAT_IT_IS} It is waiting for this prompt: ${text}\n\n${REAL_MODEL}`));
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

  /** Whether the user typed something else than the scripted prompt. */
  function isAnother(heard: readonly NewInput[]): boolean {
    const { text } = handedOut ?? {};
    return text !== undefined && heard.length > 0 && !heard.some((one) => one.text.includes(text.trim()));
  }

  /**
   * The user may type the prompts of the script: skips the prompts up to the one in the request, and returns the actions
   * before them. Returns undefined when the script waits for another prompt.
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
      return saying(plainly(problem(0, `the scenario has no answer for this ${agentType} sub-agent`)));
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

  /** The first run whose expectations hold, since sub-agents may come in any order; otherwise the first. */
  function nextRun(agentType: string, heard: readonly NewInput[]): Call[] {
    const left = unused.get(agentType) ?? [];
    const fitting = left.findIndex(([first]) => first && calls.unmet(first, heard).length === 0);
    const [run = []] = left.splice(Math.max(0, fitting), 1);
    return [...run];
  }

  function skipToUser(): void {
    for (let step = script[at]; step && step.kind !== "user"; step = script[++at]) {
      if (derailed) continue;
      const what = step.kind === "answer" ? "asked for this answer" : "completed this call";
      problem(step.line, `the agent never ${what}`);
    }
    derailed = false;
  }

  return {
    cue(conversation, heard) {
      if (conversation.agentType !== undefined) return agent(conversation, conversation.agentType, heard);
      if (conversation.name === "main") return main(heard);
      const text = summary[Math.min(summaries++, summary.length - 1)];
      return saying(text === undefined ? plainly("The scenario has no summary.") : replying(text));
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
        for (const run of left.splice(0)) problem(run[0]?.line ?? 0, `no ${type} sub-agent used this`);
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

/** An answer that is not in the script. */
function saying(does: PlayedCall["does"]): UserCue {
  return { meanwhile: [], does, takeBack: () => undefined };
}

function over({ file }: Scenario): Reply {
  return replying(`${WHAT_IT_IS} The script ${file} is over.\n\n${REAL_MODEL}`);
}

const WHAT_IT_IS =
  "This is a rehearsal, not a model: a script plays the model's part and cannot answer your own prompts. The tools, files and reminders are real.";
const REAL_MODEL =
  "To use a real model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and start `sotto run` again, or name one: `sotto run --model compatible/qwen3 --base-url http://127.0.0.1:11434/v1`.";

// One call of the script: checks its expectations, fails if the script says so, and answers.

export type Reply = Pick<Call, "say" | "thinking" | "tools" | "usage">;

export interface PlayedCall {
  /** Actions before the answer; only the first time. */
  meanwhile: readonly Action[];
  does: Reply | Failing;
  /** The next request belongs to the next call of the script. */
  done: boolean;
  /** An expectation was not met. */
  derailed: boolean;
  /** The answer did not arrive: the call will come again. */
  undo(): void;
}

export interface CallPlayer {
  play(call: Call, heard: readonly NewInput[]): PlayedCall;
  /** Expectations that are not met. */
  unmet(call: Call, heard: readonly NewInput[]): { line: number; message: string }[];
}

export interface CallPlayerOptions {
  typeOf: TypeOf | undefined;
  /** Stores a problem and returns it with file and line. */
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
      // Check a retried call only when it is answered: a retry may carry more.
      const wrong = (onlyFails(call) ? first : fail === undefined) ? unmet(call, heard) : [];
      if (wrong.length > 0) {
        const words = wrong.map(({ line, message }) => problem(line, message)).join("\n");
        const does = plainly(`The agent left the script.\n${words}`);
        return { ...common, does, done: true, derailed: true };
      }
      if (fail === undefined) return { ...common, does: call, done: true };
      failures.set(call, before + 1);
      return { ...common, does: fail, done: onlyFails(call) && before + 1 === fail.times };
    },
  };
}

/** Says that it is not a model. */
export function plainly(words: string): Reply {
  return replying(`This is a rehearsal, not a model. ${words}`);
}

export function replying(say: string): Reply {
  return { say, tools: [], usage: {} };
}
