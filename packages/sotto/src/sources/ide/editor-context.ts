// What an editor says about the user's place in it, checked and bounded: what is not as agreed counts as nothing.

import { isAbsolute } from "node:path";
import * as v from "valibot";

export interface EditorContext {
  /** Absent where nothing is open. */
  path?: string;
  selectedText?: string;
  /** From 1, as the protocol counts. */
  cursor?: { line: number; character: number };
  /** Why nothing is taken from it. */
  why?: string;
}

const position = v.pipe(v.number(), v.integer(), v.minValue(1));
const openFile = v.object({
  path: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096)),
  isActive: v.optional(v.boolean()),
  cursor: v.optional(v.object({ line: position, character: position })),
  selectedText: v.optional(v.string()),
});
const contextSchema = v.object({
  workspaceState: v.optional(
    v.object({
      openFiles: v.optional(v.array(v.unknown()), []),
      isTrusted: v.optional(v.boolean()),
    }),
  ),
});

// More than is ever shown of a selection, and than the log keeps.
const LONGEST_SELECTION = 20_001;
const MOST_FILES = 100;

export function readContext(params: unknown): EditorContext {
  const context = v.safeParse(contextSchema, params);
  if (!context.success) return { why: "what the editor says cannot be read" };
  const { openFiles = [], isTrusted } = context.output.workspaceState ?? {};
  if (isTrusted === false) return { why: "the workspace is not trusted in the editor" };
  const active = openFiles
    .slice(0, MOST_FILES)
    .map((file) => v.safeParse(openFile, file))
    .find((file) => file.success && file.output.isActive === true);
  if (active === undefined || !active.success || !isAbsolute(active.output.path)) return {};
  const { path, cursor, selectedText = "" } = active.output;
  return {
    path,
    ...(cursor === undefined ? {} : { cursor }),
    ...(selectedText.trim() === ""
      ? {}
      : { selectedText: selectedText.slice(0, LONGEST_SELECTION).toWellFormed() }),
  };
}
