// The gate: what a mode lets the agent do. Hosts ask before they run a tool, so plan and delegate mode are enforced.

import type { ModeFact } from "../facts/mode.ts";
import { DIRECTORY, PATH, PATHS, plain } from "../facts/tool-inputs.ts";
import { absolutePath } from "../platform/paths.ts";
import { argumentsOnlyRead, commandOnlyReads } from "../platform/shell/command-effects.ts";
import type { AgentTools } from "../profiles/agent-tools.ts";
import type { Commanding, ToolMeaning } from "../profiles/profile.ts";
import { chosen, inputOf, patchesOf } from "../profiles/tool-events.ts";

/** Whether the current mode allows a tool call, and why. */
export interface Permission {
  /** Whether the tool may be used. */
  allowed: boolean;
  /** Why, in one sentence that can be shown to the model. */
  reason: string;
}

// They change nothing themselves; they hand work to agents that may.
const DELEGATING = "Teammate SendMessage TaskCreate TaskList TaskUpdate CollabPost".split(" ");

export interface GateQuestion {
  mode: ModeFact;
  cwd: string;
  toolName: string;
  input: unknown;
  tools: Pick<AgentTools, "kind" | "meaning" | "runsPosixCommands">;
}

export function allows(question: GateQuestion): Permission {
  const { mode, toolName, input, tools } = question;
  if (mode.name !== "plan" && mode.name !== "delegate")
    return { allowed: true, reason: `mode ${mode.name} restricts no tool` };
  const kind = tools.kind(toolName);
  const meaning = chosen(tools.meaning(toolName, input), inputOf(input));
  if (kind === "read" || (kind === "write" && meaning?.does === "read"))
    return kind === "read" && asksForMore(input)
      ? {
          allowed: false,
          reason: `${mode.name} mode is on, and the input asks ${toolName} for more than reading`,
        }
      : { allowed: true, reason: `${toolName} changes nothing` };
  if (mode.name === "delegate") return delegates(toolName);
  if (kind === "write") return writesPlanFile(question, meaning);
  if (meaning?.does === "command" && tools.runsPosixCommands(toolName) && callOnlyReads(meaning, input))
    return { allowed: true, reason: "the command only reads" };
  return {
    allowed: false,
    reason: `plan mode is on: ${toolName} may change things, only reading tools and the plan file are allowed`,
  };
}

function delegates(toolName: string): Permission {
  if (DELEGATING.includes(toolName)) return { allowed: true, reason: `${toolName} hands work to the team` };
  return {
    allowed: false,
    reason: `delegate mode is on: ${toolName} may change things, which is for team mates to do; reading and handing out work is allowed`,
  };
}

function writesPlanFile({ mode, cwd, toolName, input }: GateQuestion, meaning?: ToolMeaning): Permission {
  const paths = writtenBy(input, meaning);
  const plan = mode.planFilePath;
  if (plan === undefined) return { allowed: false, reason: "plan mode is on, and no plan file is known" };
  if (paths.length === 0)
    return { allowed: false, reason: `plan mode is on, and ${toolName} does not say which file it writes` };
  const other = paths.find((path) => absolutePath(path, cwd) !== absolutePath(plan, cwd));
  if (other === undefined) return { allowed: true, reason: `${plan} is the plan file` };
  return {
    allowed: false,
    reason: `plan mode is on: only the plan file ${plan} may be written, not ${other}`,
  };
}

// What a call would do, by all of its input: commands that only read, and every file it may write. An unknown field
// counts against it.

// Fields beside the command that do not change what it does: its purpose, directory, time limit.
const HARMLESS = new Set(
  `description title explanation reason justification timeout timeoutms timeoutseconds yieldtimems maxoutputtokens
  maxoutputlength runinbackground isbackground background type requiresapproval ${DIRECTORY}`.split(/\s+/u),
);

