// Files that are whole or not there, whatever happens meanwhile.

import { open } from "node:fs/promises";

/** A new file: rejects where there is one of that name. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Not every system lets a directory be synced; where it does not, the rename is all there is. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close().catch(() => undefined);
}
