// Slash commands: their list, parser, help and completion.

import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { didYouMean } from "sotto/internal";
import { safeLine } from "../terminal/text.ts";
import { createReadRules } from "../tools/files/denied.ts";

export type SlashInput =
  /** Not a command: goes to the agent. */
  | { type: "prompt"; text: string }
  | { type: "plan" }
  | { type: "delegate" }
  | { type: "todo" }
  | { type: "compact" }
  | { type: "clear" }
  | { type: "cost" }
  | { type: "model"; name?: string }
  | { type: "rewind"; turn?: number }
  | { type: "explain"; about?: string }
  | { type: "tasks" }
  | { type: "style"; name?: string }
  | { type: "mail"; to?: string; text?: string }
  | { type: "help" }
  | { type: "exit" }
  /** An invalid command, with a message for the user. */
  | { type: "wrong"; message: string };

type Name = Exclude<SlashInput["type"], "prompt" | "wrong">;

const COMMANDS: Record<Name, { argument?: string; summary: string }> = {
  plan: { summary: "turn plan mode on or off" },
  delegate: { summary: "turn delegate mode on or off (needs --team)" },
  todo: { summary: "show the todo list" },
  compact: { summary: "summarise the conversation to free up context" },
  clear: { summary: "clear the conversation; files and settings stay" },
  cost: { summary: "show tokens and cost so far" },
  model: { argument: "[provider/name]", summary: "show the model, or switch to another" },
  rewind: {
    argument: "[turn]",
    summary: "go back to the end of a turn; default: the previous one",
  },
  explain: { argument: "[type]", summary: "show which reminders the last turn sent or skipped, and why" },
  tasks: { summary: "show background tasks and their output files" },
  style: { argument: "[name]", summary: "show the output styles, or switch to another" },
  mail: { argument: "[name text]", summary: "show messages from team mates, or send one" },
  help: { summary: "show this help" },
  exit: { summary: "end the session (or Ctrl-D)" },
};

const names = Object.keys(COMMANDS) as Name[];

export function parseSlash(text: string): SlashInput {
  if (text.startsWith("//")) return { type: "prompt", text: text.slice(1) };
  const [, name, rest = ""] = /^\/(\S*)\s*([\s\S]*)$/u.exec(text) ?? [];
  // A path at the start of a sentence is not a command.
  if (name === undefined || /^[^a-z]|[^\w-]/iu.test(name)) return { type: "prompt", text };
  const known = names.find((one) => one === name.toLowerCase());
  if (known === undefined) return wrong(unknown(name));
  return withArgument(known, rest.trim());
}

/** Whether it only shows something, and may run while the agent works. */
export function onlyShows(input: SlashInput): boolean {
  if (input.type === "model" || input.type === "style") return input.name === undefined;
  if (input.type === "mail") return input.to === undefined;
  return ["todo", "cost", "explain", "tasks", "help"].includes(input.type);
}

/** With the slash. */
export const slashNames: readonly string[] = names.map((name) => `/${name}`);

export function slashHelp(): string {
  const usages = names.map((name) => [usage(name), COMMANDS[name].summary] as const);
  const width = Math.max(...usages.map(([left]) => left.length));
  return [
    ...usages.map(([left, summary]) => `  ${left.padEnd(width)}  ${summary}`),
    "",
    "Tab completes commands, and paths after @.",
    "End a line with \\ to continue on the next. Start with // to send a prompt that begins with /.",
    "Ctrl-C stops the agent; press it twice to end the session.",
    "While the agent works, commands that only show something run at once; other",
    "lines are sent with its next call.",
  ].join("\n");
}

function withArgument(name: Name, argument: string): SlashInput {
  if (argument === "") return { type: name };
  if (COMMANDS[name].argument === undefined)
    return wrong(`/${name} takes no argument, got "${safeLine(argument, 40)}"`);
  if (name === "mail") return mail(argument);
  if (/\s/u.test(argument)) return wrong(`${usage(name)} takes one word, got "${safeLine(argument, 40)}"`);
  if (name === "explain") return { type: "explain", about: argument };
  if (name === "style") return { type: "style", name: argument };
  if (name === "model") return { type: "model", name: argument };
  const turn = /^\d{1,9}$/u.test(argument) ? Number(argument) : 0;
  return turn > 0
    ? { type: "rewind", turn }
    : wrong(`/rewind takes a turn number, got "${safeLine(argument, 40)}"`);
}

function mail(argument: string): SlashInput {
  const [, to = argument, text = ""] = /^(\S+)\s+([\s\S]+)$/u.exec(argument) ?? [];
  if (text === "") return wrong(`/mail ${safeLine(to, 40)}: the message is missing; use /mail NAME TEXT`);
  return { type: "mail", to, text };
}

function unknown(name: string): string {
  if (name === "") return "/ is not a command; /help lists them";
  const near = didYouMean(
    `/${name}`,
    names.map((one) => `/${one}`),
  );
  return `/${safeLine(name, 40)} is not a command${near === "" ? "; /help lists them" : near} (start with // to send it as a prompt)`;
}

function usage(name: Name): string {
  return `/${[name, ...(COMMANDS[name].argument === undefined ? [] : [COMMANDS[name].argument])].join(" ")}`;
}

function wrong(message: string): SlashInput {
  return { type: "wrong", message };
}

// Tab completion: commands after /, paths after @. Denied files are never listed.

/** Returns the candidates, and the part of the line they replace. */
export type Complete = (line: string) => Promise<[candidates: string[], part: string]>;

export interface CompleteOptions {
  cwd: string;
  denyRead: readonly string[];
}

const MOST = 200;
// A mention starts the line or follows a space.
const MENTION = /(?:^|\s)@([^\s"]*)$/u;
// Characters that mentions or terminals do not take as they are.
const UNUSUAL = /[\s"\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

export function createComplete({ cwd, denyRead }: CompleteOptions): Complete {
  const isDenied = createReadRules({ cwd, denyRead });
  return async (line) => {
    if (/^\/[\w-]*$/u.test(line)) {
      const found = slashNames.filter((name) => name.startsWith(line));
      return [found.map((name) => `${name} `), line];
    }
    const typed = MENTION.exec(line)?.[1];
    if (typed === undefined) return [[], line];
    return [await pathsFor(typed), `@${typed}`];
  };

  /** A rule for a directory denies its contents, too. */
  function isOpen(path: string): boolean {
    return !isDenied(path) && !isDenied(join(path, "file"));
  }

  async function pathsFor(typed: string): Promise<string[]> {
    const slash = typed.lastIndexOf("/") + 1;
    const [folder, start] = [typed.slice(0, slash), typed.slice(slash)];
    const directory = folder.startsWith("~/") ? join(homedir(), folder.slice(2)) : resolve(cwd, folder);
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    return entries
      .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
      .filter(({ name }) => !UNUSUAL.test(name) && isOpen(join(directory, name)))
      .map((entry) => `@${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
      .sort()
      .slice(0, MOST);
  }
}
