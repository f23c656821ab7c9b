// A prompt has two authors: the user types words, and others write text that comes with them or alone, such as a piped
// log or what one agent asks of another. Such text is data: its tags are neutralised, and its mentions attach only what
// the agent may read without asking.

import { mentionsIn } from "sotto/inspect";
import { neutralise } from "./untrusted-text.ts";

export interface Prompt {
  /** What the user typed; may mention any file. */
  typed: string;
  /** What the user did not type. */
  given: string;
}

/** The mentions in a text that the user did not type, written so that they can be added to typed words. */
export type GivenMentions = (text: string) => Promise<string>;

export interface GivenMentionsOptions {
  cwd: string;
  home: string;
  extraDirectories: readonly string[];
  denyRead: readonly string[];
}

// At the end of a name these read as a range of lines, of another file.
const LIKE_A_RANGE = /(?:#L|:)\d+(?:-\d*)?$/u;

/** The words of a prompt as the model gets them. */
export function promptText(prompt: string | Prompt): string {
  if (typeof prompt === "string") return prompt;
  return [prompt.typed, neutralise(prompt.given)].filter((part) => part.trim() !== "").join("\n\n");
}

export function createGivenMentions(options: GivenMentionsOptions): GivenMentions {
  const { cwd, home, extraDirectories, denyRead } = options;
  return async (text) => {
    if (!text.includes("@")) return "";
    const permissions = { denyRead, within: [cwd, ...extraDirectories] };
    const { files, directories } = await mentionsIn({ prompt: text, cwd, home, permissions });
    return [
      ...files.map(({ path, lineStart, lineEnd }) => written(path, lineStart, lineEnd)),
      ...directories.map((path) => written(path)),
    ]
      .filter((mention) => mention !== "")
      .join(" ");
  };
}

function written(path: string, start?: number, end = start): string {
  if (/["\r\n]/u.test(path)) return "";
  if (start !== undefined) return `@"${path}":${start}-${end}`;
  return LIKE_A_RANGE.test(path) ? "" : `@"${path}"`;
}
