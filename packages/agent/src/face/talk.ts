// A conversation at the terminal: runs prompts one after the other, and slash commands in between.

import { readEvents } from "sotto/internal";
import { sendMessage } from "sotto/team";
import type { Agent } from "../agent.ts";
import type { Listener } from "../agent-events.ts";
import type { Run } from "../options.ts";
import { changeStyle } from "../output-styles.ts";
import { enterDelegateMode, type MailAccess, mailRoot } from "../team/team.ts";
import { count, moment, safeLine, safeText, wrapped } from "../terminal/text.ts";
import type { ListedTask } from "../tools/tool.ts";
import { usageLine } from "./event-line.ts";
import { onlyShows, parseSlash, slashHelp } from "./slash-commands.ts";

export interface Talk {
  /** Runs until there are no more prompts or the session ends. */
  converse(next: () => Promise<string | undefined>): Promise<0 | 130>;
  /** Takes a line typed while the agent works: a prompt or a command. */
  queue(text: string): void;
  /** Stops the current work. */
  abort(): void;
  /** Ends the session. */
  end(): void;
}

export interface TalkOptions {
  run: Run;
  listen: Listener;
  /** Wraps what is printed; default: no wrapping. */
  width?: number;
  print(text: string): void;
}

export function createTalk({ run, listen, print, width = Number.POSITIVE_INFINITY }: TalkOptions): Talk {
  const { agent, session, tasks } = run;
  let working: AbortController | undefined;
  let isEnded = false;
  // The agent may be in the middle of a line.
  const show = (text: string) =>
    working === undefined ? print(wrapped(text, width)) : listen({ type: "notice", text });

  const tellWaiting = () => {
    if (agent.waiting.length > 0 && !isEnded) show(waitingPage(agent.waiting));
  };

  const during = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    working = new AbortController();
    try {
      await work(working.signal);
    } catch (error) {
      listen({ type: "failed", message: (error as Error).message });
    } finally {
      working = undefined;
      tellWaiting();
    }
  };

  const commands = {
    plan: async () => {
      const mode = (await session.state()).mode === "plan" ? "normal" : "plan";
      await session.record({ type: "mode_changed", mode });
      listen({ type: "mode_changed", mode });
    },
    delegate: async () => {
      if ((await session.state()).mode === "delegate") {
        await session.record({ type: "mode_changed", mode: "normal" });
        listen({ type: "mode_changed", mode: "normal" });
      } else if (run.team === undefined) show("Delegate mode needs a team: start with --team NAME.");
      else {
        await enterDelegateMode(session, run.team);
        listen({ type: "mode_changed", mode: "delegate" });
      }
    },
    todo: async () => show(todoPage((await session.state()).todos)),
    compact: () => during((signal) => agent.compact(signal)),
    clear: async () => {
      await agent.clear();
      run.rehearsal?.rewritten("cleared");
      show("The conversation was cleared. Your next prompt starts a new one in the same session.");
      tellWaiting();
    },
    cost: async () => show(costPage(run)),
    tasks: async () => show(taskPage(tasks.list())),
    help: async () => show(slashHelp()),
    exit: async () => {
      isEnded = true;
    },
  };

  const rewind = async (turn: number | undefined) => {
    const { turns } = agent;
    const to = turn ?? turns.known.at(-2) ?? 0;
    if (!(await agent.rewind(to))) return show(noSuchTurn(to, turns));
    run.rehearsal?.rewritten("rewound");
    show(`Rewound to the end of turn ${to}. Files on disk were not changed.`);
  };

  const explain = (about: string | undefined) => {
    const trace = agent.lastTurn?.trace ?? [];
    const asked = trace.filter(({ type, generator }) => type === about || generator === about);
    const chosen = about === undefined ? trace.filter(({ outcome }) => outcome !== "nothing") : asked;
    const quiet = trace.length - chosen.length;
    show(
      chosen.length === 0 && about !== undefined
        ? "There is no such reminder type; `sotto catalog` lists them."
        : [
            ...chosen.map(outcomeLine),
            ...(about === undefined
              ? [`  ${quiet} other types had nothing to send; /explain TYPE shows why`]
              : []),
          ].join("\n"),
    );
  };

  const handle = async (text: string) => {
    const input = parseSlash(text);
    if (input.type === "prompt") await during((signal) => agent.run(input.text, signal));
    else if (input.type === "wrong") show(input.message);
    else if (input.type === "rewind") await rewind(input.turn);
    else if (input.type === "explain") explain(input.about);
    else if (input.type === "model") show(await modelPage(run, input.name));
    else if (input.type === "style") show(await stylePage(run, input.name));
    else if (input.type === "mail") show(await mailPage(run.mail, input));
    else await commands[input.type]();
  };

  /** Handles a line typed while the agent works. A command is never sent to the model. */
  const handleMeanwhile = async (text: string) => {
    const input = parseSlash(text);
    if (input.type === "prompt") agent.queue(input.text);
    else if (input.type === "wrong" || onlyShows(input)) await handle(text);
    else show(`/${input.type} cannot run while the agent works: wait, or stop it with Ctrl-C.`);
  };

  return {
    async converse(next) {
      while (!isEnded) {
        const text = await next();
        if (text === undefined) break;
        if (text.trim() !== "") await handle(text);
      }
      if (agent.waiting.length > 0) show(unsentPage(agent.waiting));
      return 0;
    },
    queue(text) {
      handleMeanwhile(text).catch((error: Error) => show(safeText(error.message)));
    },
    abort: () => working?.abort(),
    end() {
      isEnded = true;
      working?.abort();
    },
  };
}

