// A conversation at the terminal: prompts worked off one after the other, commands in between.

import type { Listener } from "./agent-event.ts";
import { costPage, modelPage } from "./face/model-page.ts";
import { safe } from "./face/safe-text.ts";
import { parseSlash, slashHelp } from "./face/slash.ts";
import { mailPage } from "./mail-page.ts";
import type { Run } from "./run-options.ts";
import { stylePage } from "./styles/style-page.ts";
import { enterDelegateMode } from "./team/team.ts";
import type { ListedTask } from "./tools/tool.ts";

export interface Talk {
  /** Until there are no more prompts, or everything is to stop. */
  converse(next: () => Promise<string | undefined>): Promise<0 | 130>;
  queue(text: string): void;
  /** Stops what runs. */
  abort(): void;
  /** Stops everything. */
  end(): void;
}

export interface TalkOptions {
  run: Run;
  listen: Listener;
  print(text: string): void;
}

export function createTalk({ run, listen, print }: TalkOptions): Talk {
  const { agent, session, tasks } = run;
  let working: AbortController | undefined;
  let isEnded = false;

  const during = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    working = new AbortController();
    try {
      await work(working.signal);
    } catch (error) {
      listen({ type: "failed", message: (error as Error).message });
    } finally {
      working = undefined;
    }
  };

  const commands = {
    plan: async () => {
      const mode = (await session.mode()) === "plan" ? "normal" : "plan";
      await session.record({ type: "mode_changed", mode });
      listen({ type: "mode_changed", mode });
    },
    delegate: async () => {
      if ((await session.mode()) === "delegate") {
        await session.record({ type: "mode_changed", mode: "normal" });
        listen({ type: "mode_changed", mode: "normal" });
      } else if (run.team === undefined) print("There is no team to delegate to: start with --team NAME.");
      else {
        await enterDelegateMode(session, run.team);
        listen({ type: "mode_changed", mode: "delegate" });
      }
    },
    todo: async () => print(todoPage(await session.todos())),
    compact: () => during((signal) => agent.compact(signal)),
    clear: async () => {
      await agent.clear();
      run.rehearsal?.rewritten("cleared");
      print("The conversation is forgotten. What you type next begins a new one, in the same session.");
    },
    cost: async () => print(costPage(run)),
    tasks: async () => print(taskPage(tasks.list())),
    help: async () => print(slashHelp()),
    exit: async () => {
      isEnded = true;
    },
  };

  const rewind = async (turn: number | undefined) => {
    const to = turn ?? Math.max(0, (agent.lastTurn?.number ?? 1) - 1);
    const done = await agent.rewind(to);
    print(
      done
        ? `Back at the end of turn ${to}. Files on disk stay as they are.`
        : `Turn ${to} is not known any more; it may have been compacted.`,
    );
    if (done) run.rehearsal?.rewritten("rewound");
  };

  const explain = (about: string | undefined) => {
    const trace = agent.lastTurn?.trace ?? [];
    const asked = trace.filter(({ type, generator }) => type === about || generator === about);
    const chosen = about === undefined ? trace.filter(({ outcome }) => outcome !== "nothing") : asked;
    const quiet = trace.length - chosen.length;
    print(
      chosen.length === 0 && about !== undefined
        ? "Nothing is known of that; the types are in: sotto catalog"
        : [
            ...chosen.map(outcomeLine),
            ...(about === undefined
              ? [`  ${quiet} types had nothing to say; /explain TYPE says why of one`]
              : []),
          ].join("\n"),
    );
  };

  const handle = async (text: string) => {
    const input = parseSlash(text);
    if (input.type === "prompt") await during((signal) => agent.run(input.text, signal));
    else if (input.type === "wrong") print(input.message);
    else if (input.type === "rewind") await rewind(input.turn);
    else if (input.type === "explain") explain(input.about);
    else if (input.type === "model") print(await modelPage(run, input.name));
    else if (input.type === "style") print(await stylePage(run, input.name));
    else if (input.type === "mail") print(await mailPage(run.mail, input));
    else await commands[input.type]();
  };

  return {
    async converse(next) {
      while (!isEnded) {
        const text = await next();
        if (text === undefined) break;
        if (text.trim() !== "") await handle(text);
      }
      return 0;
    },
    queue: (text) => agent.queue(text),
    abort: () => working?.abort(),
    end() {
      isEnded = true;
      working?.abort();
    },
  };
}

function outcomeLine({ type, outcome, reason }: { type: string; outcome: string; reason: string }): string {
  return `  ${type}: ${outcome}, ${reason}`;
}

function todoPage(items: readonly { content: string; status: string }[]): string {
  if (items.length === 0) return "The todo list is empty.";
  return items.map(({ content, status }, index) => `  ${index + 1}. [${status}] ${content}`).join("\n");
}

function taskPage(list: readonly ListedTask[]): string {
  if (list.length === 0) return "Nothing runs in the background, and nothing did.";
  const lines = list.flatMap(({ taskId, status, exitCode, description, outputPath }) => [
    `  ${taskId} ${status}${exitCode === undefined ? "" : `, exit code ${exitCode}`}: ${description}`,
    `     ${outputPath}`,
  ]);
  return safe(["What they wrote is in the files below them:", ...lines].join("\n"));
}
