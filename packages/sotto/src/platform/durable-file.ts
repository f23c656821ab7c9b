// Writes files so that they are either complete or absent, even after a crash.

import { open } from "node:fs/promises";

/** Writes a new file; rejects if one of that name exists. */
export async function writeDurably(path: string, text: string, mode = 0o600): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    // Not when it is made: the umask would take some of it away.
    if (mode !== 0o600) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Does nothing on systems that cannot sync a directory. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close().catch(() => undefined);
}
