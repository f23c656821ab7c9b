// The types of sub-agents: Explore, Plan, and those defined in Markdown files of the user or the project.

import { basename, join } from "node:path";
import { trustedByUser } from "sotto/inspect";
import { readMarkdownFiles } from "sotto/internal";
import { parse } from "yaml";
import { line, quoted } from "../untrusted-text.ts";

export interface AgentDefinition {
  type: string;
  /** Shown to the model that chooses one. */
  description: string;
  /** Its task, for the system prompt. */
  prompt: string;
  /** Names of its tools; default: all. */
  tools?: readonly string[];
  /** Sent at the start and with every turn. */
  criticalSystemReminder?: string;
  /** Set when a project file defines it: then its text is quoted as the file's. */
  projectFile?: string;
  /** The same file, when it is not trusted. */
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
  /** Files that were skipped or restricted, and why. */
  problems: string[];
}

export interface AgentPlaces {
  cwd: string;
  home: string;
  denyRead?: readonly string[];
}

/** The user's agents override built-in ones. A project's agent never overrides one of the user's. */
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
        problems.push(`${path}: ignored, because you have your own agent "${agent.type}"; rename this one`);
      else if (!asksForTrust(agent) || (await isTrusted(path, text))) byType.set(agent.type, agent);
      else if (isBuiltIn(agent))
        problems.push(
          `${path}: ignored, because it would replace ${agent.type}; approve it with \`sotto trust\``,
        );
      else {
        byType.set(agent.type, { ...agent, untrustedFrom: path });
        problems.push(`${path}: its reminder is marked as untrusted until you run \`sotto trust\``);
      }
    }
  return { agents: [...byType.values()], problems };
}

/** Sorted by name. Skips denied files, and project files that link outside the project. */
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

/** Shown to the model that chooses one. A project's description is quoted as the project's. */
export function descriptionOf({ description, projectFile }: AgentDefinition): string {
  if (projectFile === undefined) return line(description, LONGEST_DESCRIPTION);
  return `an agent of this project, which says of it: ${quoted(description, LONGEST_DESCRIPTION)}`;
}

/** A reminder on every turn, or a replacement of a read-only agent, needs the user's approval. */
function asksForTrust(agent: AgentDefinition): boolean {
  return agent.criticalSystemReminder !== undefined || isBuiltIn(agent);
}

function isBuiltIn({ type }: AgentDefinition): boolean {
  return builtInAgents.some((one) => one.type === type);
}

/** Returns the definition, or what is wrong with the file. */
export function parseAgent(text: string, fileName: string): AgentDefinition | string {
  const [, block, body = ""] = /^---\r?\n(.*?)\r?\n---\r?\n?(.*)$/su.exec(text) ?? [];
  if (block === undefined) return "the frontmatter is missing";
  let fields: Record<string, unknown>;
  try {
    fields = (parse(block, { maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    return `invalid frontmatter: ${(error as Error).message.split("\n")[0]}`;
  }
  const { name = fileName, description, tools, criticalSystemReminder } = fields;
  if (typeof name !== "string" || !/^[\w.:-]+$/u.test(name)) return "name: use letters, digits, _ . : - only";
  if (typeof description !== "string" || description.trim() === "") return "the description is missing";
  if (body.trim() === "") return "the text is missing";
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
