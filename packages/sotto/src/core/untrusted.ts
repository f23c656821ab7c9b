// Makes content that others wrote safe to stand inside a reminder: nothing in it can be read as a reserved tag.
import type { Place } from "./untrusted-brackets.ts";
import { clean } from "./untrusted-clean.ts";
import { beginsSequence, type Resolved } from "./untrusted-cursor.ts";
import { decode } from "./untrusted-decode.ts";
import { besideEscapes } from "./untrusted-sequences.ts";
import { createTagFinder } from "./untrusted-tags.ts";

export interface Neutraliser {
  /** Readable text in which a forged tag begins with `[`; everything else that is ordinary stays as it is. */
  text(value: string): string;
  /** The same on one line and bounded, escaped for a double-quoted attribute. */
  attribute(value: string): string;
}

export const defaultReservedTags: readonly string[] = [
  "system-reminder",
  "system-notification",
  "new-diagnostics",
  "session-memory",
  "mcp-resource",
  "teammate-message",
  "background-remote-session-status",
  "task-notification",
  "environment_context",
  "user_instructions",
];

const longestAttribute = 1000;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** `reserved`: further names, such as tags that were configured earlier. */
export function createNeutraliser(options: { reserved?: readonly string[] } = {}): Neutraliser {
  const findTags = createTagFinder([...defaultReservedTags, ...(options.reserved ?? [])]);

  function text(value: string): string {
    const cleaned = clean(value);
    const resolved = decode(cleaned);
    const tags = tagsIn(cleaned, resolved);
    if (tags.length === 0) return cleaned;
    const visible = resolved.codes.some(beginsSequence) ? besideEscapes : "[";
    const parts: string[] = [];
    let copied = 0;
    for (const { start, end } of tags) {
      if (start < copied) continue;
      parts.push(cleaned.slice(copied, start), visible);
      copied = end;
    }
    parts.push(cleaned.slice(copied));
    return parts.join("");
  }

  function tagsIn(cleaned: string, resolved: Resolved): Place[] {
    const tags = findTags(cleaned, resolved);
    if (!resolved.ambiguous) return tags;
    const readings = [decode(cleaned, "plain"), decode(cleaned, "short")];
    return tags
      .concat(...readings.map((reading) => findTags(cleaned, reading)))
      .sort((a, b) => a.start - b.start || a.end - b.end);
  }

  function attribute(value: string): string {
    const line = text(value).replace(/[\n\r\t\u2028\u2029]+/g, " ");
    // Cutting can turn a longer name into a reserved one, hence the second look.
    return text(cut(line)).replace(/[&<>"]/g, (character) => escapes[character] ?? "");
  }

  return { text, attribute };
}

function cut(line: string): string {
  return line.length > longestAttribute ? `${line.slice(0, longestAttribute).toWellFormed()}…` : line;
}
