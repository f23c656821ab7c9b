// The kinds of sub-agents: Explore and Plan, and those a project or a user defines in Markdown files.

import { basename, join } from "node:path";
import { trustedByUser } from "sotto/inspect";
import { readMarkdownFiles } from "sotto/internal";
import { parse } from "yaml";
import { line, quoted } from "../untrusted-text.ts";

export interface AgentDefinition {
  type: string;
  /** For the model that chooses among them. */
  description: string;
  /** What it is told to be. */
  prompt: string;
  /** Names of its tools; all of them where nothing is said. */
  tools?: readonly string[];
  /** Said right behind its system prompt, and every turn. */
  criticalSystemReminder?: string;
  /** The project's file it is from: its words, not the user's. */
  projectFile?: string;
  /** The same where nobody has trusted it. */
  untrustedFrom?: string;
}

const MOST_BYTES = 64 * 1024;
const MOST_FILES = 100;
const LONGEST_DESCRIPTION = 400;
const READING = ["Read", "Glob", "Grep", "Bash", "TaskOutput"];
const READ_ONLY =
  "This agent only reads: it creates, edits and deletes nothing, and runs no command that changes anything.";

export const builtInAgents: readonly AgentDefinition[] = [
  {
    type: "Explore",
    description: "Looks through the code base and answers questions about it. Reads only.",
    prompt:
      "You look through a code base to answer a question. Search broadly first, then read what matters. Answer with what you found and the paths and lines it is in.",
    tools: READING,
    criticalSystemReminder: READ_ONLY,
  },
  {
    type: "Plan",
    description: "Works out how to do something: the approach, the files that matter, the order. Reads only.",
    prompt:
      "You work out how a task is best done in a code base. Read what you need. Answer with one recommended approach, the files to change and why, and how to verify the result.",
    tools: READING,
    criticalSystemReminder: READ_ONLY,
  },
];

export interface LoadedAgents {
  agents: AgentDefinition[];
  /** Files that could not be taken, and why. */
  problems: string[];
}

export interface AgentPlaces {
  cwd: string;
  home: string;
  denyRead?: readonly string[];
}

/** The user's go before the built-in ones; a project's never takes the name of one of the user's. */
export async function loadAgents(places: AgentPlaces): Promise<LoadedAgents> {
  const { cwd, home } = places;
  const byType = new Map(builtInAgents.map((agent) => [agent.type, agent]));
  const own = new Set<string>();
  const problems: string[] = [];
  for (const directory of [join(home, ".claude/agents"), join(home, ".config/sotto/agents")])
    for (const { agent } of await agentsIn(directory, places, problems)) {
      own.add(agent.type);
      byType.set(agent.type, agent);
    }
  const isTrusted = trustedByUser({ cwd, home });
  for (const directory of [join(cwd, ".claude/agents"), join(cwd, ".sotto/agents")])
    for (const { path, text, agent: found } of await agentsIn(directory, places, problems)) {
      const agent: AgentDefinition = { ...found, projectFile: path };
      if (own.has(agent.type))
        problems.push(
          `${path}: you have an agent "${agent.type}" of your own, which is used; rename this one`,
        );
      else if (!asksForTrust(agent) || (await isTrusted(path, text))) byType.set(agent.type, agent);
      else if (isBuiltIn(agent))
        problems.push(`${path}: it replaces ${agent.type} only after \`sotto trust\``);
      else {
        byType.set(agent.type, { ...agent, untrustedFrom: path });
        problems.push(
          `${path}: its reminder is told as this file's, not as the user's, until \`sotto trust\``,
        );
      }
    }
  return { agents: [...byType.values()], problems };
}

/** In the order of their names. What a project brings does not lead out of it, and nothing is read that is denied. */
async function agentsIn(
  directory: string,
  { cwd, home, denyRead = [] }: AgentPlaces,
  problems: string[],
): Promise<{ path: string; text: string; agent: AgentDefinition }[]> {
  const limits = { mostFiles: MOST_FILES, mostBytes: MOST_BYTES };
  const found = await readMarkdownFiles({ cwd, home, permissions: { denyRead }, directory, ...limits });
  problems.push(...found.problems);
  return found.files.flatMap(({ path, text }) => {
    const agent = parseAgent(text, basename(path, ".md"));
    if (typeof agent !== "string") return [{ path, text, agent }];
    problems.push(`${path}: ${agent}`);
    return [];
  });
}

/** What it does, for the model that chooses: a project's is named as such, in its own words. */
export function descriptionOf({ description, projectFile }: AgentDefinition): string {
  if (projectFile === undefined) return line(description, LONGEST_DESCRIPTION);
  return `an agent of this project, which says of it: ${quoted(description, LONGEST_DESCRIPTION)}`;
}

/** What speaks on every turn, or stands in for an agent that only reads, has the user's word or none. */
function asksForTrust(agent: AgentDefinition): boolean {
  return agent.criticalSystemReminder !== undefined || isBuiltIn(agent);
}

function isBuiltIn({ type }: AgentDefinition): boolean {
  return builtInAgents.some((one) => one.type === type);
}

/** The definition, or what is wrong with it. */
export function parseAgent(text: string, fileName: string): AgentDefinition | string {
  const [, block, body = ""] = /^---\r?\n(.*?)\r?\n---\r?\n?(.*)$/su.exec(text) ?? [];
  if (block === undefined) return "it has no frontmatter between two lines ---";
  let fields: Record<string, unknown>;
  try {
    fields = (parse(block, { maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    return `its frontmatter cannot be read: ${(error as Error).message.split("\n")[0]}`;
  }
  const { name = fileName, description, tools, criticalSystemReminder } = fields;
  if (typeof name !== "string" || !/^[\w.:-]+$/u.test(name)) return "name: letters, digits, _ . : - only";
  if (typeof description !== "string" || description.trim() === "") return "description: missing";
  if (body.trim() === "") return "it has no text";
  const names = toNames(tools);
  return {
    type: name,
    description: description.trim(),
    prompt: body.trim(),
    ...(names === undefined ? {} : { tools: names }),
    ...(typeof criticalSystemReminder === "string" ? { criticalSystemReminder } : {}),
  };
}

function toNames(tools: unknown): string[] | undefined {
  if (Array.isArray(tools)) return tools.map(String);
  return typeof tools === "string"
    ? tools
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
    : undefined;
}
