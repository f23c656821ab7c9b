// A project directory that changes behind an agent's back, step by step.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSession, type Session, type SessionOptions, type Turn } from "sotto";

export interface FileWorld {
  root: string;
  at(path: string): string;
  write(path: string, content: string): void;
  remove(): void;
}

export function createFileWorld(): FileWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-files-")));
  const at = (path: string) => join(root, path);
  return {
    root,
    at,
    write(path, content) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A session in that directory, with a home that holds nothing. */
export function openIn(world: FileWorld, options: Partial<SessionOptions> = {}): Session {
  return createSession({
    cwd: world.root,
    home: join(world.root, ".home"),
    agent: { kind: "main" },
    trust: { user: true, pastSessions: true },
    ...options,
    config: { timeout_ms: 20_000, ...options.config },
  });
}

/** A turn with a prompt, answered. */
export async function ask(session: Session, userPrompt: string): Promise<Turn> {
  const turn = await session.turn({ userPrompt });
  await turn.commit();
  return turn;
}

/** What a turn said about changed files, by type, paths relative to the world. */
export function changesIn(turn: Turn, { root }: FileWorld): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { type, data } of turn.attachments) {
    const { filename } = data as { filename?: string };
    if (filename === undefined) continue;
    found[type] = [...(found[type] ?? []), filename.replace(`${root}/`, "")];
  }
  return found;
}

export interface ChangeStep {
  op: string;
  path?: string;
  content?: string;
  to?: string;
  target?: string;
  mode?: string;
  offset?: number;
  limit?: number;
  size?: number;
  keepMtime?: boolean;
  mtimeOffsetMs?: number;
}

/** One step that happens outside of any session; false where it is none. */
export function changeWorld(world: FileWorld, step: ChangeStep): boolean {
  const path = world.at(step.path ?? "");
  const before = existsSync(path) ? statSync(path) : undefined;
  switch (step.op) {
    case "setup":
    case "recreate":
      world.write(step.path ?? "", step.content ?? "");
      break;
    case "edit_outside":
      world.write(step.path ?? "", step.content ?? "");
      if (step.keepMtime && before !== undefined) utimesSync(path, before.atime, before.mtime);
      break;
    case "touch":
      break;
    case "append":
      appendFileSync(path, step.content ?? "");
      break;
    case "truncate":
      truncateSync(path, step.size ?? 0);
      break;
    case "chmod":
      chmodSync(path, Number.parseInt(step.mode ?? "644", 8));
      break;
    case "delete":
      rmSync(path, { recursive: true });
      break;
    case "rename_over":
      writeFileSync(`${path}.new`, step.content ?? "");
      renameSync(`${path}.new`, path);
      break;
    case "rename_away":
      renameSync(path, world.at(step.to ?? ""));
      break;
    case "symlink":
      rmSync(path, { force: true });
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(step.target ?? step.to ?? "", path);
      break;
    default:
      return false;
  }
  if (step.mtimeOffsetMs !== undefined || step.op === "touch") {
    const time = (before?.mtimeMs ?? Date.now()) + (step.mtimeOffsetMs ?? 0);
    utimesSync(path, time / 1000, time / 1000);
  }
  return true;
}
