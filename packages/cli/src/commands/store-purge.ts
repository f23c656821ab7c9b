// `sotto store purge`: a session, or all of them, really gone.

import process from "node:process";
import { createInterface } from "node:readline/promises";
import type { SessionSummary } from "sotto/extend";
import { count, type ExitCode, failed, printable, wrongUse } from "sotto-agent/terminal";
import { createProgress, interruptible } from "../output/long-work.ts";
import { note, writeJson, writeLine } from "../output/write.ts";
import { pickSession } from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { removeSessions, sessionTrees, shred } from "../sessions/remove-sessions.ts";

export interface StorePurgeCommand {
  session?: string;
  all?: boolean;
  yes?: boolean;
  force?: boolean;
  store?: string;
  json?: boolean;
}

export async function storePurge(command: StorePurgeCommand): Promise<ExitCode> {
  const { session, all = false, yes = false, force = false } = command;
  if ((session === undefined) !== all) throw wrongUse("name a session, or say --all");
  const { store, where } = openExistingStore(command.store);
  const progress = createProgress();
  try {
    const sessions = await store.sessions();
    const chosen =
      session === undefined ? sessions : familyOf(pickSession(sessions, { id: session, where }), sessions);
    if (!yes && !(await isSure(chosen, where))) {
      note("nothing was removed");
      return 1;
    }
    const forgotten = await interruptible((interruption) =>
      removeSessions({ store, all: sessions, chosen, progress, interruption, force, orphans: all }),
    );
    progress.end();
    const isShredded = await shred(store, where);
    const { inUse } = forgotten;
    if (command.json) await writeJson({ store: where, ...forgotten });
    else
      await writeLine(
        `${count(forgotten.sessions.length, "session")} and ${count(forgotten.blobs, "content")} removed.`,
      );
    if (inUse.length > 0)
      throw failed(
        `${inUse.map((one) => `session ${printable(one.session)} is in use by ${one.owners.join(", ")}`).join("; ")}: end it first, or give --force`,
        "in_use",
      );
    return isShredded ? 0 : 1;
  } finally {
    progress.end();
    await store.close();
  }
}

function familyOf(session: SessionSummary, sessions: readonly SessionSummary[]): SessionSummary[] {
  return sessionTrees(sessions).find(({ root }) => root.id === session.id)?.members ?? [session];
}

async function isSure(chosen: readonly SessionSummary[], where: string): Promise<boolean> {
  if (process.stdin.isTTY !== true)
    throw wrongUse("nobody is here to be asked: give --yes to remove it for good", "not_confirmed");
  const entries = chosen.reduce((sum, one) => sum + one.entries, 0);
  const first = chosen.slice(0, 5).map(({ id }) => printable(id));
  const names = chosen.length > 5 ? `${first.join(", ")} and ${chosen.length - 5} more` : first.join(", ");
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(
      `Remove ${count(chosen.length, "session")} (${names}) with ${count(entries, "entry", "entries")} from ${where} for good? [y/N] `,
    );
    return /^y(?:es)?$/iu.test(answer.trim());
  } catch {
    // Ctrl-C or Ctrl-D at the question is a no.
    return false;
  } finally {
    asking.close();
  }
}
