// The files and messages of editor companions, validated and bounded: anything unexpected is ignored.

import * as v from "valibot";

/** The file that says how to reach a companion. */
export interface CompanionFile {
  port: number;
  workspacePath: string;
  token: string;
  ideName: string;
}

/** What the user has open in the editor. */
export interface EditorContext {
  /** Absent if nothing is open. */
  path?: string;
  selectedText?: string;
  /** From 1, as in the protocol. */
  cursor?: { line: number; character: number };
  /** Why it is ignored. */
  why?: string;
}

const fileSchema = v.object({
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
  workspacePath: v.string(),
  authToken: v.pipe(v.string(), v.nonEmpty()),
  ideInfo: v.optional(v.object({ name: v.optional(v.string()), displayName: v.optional(v.string()) }), {}),
});

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

const LONGEST_NAME = 100;
// More than is ever shown of a selection, or kept in the log.
const LONGEST_SELECTION = 20_001;
const MOST_FILES = 100;

export function readCompanionFile(value: unknown): CompanionFile | undefined {
  const file = v.safeParse(fileSchema, value);
  if (!file.success) return undefined;
  const { port, workspacePath, authToken, ideInfo } = file.output;
  const ideName = (ideInfo.displayName || ideInfo.name || "the IDE").slice(0, LONGEST_NAME).toWellFormed();
  return { port, workspacePath, token: authToken, ideName };
}

/** From the parameters of `ide/contextUpdate`. */
export function readContext(params: unknown): EditorContext {
  const context = v.safeParse(contextSchema, params);
  if (!context.success) return { why: "the editor's message cannot be read" };
  const { openFiles = [], isTrusted } = context.output.workspaceState ?? {};
  if (isTrusted === false) return { why: "the workspace is not trusted in the editor" };
  const active = openFiles
    .slice(0, MOST_FILES)
    .map((file) => v.safeParse(openFile, file))
    .find((file) => file.success && file.output.isActive === true);
  if (active === undefined || !active.success) return {};
  const { path, cursor, selectedText = "" } = active.output;
  return {
    path,
    ...(cursor === undefined ? {} : { cursor }),
    ...(selectedText.trim() === ""
      ? {}
      : { selectedText: selectedText.slice(0, LONGEST_SELECTION).toWellFormed() }),
  };
}
