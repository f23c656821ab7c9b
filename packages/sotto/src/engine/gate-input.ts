// What a call is about to do, by all of its input: commands that only read, and every file it may write. A field that
// nobody knows counts against it.

import type { Commanding, ToolMeaning } from "../profiles/profile.ts";
import { commandOnlyReads, wordsOnlyRead } from "../platform/shell/reading-commands.ts";
import { inputOf, patchesOf } from "../profiles/tool-events.ts";
import { DIRECTORY, PATH, PATHS, plain } from "../facts/tool-fields.ts";

// Beside its commands: what they are for, where they run, how long. None of these makes them another command.
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

// A host that joins the words for a shell would have it act on these.
const SHELL_SIGN = /^[;&|<>]|[;&|<>]$|^\d?[<>]|[`\n\r]|\$[({]/u;

/** A text for the shell, or the words of one command, which may be a shell with its text. */
function onlyReads(command: unknown): boolean {
  if (typeof command === "string") return commandOnlyReads(command);
  if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return false;
  const [program = "", flag = "", script, ...more] = command as string[];
  if (/^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/u.test(program) && /^-l?c$/u.test(flag))
    return script !== undefined && more.length === 0 && commandOnlyReads(script);
  if ((command as string[]).some((word) => SHELL_SIGN.test(word))) return false;
  return wordsOnlyRead((command as string[]).map((text) => ({ text })));
}

// Whatever a tool is for: with one of these in its input it does something.
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
// As whoever applies patches may read them: more freely than we do.
const PATCH_LINE = /^.*\*\*\*.*$/gmu;
const PLAIN_LINE =
  /^\*\*\* (?:Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File: \S.*|Move to: \S.*)$/u;

/** Every file that a call may write; none where that cannot be told for sure. */
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
    // In a form that nobody here reads it may name any file.
    if (patched.length === 0 && texts.length > 0) return [];
    paths.push(...patched);
  }
  const isSure = values <= MOST_VALUES && !(isElsewhere && paths.some((path) => !path.startsWith("/")));
  return isSure ? paths : [];
}

function isPlainPatch(text: string): boolean {
  const lines = text.match(PATCH_LINE) ?? [];
  return lines.every((line) => PLAIN_LINE.test(line));
}
