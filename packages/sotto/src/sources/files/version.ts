// The version of a file: how it is known again, and whether its text is kept to compare with.

import type { FileVersion } from "../../core/events.ts";
import { absolutePath } from "../../core/path.ts";
import type { Desk } from "./desk.ts";
import type { ReadOutcome } from "./outcome.ts";

export interface Sighting {
  version: FileVersion;
  /** All of it, where it is kept. */
  text?: string;
}

// Larger than what the reader takes in whole, a text is known by its hash alone.
const KEPT_MOST = 2 * 1024 * 1024;
// Clocks of file systems tick slowly: what was written this shortly before it was read may change unseen.
const RACY_MS = 50;

/** What the model saw: what the host says it was, or what stands there now. Nothing where it may not be read. */
export async function sightOf(desk: Desk, path: string, given?: string): Promise<Sighting | undefined> {
  const outcome = await (await desk.reader()).read(path);
  const onDisk = sightingOf(outcome);
  if (given === undefined || outcome.kind === "secret" || outcome.kind === "denied") return onDisk;
  if (onDisk !== undefined && onDisk.text === undefined) return onDisk;
  const text = given.replace(/^\uFEFF/u, "");
  if (onDisk?.text === text) return onDisk;
  // Another content than the disk has by now: the next look finds the difference.
  if ((await desk.permissions()).isSecret(path)) return undefined;
  const realPath = onDisk?.version.realPath ?? absolutePath(path, desk.cwd);
  const hash = hashOf(text);
  return {
    version: { realPath, hash, kind: "text", ...(text.length > KEPT_MOST ? {} : { blob: hash }) },
    text,
  };
}

export function sightingOf(outcome: ReadOutcome): Sighting | undefined {
  if (outcome.kind !== "text" && outcome.kind !== "binary" && outcome.kind !== "secret") return undefined;
  const { realPath, stat, hash } = outcome;
  const version: FileVersion = {
    realPath,
    hash,
    kind:
      outcome.kind === "binary"
        ? outcome.mediaType?.startsWith("image/")
          ? "image"
          : "binary"
        : outcome.kind,
    stat,
    ...(isRacy(stat.ctimeMs) ? { racy: true } : {}),
  };
  if (outcome.kind !== "text" || outcome.truncated) return { version };
  const text = outcome.text.replace(/^\uFEFF/u, "");
  const blob = outcome.encoding === "utf-8" && !outcome.bom ? hash : hashOf(text);
  // Of bytes that are no text in any encoding known here, two may look alike: they are told apart by their own hash.
  return { version: { ...version, hash: outcome.encoding === "unknown" ? hash : blob, blob }, text };
}

export function hashOf(content: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}

function isRacy(ctimeMs: number): boolean {
  return Date.now() - ctimeMs < RACY_MS;
}
