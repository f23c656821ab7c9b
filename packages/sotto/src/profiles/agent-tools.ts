// Which tools the agent has and what they do: from the host's list, the tools that requests declare, and the profile, in
// this order.

import type { DeclaredTool, Dialect } from "../dialects/dialect.ts";
import type { Agent, KnownInput, ToolNames } from "../facts/agent.ts";
import { COMMAND, DIRECTORY, LIST, PATCH, PATH, PATHS, pick, plain, WHOLE } from "../facts/tool-inputs.ts";
import { isEqual } from "../platform/plain-data.ts";
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
import { sharedTool, sharedTools } from "./shared-tools.ts";
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
  /** What requests declared last. */
  #latest: readonly DeclaredTool[] | undefined;
  /** What earlier requests declared, as far as the latest does not. */
  #earlier: Map<string, DeclaredTool> | undefined;
  /** What the last request was answered: names are only ever added to those called. */
  #lastWords:
    | { declared: readonly DeclaredTool[]; called: ReadonlySet<string>; size: number; words: ToolNames }
    | undefined;
  /** The last list that was read, if the host still has it. */
  #read: { list: WeakRef<object>; size: number; tools: readonly DeclaredTool[] | undefined } | undefined;

  constructor({ agent, tools, agents, profile }: AgentToolsOptions) {
    this.#profile = profile;
    this.#agents = agents;
    this.#listed =
      agent.definition?.tools ?? tools?.map((tool) => (typeof tool === "string" ? tool : tool.name));
    this.#kinds =
      tools === undefined
        ? NO_KINDS
        : new Map(tools.flatMap((tool) => (typeof tool === "string" ? [] : [[tool.name, tool.kind]])));
    this.#unasked =
      this.#listed === undefined ? sharedWords(UNASKED, { profile, agents }) : this.#ownWords(this.#listed);
  }

  wordsFor(request: Request | undefined, called: ReadonlySet<string>): ToolNames {
    const declared = this.#look(request);
    // A request without tools, such as one for a title, does not affect the others.
    if (declared !== undefined && declared.length > 0) this.#remember(declared);
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
    // A tool that takes text has no fields.
    const isText = typeof given === "string" && Object.keys(input).length === 0;
    return knownMeaning(this.#tool(name), isText ? undefined : input);
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

  #remember(declared: readonly DeclaredTool[]): void {
    const before = this.#latest;
    this.#latest = declared;
    if (before === undefined || before === declared) return;
    for (const tool of before) {
      if (this.#declared(tool.name) !== undefined) continue;
      this.#earlier ??= new Map();
      if (this.#earlier.size < MOST_KNOWN || this.#earlier.has(tool.name)) this.#earlier.set(tool.name, tool);
    }
  }

  #declared(name: string): DeclaredTool | undefined {
    return this.#latest === undefined ? undefined : toolIn(this.#latest, name);
  }

  #known(name: string): DeclaredTool | undefined {
    return this.#declared(name) ?? this.#earlier?.get(name);
  }

  #tool(name: string): DeclaredTool {
    return this.#known(name) ?? sharedTool({ name });
  }

  /** What the profile says of it. */
  #written(name: string): ToolMeaning | undefined {
    return writtenIn(this.#profile, name);
  }

  /** With what this session knows of the inputs. */
  #ownWords(names: readonly (string | DeclaredTool)[]): ToolNames {
    return withInputs(withAgents(createVocabulary(names, this.#profile?.names), this.#agents), (name) =>
      inputOfTool(this.#known(name), this.#written(name)),
    );
  }

  #wordsOf(declared: readonly DeclaredTool[], called: ReadonlySet<string>): ToolNames {
    const names = new Set(declared.map(({ name }) => name));
    const others = [...called].filter((name) => !names.has(name));
    // Tools that only this session has seen declared.
    if (others.some((name) => this.#known(name) !== undefined))
      return this.#ownWords([...declared, ...others]);
    const all =
      others.length === 0 ? declared : sharedTools([...declared, ...others.map((name) => ({ name }))]);
    return sharedWords(all, { profile: this.#profile, agents: this.#agents });
  }

  /** A list that was read before is not read again. */
  #look(request: Request | undefined): readonly DeclaredTool[] | undefined {
    if (request === undefined) return undefined;
    try {
      const { tools: list } = request.body as { tools?: unknown };
      const last = this.#read;
      if (Array.isArray(list) && last?.size === list.length && last.list.deref() === list) return last.tools;
      const declared = request.dialect.tools?.(request.body);
      const tools = declared && sharedTools(declared);
      this.#read = Array.isArray(list) ? { list: new WeakRef(list), size: list.length, tools } : undefined;
      return tools;
    } catch {
      // A getter or proxy of the host threw: the tools are unknown.
      return undefined;
    }
  }
}

function toolIn(tools: readonly DeclaredTool[], name: string): DeclaredTool | undefined {
  return tools.findLast((tool) => tool.name === name);
}

/** What the profile says of it. */
function writtenIn(profile: Profile | undefined, name: string): ToolMeaning | undefined {
  return profile === undefined ? undefined : meaningIn(profile, name);
}

function inputOfTool(
  tool: DeclaredTool | undefined,
  written: ToolMeaning | undefined,
): KnownInput | undefined {
  const meaning = tool?.fields === undefined ? written : (meaningOf(tool) ?? written);
  return meaning && { meaning, ...(tool?.fields === undefined ? {} : { fields: tool.fields }) };
}

// What is the same for all sessions with the same tools is kept with these.

interface Speaker {
  profile: Profile | undefined;
  agents: readonly string[] | undefined;
}

/** Nothing is known of the tools. */
const UNASKED: readonly DeclaredTool[] = [];

const vocabularies = new WeakMap<readonly DeclaredTool[], (Speaker & { words: ToolNames })[]>();
const SPEAKERS_MOST = 20;

/** `tools`: a shared list. */
function sharedWords(tools: readonly DeclaredTool[], { profile, agents }: Speaker): ToolNames {
  const made = vocabularies.get(tools) ?? [];
  const known = made.find((one) => one.profile === profile && isEqual(one.agents, agents));
  if (known !== undefined) return known.words;
  const names = createVocabulary(tools === UNASKED ? undefined : tools, profile?.names);
  const words = withInputs(withAgents(names, agents), (name) =>
    inputOfTool(toolIn(tools, name), writtenIn(profile, name)),
  );
  vocabularies.set(tools, [...made.slice(1 - SPEAKERS_MOST), { profile, agents, words }]);
  return words;
}

/** Of uses so far, by the fields of the input: a history has thousands that differ in values only. */
const meanings = new WeakMap<DeclaredTool, Map<string, ToolMeaning | undefined>>();
const FIELDS_MOST = 200;
// No real use has such fields; another one is looked at each time.
const LONGEST_KEY = 1000;

/** `tool`: a shared one. */
function knownMeaning(
  tool: DeclaredTool,
  input: Readonly<Record<string, unknown>> | undefined,
): ToolMeaning | undefined {
  const known = meanings.get(tool) ?? new Map<string, ToolMeaning | undefined>();
  meanings.set(tool, known);
  const key = JSON.stringify(input && Object.keys(input)) ?? "";
  if (known.has(key)) return known.get(key);
  const meaning = meaningOf(tool, input);
  if (known.size >= FIELDS_MOST) known.clear();
  if (key.length <= LONGEST_KEY) known.set(key, meaning);
  return meaning;
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
  return meaningAs(role, fields ?? [], tool.name);
}

function meaningAs(role: string, fields: readonly string[], name: string): ToolMeaning | undefined {
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
      // What others search may be no files.
      if (place === undefined && !rolesOf({ name }).includes(role)) return undefined;
      return { does: "search", path: place ?? "path" };
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
