// What a tool is, from its name, input fields and description: our names for it, and what it does to the world.

import type { DeclaredTool } from "../dialects/dialect.ts";
import { COMMAND, DIRECTORY, LIST, PATCH, PATH, PATHS, pick, SEARCH } from "../facts/tool-inputs.ts";

/** Our names for a tool, as reminders use them; empty if nobody knows what it does. */
export function rolesOf(tool: DeclaredTool): readonly string[] {
  const { name, isLocal } = plainName(tool.name);
  const { fields } = tool;
  if (!isLocal) return [];
  if (EDITORS.has(name)) return ["Read", "Edit", "Write"];
  if (PATCHERS.has(name)) return fits("Patch", fields) ? ["Edit", "Write"] : [];
  const role = namedRole(name, fields) ?? describedAs(tool);
  return role !== undefined && fits(role, fields) ? [role] : [];
}

/** How usual its name is for a role: of two tools that do the same, reminders name the lower one. */
export function rankOf(tool: DeclaredTool, role: string): number {
  if (tool.name === role) return -1;
  const { name, server } = plainName(tool.name);
  const at = (TOOL_NAMES[role]?.names ?? "").split(" ").indexOf(name);
  return (at < 0 ? 100 : at) + (server === undefined ? 0 : 1000);
}

/** If in doubt, it may change things. */
export function kindOf(tool: DeclaredTool): ToolKind {
  const [role] = rolesOf(tool);
  const { name } = plainName(tool.name);
  if (role === undefined) return saysItReads(tool) ? "read" : "run";
  return EDITORS.has(name) || PATCHERS.has(name) ? "write" : (TOOL_NAMES[role]?.kind ?? "run");
}

/** Whether its commands can be parsed. */
export function runsPosixCommands(tool: DeclaredTool): boolean {
  return rolesOf(tool).includes("Bash") && !isForWindows(tool);
}

/** Fields of which a tool must have one, if its fields are known. */
const NEEDS: Readonly<Record<string, string>> = {
  Read: `${PATH} ${PATHS}`,
  NotebookRead: PATH,
  Write: PATH,
  Edit: PATH,
  NotebookEdit: PATH,
  Delete: PATH,
  Patch: `${PATCH} path type operation`,
  Bash: `${COMMAND} commands`,
  Glob: `${SEARCH} ${PATH} ${DIRECTORY}`,
  Grep: `${SEARCH} ${PATH} ${DIRECTORY}`,
  WebFetch: "url urls prompt",
  WebSearch: "query queries q searchterm",
  TodoWrite: `${LIST} content text markdown operation`,
  Task: "prompt message instructions task query agentname",
  AskUserQuestion: "question questions prompt message text",
};
// With one of these it does more than fetch a page.
const SENDS = "method body data payload";

function fits(role: string, fields: readonly string[] | undefined): boolean {
  const needs = Object.hasOwn(NEEDS, role) ? NEEDS[role] : undefined;
  if (fields === undefined || needs === undefined) return true;
  return pick(fields, needs) !== undefined && !(role === "WebFetch" && pick(fields, SENDS) !== undefined);
}

function namedRole(name: string, fields: readonly string[] | undefined): string | undefined {
  const isOf = (names: string | undefined) => names?.split(" ").includes(name) ?? false;
  const found = Object.entries(TOOL_NAMES).find(
    ([, { names, common }]) => isOf(names) || (fields !== undefined && isOf(common)),
  );
  return found?.[0];
}

// What agents call the tools that reminders and the gate know, by our name for each. Without case, dashes and underscores:
// `read_file`, `readFile` and `ReadFile` are one name. The usual one comes first.

/** What a tool does to the world. */
export type ToolKind = "read" | "write" | "run";

/** A host's description of a tool. */
export interface ToolDescription {
  /** As the model calls it. */
  name: string;
  /** What it does to the world: in doubt, `run`. */
  kind: ToolKind;
}

interface NamedTool {
  kind: ToolKind;
  /** Certain by themselves. */
  names: string;
  /** Certain only if the fields of its input are known, and match. */
  common?: string;
}