function noSuchTurn(turn: number, { known, latest }: Agent["turns"]): string {
  const [first] = known;
  if (latest === 0) return "There is no turn to go back to yet.";
  if (turn > latest)
    return `There is no turn ${turn}: there ${latest === 1 ? "is" : "are"} ${count(latest, "turn")} so far.`;
  const now =
    first === undefined
      ? "There is no turn left to go back to."
      : `The earliest you can go back to is turn ${first}.`;
  if (turn === 0) return `There is no earlier turn. ${now}`;
  return `Turn ${turn} is no longer in the conversation: it was cleared, compacted or rewound. ${now}`;
}

const SHOWN_WIDTH = 60;

function waitingPage(waiting: readonly string[]): string {
  const [are, they] = waiting.length === 1 ? ["is", "It will be"] : ["are", "They will be"];
  return `${count(waiting.length, "message")} ${are} still waiting: ${quoted(waiting)}. ${they} sent with your next prompt.`;
}

function unsentPage(waiting: readonly string[]): string {
  return `${count(waiting.length, "message was", "messages were")} not sent: ${quoted(waiting)}.`;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `“${safeLine(text, SHOWN_WIDTH)}”`).join(", ");
}

function outcomeLine({ type, outcome, reason }: { type: string; outcome: string; reason: string }): string {
  return `  ${type}: ${outcome}, ${reason}`;
}

function todoPage(items: readonly { content: string; status: string }[]): string {
  if (items.length === 0) return "The todo list is empty.";
  return items.map(({ content, status }, index) => `  ${index + 1}. [${status}] ${content}`).join("\n");
}

function taskPage(list: readonly ListedTask[]): string {
  if (list.length === 0) return "There are no background tasks.";
  const lines = list.flatMap(({ taskId, status, exitCode, description, outputPath }) => [
    `  ${taskId} ${status}${exitCode === undefined ? "" : `, exit code ${exitCode}`}: ${description}`,
    `     ${outputPath}`,
  ]);
  return safeText(["Background tasks, each with its output file:", ...lines].join("\n"));
}

// `/model` and `/cost`.

export async function modelPage(run: Run, name: string | undefined): Promise<string> {
  if (name === undefined) return `The model is ${run.modelName}. /model PROVIDER/NAME switches to another.`;
  const before = run.modelName;
  try {
    const now = await run.changeModel(name);
    return now === before
      ? `The model is already ${now}.`
      : `The model is ${now} from the next call on. That call reads the whole conversation without the cache.`;
  } catch (error) {
    return safeText((error as Error).message);
  }
}

export function costPage({ agent: { spent }, modelName }: Pick<Run, "agent" | "modelName">): string {
  const { calls, usage, costUsd } = spent;
  if (calls === 0) return "No calls yet.";
  const price = costUsd === undefined ? ` The price of ${modelName} is not known.` : "";
  const cost = costUsd === undefined ? {} : { costUsd };
  return `${count(calls, "call")}: ${usageLine(usage, cost)}.${price}`;
}

// `/style`.

export async function stylePage({ styles, session }: Run, name: string | undefined): Promise<string> {
  if (name !== undefined) {
    const { style, isNew } = await changeStyle(styles, session, name).catch((error: Error) => ({
      style: error.message,
      isNew: false,
    }));
    if (typeof style === "string") return safeText(style);
    return isNew
      ? `The output style is ${style.name} from the next call on. It is part of the system prompt, so that call reads the whole conversation without the cache.`
      : `The output style is already ${style.name}.`;
  }
  const { styles: all, problems } = await styles.list();
  const width = Math.max(...all.map((one) => one.name.length));
  const lines = all.map((one) => {
    const from = one.projectFile === undefined ? "" : " (from this project)";
    const mark = one.name === styles.current.name ? "*" : " ";
    return `${mark} ${one.name.padEnd(width)}  ${one.description}${from}`.trimEnd();
  });
  return safeText([...lines, ...problems].join("\n"));
}

// `/mail`: shows the messages of this agent's mailbox, from the log, and sends messages.

const SHOWN = 20;

export async function mailPage(
  mail: MailAccess | undefined,
  { to, text }: { to?: string; text?: string },
): Promise<string> {
  if (mail === undefined) return "This agent has no mailbox: start with --mailbox TEAM/NAME.";
  return to === undefined || text === undefined ? received(mail) : send(mail, to, text);
}

async function received({ store, sessionId, address: { team, agent } }: MailAccess): Promise<string> {
  const letters = await readEvents(store, sessionId, "message_received");
  // A message that was sent again is shown once.
  const once = [...new Map(letters.map((letter) => [letter.id, letter])).values()];
  if (once.length === 0) return `No messages for ${agent} in team ${team} yet.`;
  const lines = once
    .slice(-SHOWN)
    .map(
      ({ from, timestamp, text }) =>
        `  ${moment(timestamp)} ${from}: ${text.trim().replaceAll("\n", "\n    ")}`,
    );
  const more = once.length > SHOWN ? [`  (${once.length - SHOWN} earlier messages)`] : [];
  return safeText([...more, ...lines].join("\n"));
}

/** Sends in the agent's name, so that the reply reaches it. */
async function send(
  { address: { team, agent }, session, home, cwd }: MailAccess,
  to: string,
  text: string,
): Promise<string> {
  try {
    const mailbox = await mailRoot(session);
    await sendMessage({ cwd, home, mailbox, to: { team, agent: to }, from: agent, text });
    return safeText(`Sent to ${to}.`);
  } catch (error) {
    return safeText(`Not sent: ${(error as Error).message}`);
  }
}
