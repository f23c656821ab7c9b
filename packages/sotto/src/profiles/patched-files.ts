// The files of a patch in the form that begins with `*** Begin Patch`.

const LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gmu;

export interface PatchedFile {
  path: string;
  removed: boolean;
}

export function patchedFiles(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  for (const [, what, name = ""] of patch.matchAll(LINE)) {
    const path = name.trim();
    if (path === "") continue;
    // What is moved stood under the name before.
    const before = what === "Move to" ? files.at(-1) : undefined;
    if (before !== undefined) before.removed = true;
    files.push({ path, removed: what === "Delete File" });
  }
  return files;
}