export const TOOL_NAMES: Readonly<Record<string, NamedTool>> = {
  Read: {
    kind: "read",
    names:
      "read readfile viewfile openfile catfile getfilecontents readtextfile filereader readfiles readmanyfiles readmultiplefiles view cat",
    common: "open getfile loadfile file",
  },
  NotebookRead: { kind: "read", names: "notebookread readnotebook" },
  Write: {
    kind: "write",
    names: "write writefile createfile writetofile savefile filewrite createnewfile",
    common: "create save",
  },
  Edit: {
    kind: "write",
    names:
      "edit editfile strreplace replaceinfile searchreplace searchandreplace multiedit fileedit replacestringinfile inserteditintofile editexistingfile replace",
    common: "insert modifyfile update editor patchfile",
  },
  NotebookEdit: { kind: "write", names: "notebookedit editnotebook editnotebookfile" },
  Bash: {
    kind: "run",
    names:
      "bash shell runcommand executecommand execcommand runshellcommand shellcommand runterminalcmd runinterminal localshell runterminalcommand terminal executebash shellexec runbash containerexec runcommands runshell executeshell executeshellcommand sh",
    common: "exec execute command run cmd",
  },
  BashOutput: { kind: "read", names: "bashoutput getterminaloutput shelloutput readterminal commandstatus" },
  TaskOutput: { kind: "read", names: "taskoutput gettaskoutput" },
  AgentOutputTool: { kind: "read", names: "agentoutputtool agentoutput" },
  Glob: {
    kind: "read",
    names: "glob findfiles findfile findbyname fileglobsearch filesearch",
    common: "find",
  },
  Grep: {
    kind: "read",
    names:
      "grep greps grepsearch searchfiles searchfilecontent searchcode codesearch grepfiles ripgrep rg searchintext codebasesearch",
    common: "search",
  },
  LS: {
    kind: "read",
    names: "ls listdir listdirectory listfiles readdir directorytree tree",
    common: "list",
  },
  WebFetch: {
    kind: "read",
    names: "webfetch fetchurl readurl fetchwebpage urlfetch webfetcher",
    common: "fetch",
  },
  WebSearch: { kind: "read", names: "websearch googlewebsearch searchweb googlesearch" },
  TodoWrite: {
    kind: "read",
    names:
      "todowrite updateplan writetodos todoupdate updatetodos managetodolist settodolist updatetodolist todolist",
    common: "todo todos plan",
  },
  TodoRead: { kind: "read", names: "todoread readtodos listtodos" },
  Task: {
    kind: "read",
    names: "task spawnagent invokeagent runsubagent subagent launchagent dispatchagent delegate newtask",
    common: "agent",
  },
  Skill: { kind: "read", names: "skill useskill activateskill" },
  AskUserQuestion: {
    kind: "read",
    names:
      "askuserquestion askuser askfollowupquestion requestuserinput askquestion askhuman askclarification",
    common: "question ask",
  },
  EnterPlanMode: { kind: "read", names: "enterplanmode planenter" },
  ExitPlanMode: { kind: "read", names: "exitplanmode planexit planmoderespond" },
  CollabRead: { kind: "read", names: "collabread" },
  /** Removes a file: no reminder names it, and plan mode does not permit it. */
  Delete: { kind: "run", names: "deletefile removefile filedelete", common: "delete remove" },
};

/** One tool whose `command` decides: `view` reads, everything else writes. */
export const EDITORS = new Set(["strreplaceeditor", "strreplacebasededittool"]);
/** A patch that starts with `*** Begin Patch`, or one operation on a file. */
export const PATCHERS = new Set(["applypatch", "patch"]);

// Tools of an MCP server are unknown, unless the server is about this machine's files and commands.
const LOCAL_SERVER =
  /^(?:fs|file-?system|files?|workspace|local|shell|terminal|bash|desktop-?commander|developer|acp|todos?)$/iu;

export interface PlainName {
  /** Without case, dashes and underscores. */
  name: string;
  /** The server in its name, if any. */
  server?: string;
  /** Its server works on this machine, or it has none. */
  isLocal: boolean;
}

/** `mcp__fs__read_file`, `developer__shell`, `functions.Read`. */
export function plainName(given: string): PlainName {
  const [, server, own = given] = /^(?:mcp__)?([^.]+?)__(.+)$/su.exec(given.slice(0, 200)) ?? [];
  const name = own
    .replace(/^functions\./u, "")
    .replaceAll(/[^a-zA-Z0-9]/gu, "")
    .toLowerCase();
  const bare =
    name.length > 4 && name.endsWith("tool") && name !== "strreplacebasededittool" ? name.slice(0, -4) : name;
  if (server === undefined) return { name: bare, isLocal: true };
  return { name: bare, server, isLocal: LOCAL_SERVER.test(server.replaceAll("_", "-")) };
}

// What a tool's description says, if its name is unknown. If in doubt, nothing: a tool that may change things is refused.

const LONGEST = 4000;

// Both the name and the description must start with a word for reading.
const READING =
  /^(?:get|list|read|search|find|fetch|show|view|describe|look|lookup|count|retrieve|return|display|inspect|browse)(?:s|es|ing)?$/iu;
// Words for changing things, in any position.
const CHANGING =
  /\b(?:delet|remov|creat|writ(?!ten)|modif|edit|updat|insert|overwrit|install|execut|send|submit|upload|renam|approv|cancel|refund|reset|trigger|deploy|purchas|publish|append|invok|mutat|destroy|drop|truncat|kill|terminat|schedul|charg|transfer|assign|enabl|disabl|revok|grant|replac|mov(?:e|es|ing)\b|sav(?:e|es|ing)\b|push|commit|merg|appl(?:y|ies)|launch|spawn|restart|reboot|perform|runs?\b|running|starts?\b|stops?\b|adds?\b|adding|sets?\b|setting|chang|clear|clos(?:e|es|ing)\b|archiv|marks?\b|repl(?:y|ies)|respond|generat|upsert|allocat|lock|unlock|sync|import|side effect)/iu;