export function callOnlyReads({ command, each = "" }: Commanding, given: unknown): boolean {
  const input = inputOf(given);
  const said = Object.keys(input).filter((field) => input[field] != null && input[field] !== false);
  const commands = said.filter((field) => field === command || field === each);
  if (commands.length !== 1) return false;
  if (!said.every((field) => commands.includes(field) || HARMLESS.has(plain(field)))) return false;
  const [field = ""] = commands;
  const value = input[field];
  const all = field === each ? value : [value];
  return Array.isArray(all) && all.length > 0 && all.every(onlyReads);
}

// If a host joins the words for a shell, the shell acts on these.
const SHELL_SIGN = /^[;&|<>]|[;&|<>]$|^\d?[<>]|[`\n\r]|\$[({]/u;

/** A shell script, or the words of one command, which may be a shell with its script. */
function onlyReads(command: unknown): boolean {
  if (typeof command === "string") return commandOnlyReads(command);
  if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return false;
  const [program = "", flag = "", script, ...more] = command as string[];
  if (/^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/u.test(program) && /^-l?c$/u.test(flag))
    return script !== undefined && more.length === 0 && commandOnlyReads(script);
  if ((command as string[]).some((word) => SHELL_SIGN.test(word))) return false;
  return argumentsOnlyRead((command as string[]).map((text) => ({ text })));
}

// A call with one of these fields changes something, whatever the tool is for.
const CHANGING = new Set(
  `delete remove purge destroy replace replacement replacewith inplace write overwrite newcontent newtext newstring
  content body command cmd script exec outputpath outputfile destination dest`.split(/\s+/u),
);
const READING_METHOD = /^(?:get|head|options)$/iu;

/** Whether a call of a tool that reads asks for more than that, by a field of its input. */
export function asksForMore(given: unknown): boolean {
  return Object.entries(inputOf(given)).some(([field, value]) => {
    if (value == null || value === false || value === "") return false;
    if (plain(field) === "method") return typeof value !== "string" || !READING_METHOD.test(value);
    return CHANGING.has(plain(field));
  });
}

const MOST_VALUES = 2000;
const NAMES = new Set(
  `${PATH} ${PATHS} newpath destination dest target targetpath topath newname outputpath outputfile`.split(
    " ",
  ),
);
const DIRECTORIES = new Set(DIRECTORY.split(" "));
// A program that applies patches may be less strict than we are.
const PATCH_LINE = /^.*\*\*\*.*$/gmu;
const PLAIN_LINE =
  /^\*\*\* (?:Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File: \S.*|Move to: \S.*)$/u;

/** Every file that a call may write; empty if that is uncertain. */
export function writtenBy(given: unknown, meaning: ToolMeaning | undefined): string[] {
  const input = inputOf(given, meaning);
  const paths: string[] = [];
  let values = 0;
  let isElsewhere = false;
  const visit = (value: unknown, name: string) => {
    if (++values > MOST_VALUES) return;
    if (typeof value === "string" && NAMES.has(name)) paths.push(value);
    if (typeof value === "string" && value !== "" && DIRECTORIES.has(name)) isElsewhere = true;
    if (Array.isArray(value)) for (const one of value) visit(one, name);
    else if (typeof value === "object" && value !== null)
      for (const [key, one] of Object.entries(value)) visit(one, plain(key));
  };
  visit(input, "");
  if (meaning?.does === "patch") {
    const patched = patchesOf(input, meaning).map(({ path }) => path);
    const texts = Object.entries(input).filter(
      ([key, value]) => typeof value === "string" && !NAMES.has(plain(key)),
    );
    const patches = texts.map(([, text]) => text as string).filter((text) => text.includes("***"));
    if (patches.length > 1 || !patches.every(isPlainPatch)) return [];
    // A patch in an unknown format may name any file.
    if (patched.length === 0 && texts.length > 0) return [];
    for (const path of patched) paths.push(path);
  }
  const isSure = values <= MOST_VALUES && !(isElsewhere && paths.some((path) => !path.startsWith("/")));
  return isSure ? paths : [];
}

function isPlainPatch(text: string): boolean {
  const lines = text.match(PATCH_LINE) ?? [];
  return lines.every((line) => PLAIN_LINE.test(line));
}
