// The kinds of sub-agents: Explore and Plan, and those a project or a user defines in Markdown files.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { allowedByUser } from "sotto";
import { parse } from "yaml";
import { readRegular } from "../../input/regular-file.ts";
import { line, quoted } from "../others-words.ts";
import { locate } from "../tools/files/locate.ts";
import { readWhole } from "../tools/files/open-file.ts";

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
    for await (const { path, found } of agentsIn(directory, (file) => readRegular(file, MOST_BYTES)))
      if (typeof found === "string") problems.push(`${path}: ${found}`);
      else {
        own.add(found.type);
        byType.set(found.type, found);
      }
  const isTrusted = allowedByUser(home);
  for (const directory of [join(cwd, ".claude/agents"), join(cwd, ".sotto/agents")])
    for await (const { path, text, found } of agentsIn(directory, (file) => readInProject(file, places))) {
      if (typeof found === "string") problems.push(`${path}: ${found}`);
      else if (own.has(found.type))
        problems.push(
          `${path}: you have an agent "${found.type}" of your own, which is used; rename this one`,
        );
      else {
        const agent: AgentDefinition = { ...found, projectFile: path };
        if (!asksForTrust(agent) || (await isTrusted(path, text))) byType.set(agent.type, agent);
        else if (isBuiltIn(agent))
          problems.push(`${path}: it replaces ${agent.type} only after \`sotto trust\``);
        else {
          byType.set(agent.type, { ...agent, untrustedFrom: path });
          problems.push(
            `${path}: its reminder is told as this file's, not as the user's, until \`sotto trust\``,
          );
        }
      }
    }
  return { agents: [...byType.values()], problems };
}

/** In the order of their names, each with its definition or what is wrong with it. */
async function* agentsIn(
  directory: string,
  read: (path: string) => Promise<string>,
): AsyncGenerator<{ path: string; text: string; found: AgentDefinition | string }> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  for (const name of names.slice(0, MOST_FILES)) {
    const path = join(directory, name);
    try {
      const text = await read(path);
      yield { path, text, found: parseAgent(text, name.slice(0, -3)) };
    } catch (error) {
      yield { path, text: "", found: (error as Error).message };
    }
  }
}

/** What a project brings must not lead out of it, and is not read where the user denies it. */
async function readInProject(path: string, { cwd, denyRead = [] }: AgentPlaces): Promise<string> {
  const place = await locate(path, { cwd, extraDirectories: [], denyRead });
  return (await readWhole(place, MOST_BYTES)).toString("utf8");
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
