// Removed bytes made unreadable; where someone else is in the way, that is said.

import { SottoError, type Store } from "sotto";
import { note } from "../output/write.ts";

/** False where they may still stand in the store's files. */
export async function shred(store: Store, where: string): Promise<boolean> {
  try {
    await store.shred();
    return true;
  } catch (error) {
    if (!(error instanceof SottoError) || (error.code !== "store_locked" && error.code !== "store_full"))
      throw error;
    const why = error.code === "store_locked" ? "another process has the store open" : "the disk is full";
    note(
      `it is removed, but ${why}: bytes of it may still stand in the files of ${where}. \`sotto store prune --blobs\` clears them later`,
    );
    return false;
  }
}
