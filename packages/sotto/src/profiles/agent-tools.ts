// Which tools the agent of a session has, and what they do: from what the host listed, what requests declare, and the
// profile of the agent, in this order.

import type { Agent, KnownInput, Vocabulary } from "../facts/agent.ts";
import { createVocabulary, withAgents, withInputs } from "./vocabulary.ts";
import type { DeclaredTool, Dialect } from "../dialects/dialect.ts";
import { kindOf, runsPosixCommands } from "./known-tools.ts";
import type { Profile, ToolMeaning } from "./profile.ts";
import { inputOf, meaningIn } from "./tool-events.ts";
import { meaningOf } from "./tool-meaning.ts";
import type { ToolDescription, ToolKind } from "./tool-names.ts";

interface Request {
  dialect: Dialect;
  body: unknown;
}

export interface AgentTools {
  /** The words for the tools in a turn; what its request declares is remembered. `called`: tools that were used so far. */
  wordsFor(request: Request | undefined, called: ReadonlySet<string>): Vocabulary;
  /** What a use means; nothing where nobody knows. */
  meaning(name: string, input: unknown): ToolMeaning | undefined;
  /** What it does to the world; in doubt it runs things. */
  kind(name: string): ToolKind;
  /** Whether its commands can be taken apart. */
  runsPosixCommands(name: string): boolean;
}

export interface AgentToolsOptions {
  agent: Agent;
  /** As the host listed them. */
  tools?: readonly (string | ToolDescription)[];
  /** The kinds of sub-agents there are. */
  agents?: readonly string[];
  profile?: Profile;
}

// More than any agent has; what comes then is known by its name.
const MOST_KNOWN = 2000;

export function createAgentTools({ agent, tools, agents, profile }: AgentToolsOptions): AgentTools {
  const listed =
    agent.definition?.tools ?? tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
  const kinds = new Map(
    (tools ?? []).flatMap((tool) => (typeof tool === "string" ? [] : [[tool.name, tool.kind]])),
  );
  const look = createLook();
  const known = new Map<string, DeclaredTool>();
  const inputOfTool = (name: string): KnownInput | undefined => {
    const declared = known.get(name);
    const written = profile === undefined ? undefined : meaningIn(profile, name);
    const meaning = declared?.fields === undefined ? written : (meaningOf(declared) ?? written);
    return meaning && { meaning, ...(declared?.fields === undefined ? {} : { fields: declared.fields }) };
  };
  const vocabularyOf = (names: readonly (string | DeclaredTool)[] | undefined) =>
    withInputs(withAgents(createVocabulary(names, profile?.names), agents), inputOfTool);
  const unasked = vocabularyOf(listed);
  /** By the tools they speak of. */
  const words = new Map<string, Vocabulary>();
  let latest: readonly DeclaredTool[] | undefined;

  const wordsOf = (declared: readonly DeclaredTool[], called: ReadonlySet<string>): Vocabulary => {
    const names = new Set(declared.map(({ name }) => name));
    const others = [...called].filter((name) => !names.has(name));
    const key = [...declared.map(markOf), ...others].join("\n");
    const made = words.get(key) ?? vocabularyOf([...declared, ...others]);
    // The latest few: a side request beside the conversation, a server that comes and goes.
    words.delete(key);
    words.set(key, made);
    for (const old of [...words.keys()].slice(0, -4)) words.delete(old);
    return made;
  };

  return {
    wordsFor(request, called) {
      const declared = look(request);
      for (const tool of declared ?? [])
        if (known.size < MOST_KNOWN || known.has(tool.name)) known.set(tool.name, tool);
      // A request without any, such as one for a title, says nothing of the others.
      if (declared !== undefined && declared.length > 0) latest = declared;
      if (listed !== undefined) return unasked;
      const now = declared ?? latest;
      return now === undefined ? unasked : wordsOf(now, called);
    },
    meaning(name, given) {
      const written = profile === undefined ? undefined : meaningIn(profile, name);
      const input = inputOf(given);
      // A tool that takes text has no fields.
      const isText = typeof given === "string" && Object.keys(input).length === 0;
      return written ?? meaningOf(known.get(name) ?? { name }, isText ? undefined : input);
    },
    kind(name) {
      const described = kinds.get(name);
      if (described !== undefined) return described;
      const written = profile === undefined ? undefined : meaningIn(profile, name);
      return (written && kindOfMeaning(written)) ?? kindOf(known.get(name) ?? { name });
    },
    runsPosixCommands: (name) =>
      (profile !== undefined && meaningIn(profile, name)?.does === "command") ||
      runsPosixCommands(known.get(name) ?? { name }),
  };
}

/** Short, and another one where the tool is described otherwise. */
function markOf({ name, description = "", fields }: DeclaredTool): string {
  return `${name} ${description.length} ${fields?.join() ?? "?"}`;
}

function kindOfMeaning({ does }: ToolMeaning): ToolKind | undefined {
  if (does === "read" || does === "search" || does === "todos" || does === "mode") return "read";
  if (does === "write" || does === "patch") return "write";
  return does === "command" || does === "remove" ? "run" : undefined;
}

/** A list that was read before is not read again. */
function createLook(): (request: Request | undefined) => readonly DeclaredTool[] | undefined {
  let last: { list: object; size: number; read: readonly DeclaredTool[] | undefined } | undefined;
  return (request) => {
    if (request === undefined) return undefined;
    try {
      const { tools: list } = request.body as { tools?: unknown };
      if (Array.isArray(list) && last?.list === list && last.size === list.length) return last.read;
      const read = request.dialect.tools?.(request.body);
      last = Array.isArray(list) ? { list, size: list.length, read } : undefined;
      return read;
    } catch {
      // A getter or a proxy of the host's: what cannot be read is not known.
      return undefined;
    }
  };
}
