// Which tools the agent has and what they do: from the host's list, the tools that requests declare, and the profile, in
// this order.

import type { DeclaredTool, Dialect } from "../dialects/dialect.ts";
import type { Agent, KnownInput, ToolNames } from "../facts/agent.ts";
import { COMMAND, DIRECTORY, LIST, PATCH, PATH, PATHS, pick, plain, WHOLE } from "../facts/tool-inputs.ts";
import {
  EDITORS,
  kindOf,
  PATCHERS,
  plainName,
  rolesOf,
  runsPosixCommands,
  type ToolDescription,
  type ToolKind,
} from "./known-tools.ts";
import type { Profile, Reading, ToolMeaning } from "./profile.ts";
import { inputOf, meaningIn } from "./tool-events.ts";
import { createVocabulary, withAgents, withInputs } from "./vocabulary.ts";

interface Request {
  dialect: Dialect;
  body: unknown;
}

export interface AgentTools {
  /** The tool names for a turn; remembers what its request declares. `called`: tools used so far. */
  wordsFor(request: Request | undefined, called: ReadonlySet<string>): ToolNames;
  /** What a use means; undefined if unknown. */
  meaning(name: string, input: unknown): ToolMeaning | undefined;
  /** What it does to the world; if in doubt, it runs things. */
  kind(name: string): ToolKind;
  /** Whether its commands can be parsed. */
  runsPosixCommands(name: string): boolean;
}

export interface AgentToolsOptions {
  agent: Agent;
  /** As the host listed them. */
  tools?: readonly (string | ToolDescription)[] | undefined;
  /** The kinds of sub-agents there are. */
  agents?: readonly string[] | undefined;
  profile?: Profile | undefined;
}

// More than any agent has; any further tool is known by its name.
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
  /** By the tools they name. */
  const words = new Map<string, ToolNames>();
  let latest: readonly DeclaredTool[] | undefined;

  const wordsOf = (declared: readonly DeclaredTool[], called: ReadonlySet<string>): ToolNames => {
    const names = new Set(declared.map(({ name }) => name));
    const others = [...called].filter((name) => !names.has(name));
    const key = [...declared.map(markOf), ...others].join("\n");
    const made = words.get(key) ?? vocabularyOf([...declared, ...others]);
    // The latest few: side requests, servers that come and go.
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
      // A request without tools, such as one for a title, does not affect the others.
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

/** Short, and different if the tool is described differently. */
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
      // A getter or proxy of the host threw: the tools are unknown.
      return undefined;
    }
  };
}

// What the uses of a tool mean without a profile: by what the tool is, and the fields of its input.

const CONTENTS = ["content", "step", "description", "title", "task", "text", "name"];

/** What its uses mean, or what one use means, whose input shows fields that the tool did not declare. */
export function meaningOf(
  tool: DeclaredTool,
  input?: Readonly<Record<string, unknown>>,
): ToolMeaning | undefined {
  // A schema may list no fields at all; then the use says which there are.
  const isListed = tool.fields !== undefined && tool.fields.length > 0;
  const fields = isListed || input === undefined ? tool.fields : Object.keys(input);
  const [role] = rolesOf({ ...tool, ...(fields === undefined ? {} : { fields }) });
  const { name } = plainName(tool.name);
  if (role === undefined) return undefined;
  if (EDITORS.has(name)) return editing(fields ?? []);
  if (PATCHERS.has(name)) return { does: "patch", text: pick(fields ?? [], PATCH) ?? "patch" };
  return meaningAs(role, fields ?? []);
}

function meaningAs(role: string, fields: readonly string[]): ToolMeaning | undefined {
  const path = pick(fields, PATH);
  switch (role) {
    case "Read":
    case "NotebookRead":
      return reading(fields);
    case "Write": {
      const content = pick(fields, WHOLE);
      return path === undefined
        ? undefined
        : { does: "write", path, ...(content === undefined ? {} : { content }) };
    }
    case "Edit":
    case "NotebookEdit":
      return path === undefined ? undefined : { does: "write", path };
    case "Delete":
      return path === undefined ? undefined : { does: "remove", path };
    case "Bash": {
      const [command, each] = [pick(fields, COMMAND), pick(fields, "commands")];
      const directory = pick(fields, DIRECTORY);
      const more = {
        ...(each === undefined ? {} : { each }),
        ...(directory === undefined ? {} : { directory }),
      };
      return { does: "command", command: command ?? "command", ...more };
    }
    case "Glob":
    case "Grep":
    case "LS": {
      const place = path ?? pick(fields, DIRECTORY);
      return place === undefined ? undefined : { does: "search", path: place };
    }
    case "TodoWrite": {
      const list = pick(fields, LIST);
      return list === undefined
        ? undefined
        : { does: "todos", list, content: CONTENTS, activeForm: "activeForm" };
    }
    default:
      return undefined;
  }
}

// Other fields that ask for a part.
const PART =
  /^(?:head|tail|pages?|lines?|numlines|maxlines|sections?|chunks?|bytes?|maxbytes|position|cursor|symbol|selector|ranges)$/u;

function reading(fields: readonly string[]): Reading | undefined {
  const path = pick(fields, PATH);
  const each = pick(fields, PATHS);
  if (path === undefined && each === undefined) return undefined;
  const named = {
    offset: pick(fields, "offset startline linestart startlineoneindexed firstline fromline start"),
    limit: pick(fields, "limit linecount"),
    lastLine: pick(
      fields,
      "endline lineend endlineoneindexedinclusive endlineoneindexed lastline toline end",
    ),
    range: pick(fields, "viewrange linerange range"),
  };
  const known = Object.fromEntries(Object.entries(named).filter(([, field]) => field !== undefined));
  const parts = fields.filter((field) => PART.test(plain(field)));
  return {
    does: "read",
    path: path ?? "path",
    ...(each === undefined ? {} : { each }),
    ...known,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** Anthropic's text editor, and tools modelled on it. */
function editing(fields: readonly string[]): ToolMeaning {
  const path = pick(fields, PATH) ?? "path";
  const write = { does: "write" as const, path };
  return {
    does: "choose",
    by: "command",
    of: {
      view: { does: "read", path, range: pick(fields, "viewrange") ?? "view_range" },
      create: { ...write, content: pick(fields, WHOLE) ?? "file_text" },
      str_replace: write,
      insert: write,
      undo_edit: write,
    },
  };
}
