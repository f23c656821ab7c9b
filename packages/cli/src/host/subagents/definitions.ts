// The kinds of sub-agents: Explore and Plan, and those a project or a user defines in Markdown files.

import { basename, join } from "node:path";
import { allowedByUser, textsIn } from "sotto";
import { parse } from "yaml";

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
  /** The project's file that says so, where nobody has trusted it. */
  untrustedFrom?: string;
  /** A project's file says it, and its user has trusted that file. */
  ofProject?: true;
}

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

/** Later places win by name: the user's own, then the project's. */
export async function loadAgents({ cwd, home }: { cwd: string; home: string }): Promise<LoadedAgents> {
  const own = [join(home, ".claude/agents"), join(home, ".config/sotto/agents")];
  const directories = [...own, join(cwd, ".claude/agents"), join(cwd, ".sotto/agents")];
  const byType = new Map(builtInAgents.map((agent) => [agent.type, agent]));
  const problems: string[] = [];
  const isTrusted = allowedByUser({ cwd, home });
  for (const directory of directories) {
    const found = await textsIn({ cwd, home, directory });
    problems.push(...found.problems);
    for (const { path, text } of found.files) {
      const agent = parseAgent(text, basename(path, ".md"));
      if (typeof agent === "string") problems.push(`${path}: ${agent}`);
      else if (own.includes(directory) || !asksForTrust(agent)) byType.set(agent.type, agent);
      else if (await isTrusted(path, text)) byType.set(agent.type, { ...agent, ofProject: true });
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
