// Commands a person types in place of a prompt: what was meant, and what there is.

import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { didYouMean } from "sotto/internal";
import { safeLine } from "../terminal/text.ts";
import { createReadRules } from "../tools/files/denied.ts";

export type SlashInput =
  /** No command: it goes to the agent. */
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
  /** Meant as a command, and wrong: words for the person. */
  | { type: "wrong"; message: string };

type Name = Exclude<SlashInput["type"], "prompt" | "wrong">;

const COMMANDS: Record<Name, { argument?: string; summary: string }> = {
  plan: { summary: "go into plan mode, or leave it" },
  delegate: { summary: "go into delegate mode, or leave it (with --team)" },
  todo: { summary: "show the todo list" },
  compact: { summary: "sum the conversation up, and go on with the summary" },
  clear: { summary: "forget the conversation, and begin anew; files and settings stay" },
  cost: { summary: "show the tokens used so far, and the dollars" },
  model: { argument: "[provider/name]", summary: "show the model, or go on with another one" },
  rewind: {
    argument: "[turn]",
    summary: "go back to the end of a turn; without a number, of the one before",
  },
  explain: { argument: "[type]", summary: "what was said in the last turn, what was not, and why" },
  tasks: { summary: "show the background tasks, and where their output is" },
  style: { argument: "[name]", summary: "show the output styles, or answer in another from now on" },
  mail: { argument: "[name text]", summary: "show the messages of team mates, or send one" },
  help: { summary: "show this" },
  exit: { summary: "end the session (Ctrl-D does too)" },
};

const names = Object.keys(COMMANDS) as Name[];

export function parseSlash(text: string): SlashInput {
  if (text.startsWith("//")) return { type: "prompt", text: text.slice(1) };
  const [, name, rest = ""] = /^\/(\S*)\s*([\s\S]*)$/u.exec(text) ?? [];
  // A path at the start of a sentence is no command.
  if (name === undefined || /^[^a-z]|[^\w-]/iu.test(name)) return { type: "prompt", text };
  const known = names.find((one) => one === name.toLowerCase());
  if (known === undefined) return wrong(unknown(name));
  return withArgument(known, rest.trim());
}

/** Whether it only shows something, so that it may be used while the agent works. */
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
    "Tab completes commands, and paths behind @.",
    "A line that ends in \\ goes on in the next one. // at the start sends a prompt that begins with /.",
    "Ctrl-C stops what runs; twice, it ends the session. While the agent works, commands that only show something",
    "run at once, and other lines go to the agent with its next call.",
  ].join("\n");
}

function withArgument(name: Name, argument: string): SlashInput {
  if (argument === "") return { type: name };
  if (COMMANDS[name].argument === undefined)
    return wrong(`/${name} stands alone, and takes no "${safeLine(argument, 40)}"`);
  if (name === "mail") return mail(argument);
  if (/\s/u.test(argument)) return wrong(`${usage(name)} takes one word, not "${safeLine(argument, 40)}"`);
  if (name === "explain") return { type: "explain", about: argument };
  if (name === "style") return { type: "style", name: argument };
  if (name === "model") return { type: "model", name: argument };
  const turn = /^\d{1,9}$/u.test(argument) ? Number(argument) : 0;
  return turn > 0
    ? { type: "rewind", turn }
    : wrong(`/rewind takes the number of a turn, not "${safeLine(argument, 40)}"`);
}

function mail(argument: string): SlashInput {
  const [, to = argument, text = ""] = /^(\S+)\s+([\s\S]+)$/u.exec(argument) ?? [];
  if (text === "") return wrong(`/mail ${safeLine(to, 40)}: what is the message? /mail NAME TEXT sends one`);
  return { type: "mail", to, text };
}

function unknown(name: string): string {
  if (name === "") return "/ alone is no command; /help shows what there is";
  const near = didYouMean(
    `/${name}`,
    names.map((one) => `/${one}`),
  );
  return `/${safeLine(name, 40)} is no command${near === "" ? "; /help shows what there is" : near} (// at the start sends it as a prompt)`;
}

function usage(name: Name): string {
  return `/${[name, ...(COMMANDS[name].argument === undefined ? [] : [COMMANDS[name].argument])].join(" ")}`;
}

function wrong(message: string): SlashInput {
  return { type: "wrong", message };
}

// What Tab completes: commands behind /, paths behind @. What the agent may not read is never listed.

/** The candidates, and the part of the line that they stand for. */
export type Complete = (line: string) => Promise<[candidates: string[], part: string]>;

export interface CompleteOptions {
  cwd: string;
  denyRead: readonly string[];
}

const MOST = 200;
// As far as mentions go: behind a space or at the start.
const MENTION = /(?:^|\s)@([^\s"]*)$/u;
// What neither a mention nor a terminal takes as it is.
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

  /** A rule for a directory denies what is in it. */
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