// Those that are also nouns, only in the position of a verb.
const AMBIGUOUS =
  /(?:^|[.;,:!?(]\s*|\b(?:and|or|then|to|can|will|may|also|it|which|that|by|\w+ly)\s+)(?:order|book|post|call|stor(?:e|ing)|record|log|build|report|mak(?:e|ing)|put|open|sign|buy|pay|reserve|draft|call)(?:s|es|ing)?\b/iu;

// What a description denies: "changes nothing", "does not modify any files", "without writing to disk".
const DO =
  "(?:change|modify|write|edit|update|alter|create|delete|remove|touch|mutate|execute|send|run|add|move)";
const DOES =
  "(?:changes|modifies|writes|edits|updates|alters|creates|deletes|removes|touches|mutates|executes|sends)";
const DOING =
  "(?:changing|modifying|writing|editing|updating|altering|creating|deleting|removing|touching|mutating|executing|sending|running)";
const ANY =
  "(?: to)?(?: it| anything| any \\w+| files?| data| state| disk| the (?:files?|file ?system|database|workspace|repository|project|disk))?";
const several = (verb: string) => `${verb}(?:(?:,? (?:or|and|nor) |, )${verb})*`;
const DENIALS = new RegExp(
  [
    `${DOES} nothing`,
    `(?:does not|doesn[’']t|do not|don[’']t|cannot|can[’']t|can not|will not|won[’']t|never) ${several(DO)}${ANY}`,
    `never ${several(DOES)}${ANY}`,
    `without ${several(DOING)}${ANY}`,
    "(?:makes? no changes|has no side effects|no side effects|without side effects)",
  ]
    .map((form) => `\\b${form}(?=\\s*(?:$|[.;,:!?)]|and\\b))`)
    .join("|"),
  "giu",
);
// What takes a denial back, at least in part.
const RESERVED =
  /\b(?:unless|until|except|but|only|if|when|while|other than|besides|however|although|though|by default|not\b.*\bwithout|without\b.*\bnot)\b/iu;

/** What it says it does, without what it says it does not do. A sentence with reservations is left unchanged. */
function withoutDenials(description: string): string {
  return description
    .split(/(?<=[.;!?\n])/u)
    .map((sentence) =>
      RESERVED.test(
        sentence.replaceAll(
          /\b(?:read[- ]only|only (?:read|list|get|search|show|view|return|look)(?:s|es|ing)?)\b/giu,
          "",
        ),
      )
        ? sentence
        : sentence.replaceAll(DENIALS, ""),
    )
    .join("");
}

/** Whether its name and its description agree that it only reads. */
export function saysItReads({ name, description = "" }: DeclaredTool): boolean {
  if (description === "" || description.length > LONGEST) return false;
  const words = wordsOf(name.replace(/^.*__/su, ""));
  const [first = ""] = /[a-z]+/iu.exec(description) ?? [];
  if (!READING.test(words[0] ?? "") || !READING.test(first)) return false;
  return ![words.join(" "), withoutDenials(description)].some(
    (text) => CHANGING.test(text) || AMBIGUOUS.test(text),
  );
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .split(/[^a-zA-Z0-9]+/u)
    .filter((word) => word !== "");
}

// How such tools are described, by our name for them; the input fields have to match as well.
const DESCRIBED: readonly (readonly [string, RegExp])[] = [
  [
    "Read",
    /^(?:reads?|opens?|views?|shows?|displays?|returns?|gets?)\b[^.]{0,80}\b(?:a|the|any|one) (?:\w+ )?file\b/iu,
  ],
  ["Write", /^(?:writes?|creates?|overwrites?|saves?)\b[^.]{0,80}\b(?:a|the|any|new) (?:\w+ )?file\b/iu],
  [
    "Edit",
    /^(?:edits?|modif(?:y|ies)|replaces?|changes?)\b[^.]{0,80}\b(?:a|the|any|existing) (?:\w+ )?file\b/iu,
  ],
  ["Bash", /^(?:runs?|executes?)\b[^.]{0,60}\b(?:shell|bash|terminal) (?:commands?|scripts?)\b/iu],
  [
    "TodoWrite",
    /^(?:updates?|writes?|creates? and manages?|manages?|replaces?)\b[^.]{0,60}\b(?:todo|to-do|task) list\b/iu,
  ],
];

/** The kind of tool that its description names, if any. */
export function describedAs({ description = "" }: DeclaredTool): string | undefined {
  const start = description.slice(0, 300).trimStart();
  const [role] = DESCRIBED.find(([, form]) => form.test(start)) ?? [];
  return role === "Read" && CHANGING.test(withoutDenials(start)) ? undefined : role;
}

/** Its commands are not for a POSIX shell, so they are not parsed as such. */
export function isForWindows({ name, description = "" }: DeclaredTool): boolean {
  return /powershell|pwsh|cmd\.exe|\bwindows\b/iu.test(`${name} ${description.slice(0, LONGEST)}`);
}
