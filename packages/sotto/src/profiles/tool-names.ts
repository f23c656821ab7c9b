// What agents call the tools that reminders and the gate know, by our own name for each. Written without case, dashes
// and underscores: `read_file`, `readFile` and `ReadFile` are one name. The usual one first.

/** What a tool does to the world. */
export type ToolKind = "read" | "write" | "run";

/** What a host says of a tool. */
export interface ToolDescription {
  name: string;
  kind: ToolKind;
}

interface NamedTool {
  kind: ToolKind;
  /** Sure by themselves. */
  names: string;
  /** Sure only where the fields of its input are known, and fit. */
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
  /** Removes a file: no reminder names it, and plan mode does not let it through. */
  Delete: { kind: "run", names: "deletefile removefile filedelete", common: "delete remove" },
};

/** One tool that does what its `command` says: `view` reads, all else writes. */
export const EDITORS = new Set(["strreplaceeditor", "strreplacebasededittool"]);
/** A patch in the form that begins with `*** Begin Patch`, or one operation on a file. */
export const PATCHERS = new Set(["applypatch", "patch"]);

// Tools of an MCP server are its own matter, unless the server is about this machine's files and commands.
const LOCAL_SERVER =
  /^(?:fs|file-?system|files?|workspace|local|shell|terminal|bash|desktop-?commander|developer|acp|todos?)$/iu;

export interface PlainName {
  /** Without case, dashes and underscores. */
  name: string;
  /** Whose it is, where it bears a server's name. */
  server?: string;
  /** Its server has to do with what is here, or it has none. */
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
