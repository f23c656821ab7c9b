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
// No real tool has such names; another one is looked at each time.
const LONGEST_KEY = 1000;

export function createAgentTools(options: AgentToolsOptions): AgentTools {
  return new Tools(options);
}

const NO_KINDS: ReadonlyMap<string, ToolKind | undefined> = new Map();

class Tools implements AgentTools {
  readonly #profile: Profile | undefined;
  readonly #agents: readonly string[] | undefined;
  readonly #listed: readonly string[] | undefined;
  readonly #kinds: ReadonlyMap<string, ToolKind | undefined>;
  readonly #unasked: ToolNames;
  /** Those that requests declared. */
  #known: Map<string, DeclaredTool> | undefined;
  /** Of uses so far, by the tool and the fields of the input: a history has thousands that differ in values only. */
  #meanings: Map<string, ToolMeaning | undefined> | undefined;
  /** By the tools they name. */
  #words: Map<string, ToolNames> | undefined;
  #latest: readonly DeclaredTool[] | undefined;
  /** What the last request was answered: names are only ever added to those called. */
  #lastWords:
    | { declared: readonly DeclaredTool[]; called: ReadonlySet<string>; size: number; words: ToolNames }
    | undefined;
  /** The last list that was read. */
  #read: { list: object; size: number; tools: readonly DeclaredTool[] | undefined } | undefined;

  constructor({ agent, tools, agents, profile }: AgentToolsOptions) {
    this.#profile = profile;
    this.#agents = agents;
    this.#listed =
      agent.definition?.tools ?? tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
    this.#kinds =
      tools === undefined
        ? NO_KINDS
        : new Map(tools.flatMap((tool) => (typeof tool === "string" ? [] : [[tool.name, tool.kind]])));
    this.#unasked = this.#vocabularyOf(this.#listed);
  }

  wordsFor(request: Request | undefined, called: ReadonlySet<string>): ToolNames {
    const declared = this.#look(request);
    if (declared !== undefined && declared !== this.#latest)
      for (const tool of declared) this.#remember(tool);
    // A request without tools, such as one for a title, does not affect the others.
    if (declared !== undefined && declared.length > 0) this.#latest = declared;
    if (this.#listed !== undefined) return this.#unasked;
    const now = declared ?? this.#latest;
    if (now === undefined) return this.#unasked;
    const last = this.#lastWords;
    if (last?.declared === now && last.called === called && last.size === called.size) return last.words;
    const words = this.#wordsOf(now, called);
    this.#lastWords = { declared: now, called, size: called.size, words };
    return words;
  }

  meaning(name: string, given: unknown): ToolMeaning | undefined {
    const written = this.#written(name);
    if (written !== undefined) return written;
    const input = inputOf(given);
    const fields = Object.keys(input);
    // A tool that takes text has no fields.
    const isText = typeof given === "string" && fields.length === 0;
    const key = JSON.stringify([name, isText, ...fields]);
    if (this.#meanings?.has(key)) return this.#meanings.get(key);
    const meaning = meaningOf(this.#tool(name), isText ? undefined : input);
    if (this.#meanings === undefined || this.#meanings.size >= MOST_KNOWN) this.#meanings = new Map();
    if (key.length <= LONGEST_KEY) this.#meanings.set(key, meaning);
    return meaning;
  }

  kind(name: string): ToolKind {
    const described = this.#kinds.get(name);
    if (described !== undefined) return described;
    const written = this.#written(name);
    return (written && kindOfMeaning(written)) ?? kindOf(this.#tool(name));
  }

  runsPosixCommands(name: string): boolean {
    return this.#written(name)?.does === "command" || runsPosixCommands(this.#tool(name));
  }

  #remember(tool: DeclaredTool): void {
    this.#known ??= new Map();
    if (this.#known.get(tool.name) !== tool) this.#meanings = undefined;
    if (this.#known.size < MOST_KNOWN || this.#known.has(tool.name)) this.#known.set(tool.name, tool);
  }

  #tool(name: string): DeclaredTool {
    return this.#known?.get(name) ?? { name };
  }

  /** What the profile says of it. */
  #written(name: string): ToolMeaning | undefined {
    return this.#profile === undefined ? undefined : meaningIn(this.#profile, name);
  }

  #vocabularyOf(names: readonly (string | DeclaredTool)[] | undefined): ToolNames {
    return withInputs(withAgents(createVocabulary(names, this.#profile?.names), this.#agents), (name) =>
      this.#inputOf(name),
    );
  }

  #inputOf(name: string): KnownInput | undefined {
    const declared = this.#known?.get(name);
    const written = this.#written(name);
    const meaning = declared?.fields === undefined ? written : (meaningOf(declared) ?? written);
    return meaning && { meaning, ...(declared?.fields === undefined ? {} : { fields: declared.fields }) };
  }

  #wordsOf(declared: readonly DeclaredTool[], called: ReadonlySet<string>): ToolNames {
    const names = new Set(declared.map(({ name }) => name));
    const others = [...called].filter((name) => !names.has(name));
    const key = [...declared.map(markOf), ...others].join("\n");
    this.#words ??= new Map();
    const words = this.#words;
    const made = words.get(key) ?? this.#vocabularyOf([...declared, ...others]);
    // The latest few: side requests, servers that come and go.
    words.delete(key);
    words.set(key, made);
    for (const old of [...words.keys()].slice(0, -4)) words.delete(old);
    return made;
  }

  /** A list that was read before is not read again. */
  #look(request: Request | undefined): readonly DeclaredTool[] | undefined {
    if (request === undefined) return undefined;
    try {
      const { tools: list } = request.body as { tools?: unknown };
      const last = this.#read;
      if (Array.isArray(list) && last?.list === list && last.size === list.length) return last.tools;
      const tools = request.dialect.tools?.(request.body);
      this.#read = Array.isArray(list) ? { list, size: list.length, tools } : undefined;
      return tools;
    } catch {
      // A getter or proxy of the host threw: the tools are unknown.
      return undefined;
    }
  }
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
