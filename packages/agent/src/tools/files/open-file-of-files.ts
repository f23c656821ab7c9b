// Opens the file of a place for the agent, and nothing that would hang or flood it.

import { openRegular, type RegularFile, readHandle, UnsuitableFile } from "../../../../sotto/src/platform/regular-file.ts";
import type { Place } from "./open-file.ts";
import { fileProblem } from "./words.ts";

export async function openFile({ path, realPath, exists }: Place): Promise<RegularFile> {
  if (!exists) throw new Error(`${path} does not exist`);
  try {
    // The real path was asked for before: a link that stands there now was put there in between.
    return await openRegular(realPath, { noFollow: true });
  } catch (error) {
    if (!(error instanceof UnsuitableFile)) throw fileProblem(path, error);
    throw new Error(
      error.isDirectory
        ? `${path} is a directory: look into it with Glob, or with ls in Bash`
        : error.message.replace(realPath, () => path),
    );
  }
}

/** All of it, up to a limit. */
export async function readWhole(place: Place, most: number): Promise<Buffer> {
  const file = await openFile(place);
  try {
    return await readHandle(place.path, file, most);
  } finally {
    await file.handle.close();
  }
}
