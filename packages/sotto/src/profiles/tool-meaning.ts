// What the uses of a tool mean, without a profile: by what the tool is, and the fields of its input.

import type { DeclaredTool } from "../dialects/dialect.ts";
import { rolesOf } from "./known-tools.ts";
import type { Reading, ToolMeaning } from "./profile.ts";
import { COMMAND, DIRECTORY, LIST, PATCH, PATH, PATHS, pick, plain } from "../facts/tool-fields.ts";
import { EDITORS, PATCHERS, plainName } from "./tool-names.ts";

const CONTENTS = ["content", "step", "description", "title", "task", "text", "name"];

/** What its uses mean, or one use, whose input has the fields that the tool did not declare. */
export function meaningOf(
  tool: DeclaredTool,
  input?: Readonly<Record<string, unknown>>,
): ToolMeaning | undefined {
  const fields = tool.fields ?? (input === undefined ? undefined : Object.keys(input));
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
    case "Write":
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

// Other fields that ask for less than the whole.
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

/** As Anthropic's text editor has it, and what was made after it. */
function editing(fields: readonly string[]): ToolMeaning {
  const path = pick(fields, PATH) ?? "path";
  const write = { does: "write" as const, path };
  return {
    does: "choose",
    by: "command",
    of: {
      view: { does: "read", path, range: pick(fields, "viewrange") ?? "view_range" },
      create: write,
      str_replace: write,
      insert: write,
      undo_edit: write,
    },
  };
}
