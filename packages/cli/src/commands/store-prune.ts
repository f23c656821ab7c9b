// `sotto store prune`: removes old sessions and unused blobs.

import type { SessionSummary, Store } from "sotto/extend";
import { readLog } from "sotto/internal";
import {
  bytesWords,
  count,
  createStyle,
  type ExitCode,
  lineWidth,
  moment,
  printable,
  usageError,
} from "sotto-agent/terminal";
import { createProgress, interruptible } from "../output/long-work.ts";
import { table } from "../output/table.ts";
import { note, write, writeJson } from "../output/write.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import {
  eraseRemovedBytes,
  type RemovedSessions,
  removeSessions,
  type SessionTree,
  sessionTrees,
} from "../sessions/remove-sessions.ts";
import { type Define, examples, json, store, wholeNumber } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Removes old sessions with their sub-agents, conversations and task outputs, and the blobs (stored files and images) that only they use. With both limits, removes what is too old but always keeps the last n. Skips sessions in use.",
    )
    .option("--older-than <days>", "remove sessions without activity for this many days", wholeNumber)
    .option("--keep-last <n>", "remove all but the last n sessions", wholeNumber)
    .option("--blobs", "remove blobs that no session uses")
    .option("--dry-run", "show what would be removed, and remove nothing")
    .addOption(store())
    .addOption(json("{store, dryRun, sessions, inUse, blobs, bytes}"))
    .addHelpText(
      "after",
      examples("sotto store prune --older-than 30 --dry-run", "sotto store prune --keep-last 20 --blobs"),
    )
    .action(action(storePrune));

export interface StorePruneCommand {
  olderThan?: number;
  keepLast?: number;
  blobs?: boolean;
  dryRun?: boolean;
  store?: string;
  json?: boolean;
}

const DAY_MS = 86_400_000;
/** A blob is stored just before the entry that refers to it: after a write this recent, none counts as unused. */
const AT_WORK_MS = 60_000;

async function storePrune(command: StorePruneCommand): Promise<ExitCode> {
  const { olderThan, keepLast, blobs = false, dryRun = false } = command;
  if (olderThan === undefined && keepLast === undefined && !blobs)
    throw usageError("choose what to remove: --older-than DAYS, --keep-last N, --blobs");
  const { store, where } = await openExistingStore(command.store);
  const progress = createProgress();
  try {
    const all = await store.sessions();
    const now = Date.now();
    const old = pruned(sessionTrees(all), command, now);
    const chosen = old.flatMap(({ members }) => members);
    const why = blobs ? await whyBlobsStay(store, all, { chosen, now }) : undefined;
    if (why !== undefined) note(why);
    const removed = await interruptible((interruption) =>
      removeSessions({
        ...{ store, all, chosen, progress, interruption, dryRun },
        orphans: blobs && why === undefined,
      }),
    );
    progress.end();
    const isNothing = removed.sessions.length + removed.blobs === 0;
    // With --blobs it also finishes an earlier removal that could not erase its bytes.
    const isErased = dryRun || (isNothing && !blobs) || (await eraseRemovedBytes(store, where));
    if (command.json) await writeJson({ store: where, dryRun, ...removed });
    else await write(page(removed, { chosen, dryRun, where }));
    return isErased ? 0 : 1;
  } finally {
    progress.end();
    await store.close();
  }
}

/** With both limits: what is too old, except the last n. */
function pruned(
  all: readonly SessionTree[],
  { olderThan, keepLast }: StorePruneCommand,
  now: number,
): readonly SessionTree[] {
  if (olderThan === undefined && keepLast === undefined) return [];
  const before = olderThan === undefined ? Number.POSITIVE_INFINITY : now - olderThan * DAY_MS;
  return all.slice(keepLast ?? 0).filter(({ lastAt }) => Date.parse(lastAt) < before);
}

async function whyBlobsStay(
  store: Store,
  all: readonly SessionSummary[],
  { chosen, now }: { chosen: readonly SessionSummary[]; now: number },
): Promise<string | undefined> {
  const atWork = all.find(({ lastAt }) => now - Date.parse(lastAt) < AT_WORK_MS);
  if (atWork !== undefined)
    return `unused blobs are kept: session ${printable(atWork.id)} was written to within the last minute`;
  for (const { id } of all.filter((one) => !chosen.includes(one)))
    for await (const { damaged } of readLog(store, id))
      if (damaged.length > 0)
        return `unused blobs are kept: entry ${damaged[0]?.seq} of session ${printable(id)} cannot be read and may refer to some`;
  return undefined;
}

function page(
  { sessions, inUse, blobs, bytes }: RemovedSessions,
  { chosen, dryRun, where }: { chosen: readonly SessionSummary[]; dryRun: boolean; where: string },
): string {
  const style = createStyle();
  const verb = dryRun ? "Would remove" : "Removed";
  const rows = chosen
    .filter(({ id }) => sessions.includes(id))
    .map(({ id, entries, lastAt }) => [
      style.accent(printable(id)),
      count(entries, "entry", "entries"),
      `last ${moment(lastAt)}`,
    ]);
  const what = [
    ...(sessions.length > 0 ? [count(sessions.length, "session")] : []),
    ...(blobs > 0 ? [`${count(blobs, "blob")} (${bytesWords(bytes)})`] : []),
  ];
  const held = inUse.map(
    ({ session, owners }) =>
      `  ${style.warn(`skipped: ${printable(session)} is in use by ${owners.join(", ")}`)}`,
  );
  return `${[
    what.length === 0 ? "Nothing to remove." : style.bold(`${verb} ${what.join(" and ")}.`),
    ...(rows.length === 0 ? [] : [table(rows, { width: lineWidth(), indent: "  " })]),
    ...held,
    style.dim(`  ${where}`),
  ].join("\n")}\n`;
}
