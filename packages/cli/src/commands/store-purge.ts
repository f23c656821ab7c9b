// `sotto store purge`: permanently removes a session, or all of them.

import type { SessionSummary } from "sotto/extend";
import { count, type ExitCode, failed, printable, usageError } from "sotto-agent/terminal";
import { removeCalls } from "../agent-hooks/waiting-calls.ts";
import { canAsk, confirm } from "../input/confirm.ts";
import { createProgress, interruptible } from "../output/long-work.ts";
import { note, writeJson, writeLine } from "../output/write.ts";
import { pickSession } from "../sessions/find-session.ts";
import { openExistingStore, storePlace } from "../sessions/open-store.ts";
import { eraseRemovedBytes, removeSessions, sessionTrees } from "../sessions/remove-sessions.ts";
import { type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Removes a session with its sub-agents, conversation, task outputs and the blobs that only it uses, then rewrites the store's file so that the removed bytes are gone. Asks first.",
    )
    .argument("[session]", "session name")
    .option("--all", "remove every session and every blob")
    .option("--yes", "do not ask")
    .option("--force", "remove sessions in use as well")
    .addOption(store())
    .addOption(json("{store, sessions, inUse, blobs, bytes}"))
    .addHelpText("after", examples("sotto store purge build-7", "sotto store purge --all --yes"))
    .action(action(storePurge));

export interface StorePurgeCommand {
  session?: string;
  all?: boolean;
  yes?: boolean;
  force?: boolean;
  store?: string;
  json?: boolean;
}

async function storePurge(command: StorePurgeCommand): Promise<ExitCode> {
  const { session, all = false, yes = false, force = false } = command;
  if ((session === undefined) !== all) throw usageError("pass a session name or --all");
  const { store, where } = await openExistingStore(command.store);
  const progress = createProgress();
  try {
    const sessions = await store.sessions();
    const chosen =
      session === undefined ? sessions : treeOf(pickSession(sessions, { id: session, where }), sessions);
    if (!yes && !canAsk())
      throw usageError("stdin is not a terminal, so nothing can be confirmed: use --yes", "not_confirmed");
    if (!yes && !(await confirm(question(chosen, where)))) {
      note("nothing was removed");
      return 1;
    }
    const removed = await interruptible((interruption) =>
      removeSessions({ store, all: sessions, chosen, progress, interruption, force, orphans: all }),
    );
    removeCalls(storePlace(command.store), all ? undefined : new Set(chosen.map(({ id }) => id)));
    progress.end();
    const isErased = await eraseRemovedBytes(store, where);
    const { inUse } = removed;
    if (command.json) await writeJson({ store: where, ...removed });
    else
      await writeLine(
        `${count(removed.sessions.length, "session")} and ${count(removed.blobs, "blob")} removed.`,
      );
    if (inUse.length > 0)
      throw failed(
        `${inUse.map((one) => `session ${printable(one.session)} is in use by ${one.owners.join(", ")}`).join("; ")}: stop it first, or use --force`,
        "in_use",
      );
    return isErased ? 0 : 1;
  } finally {
    progress.end();
    await store.close();
  }
}

function treeOf(session: SessionSummary, sessions: readonly SessionSummary[]): SessionSummary[] {
  return sessionTrees(sessions).find(({ root }) => root.id === session.id)?.members ?? [session];
}

function question(chosen: readonly SessionSummary[], where: string): string {
  const entries = chosen.reduce((sum, one) => sum + one.entries, 0);
  const first = chosen.slice(0, 5).map(({ id }) => printable(id));
  const names = chosen.length > 5 ? `${first.join(", ")} and ${chosen.length - 5} more` : first.join(", ");
  return `Permanently remove ${count(chosen.length, "session")} (${names}) with ${count(entries, "entry", "entries")} from ${where}?`;
}
