// What agents call the fields of their tools' inputs; written without case, dashes and underscores, the usual one first.

export const PATH =
  "filepath path absolutepath targetfile relativepath file filename notebookpath filepathabsolute";
export const PATHS = "paths files filepaths";
export const DIRECTORY =
  "workdir cwd workingdirectory dirpath directory dir directorypath relativeworkspacepath";
export const COMMAND = "command cmd commandline shellcommand script";
export const PATCH = "patch input patchtext command diff";
export const LIST = "todos plan items tasks todolist steps";
export const SEARCH = "pattern query regex glob searchterm includepattern";

/** As the tool spells it. */
export function pick(fields: readonly string[], candidates: string): string | undefined {
  for (const candidate of candidates.split(" ")) {
    const found = fields.find((field) => plain(field) === candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function plain(field: string): string {
  return field.replaceAll(/[^a-zA-Z0-9]/gu, "").toLowerCase();
}
