// `sotto sessions`: lists sessions with their directory, turns and topic.

import { homedir } from "node:os";
import type { Entry, SessionSummary, Store } from "sotto/extend";
import { readLog, userDirectories } from "sotto/internal";
import { readConversation, transcriptFile } from "sotto-agent/session-data";
import type { ExitCode } from "sotto-agent/terminal";
import {
  count,
  createShortPaths,
  createStyle,
  cut,
  lineWidth,
  moment,
  printable,
} from "sotto-agent/terminal";
import { table } from "../output/table.ts";
import { write, writeJson, writeLine } from "../output/write.ts";
import {
  directoryOf,
  isOfDirectory,
  isSubagent,
  latestFirst,
  thisDirectory,
} from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Lists the sessions of this directory, latest first: name, last activity, number of turns and topic. Writes nothing.",
    )
    .option("--all", "include other directories and sub-agents")
    .addOption(store())
    .addOption(json("[{id, directory, firstAt, lastAt, entries, turns, about}]"))
    .addHelpText(
      "after",
      examples("sotto sessions", "sotto sessions --all", "sotto sessions --json | jq -r '.[0].id'"),
    )
    .action(action(sessions));

export interface SessionsCommand {
  all?: boolean;
  store?: string;
  json?: boolean;
}

interface ListedSession extends SessionSummary {
  directory?: string;
  turns: number;
  about: string;
}

const LONGEST_ABOUT = 200;

async function sessions(command: SessionsCommand): Promise<ExitCode> {
  const { store, where } = await openExistingStore(command.store);
  try {
    const all = await store.sessions();
    const listed: ListedSession[] = [];
    for (const one of latestFirst(all))
      if (command.all || (!isSubagent(one, all) && (await isOfDirectory(store, one.id, thisDirectory()))))
        listed.push(await describe(store, one));
    if (command.json) await writeJson(listed);
    else if (listed.length === 0) await writeLine(none(all.length, where));
    else await write(page(listed, command.all === true));
    return 0;
  } finally {
    await store.close();
  }
}

async function describe(store: Store, summary: SessionSummary): Promise<ListedSession> {
  const directory = await directoryOf(store, summary.id);
  const seen = { turns: 0, words: "", types: new Set<string>() };
  for await (const { entries } of readLog(store, summary.id)) for (const entry of entries) take(entry, seen);
  const about =
    (await firstPrompt(summary.id)) ??
    (seen.words || (seen.types.size === 0 ? "no reminders" : `reminders: ${[...seen.types].join(", ")}`));
  return {
    ...summary,
    ...(directory === undefined ? {} : { directory }),
    turns: seen.turns,
    about: cut(about, LONGEST_ABOUT),
  };
}

function take(entry: Entry, seen: { turns: number; words: string; types: Set<string> }): void {
  if (entry.kind === "turn") seen.turns = Math.max(seen.turns, entry.turn);
  else if (entry.kind === "delivery") {
    if (entry.state === "offered") seen.types.add(entry.type);
  } else if (entry.event.type === "session_ended") seen.words = entry.event.summary ?? seen.words;
  else if (entry.event.type === "prompt_queued" && typeof entry.event.prompt === "string")
    seen.words ||= entry.event.prompt;
}

/** The first prompt to the reference agent; other hosts do not share their conversations. */
async function firstPrompt(id: string): Promise<string | undefined> {
  const path = transcriptFile({ stateDirectory: userDirectories().stateDirectory }, id);
  return path === undefined ? undefined : (await readConversation(path))?.firstPrompt;
}

function page(listed: readonly ListedSession[], withDirectory: boolean): string {
  const style = createStyle();
  const width = lineWidth();
  const paths = createShortPaths({ cwd: "/", home: homedir() });
  const rows = listed.map(({ id, directory, lastAt, turns, about }) => [
    style.accent(printable(id)),
    moment(lastAt).slice(0, -3),
    count(turns, "turn"),
    ...(withDirectory ? [directory === undefined ? "?" : paths.path(directory)] : []),
    cut(about, ABOUT_WIDTH),
  ]);
  return `${table(rows, { width, right: [2] })}\n`;
}

const ABOUT_WIDTH = 80;

function none(others: number, where: string): string {
  if (others === 0) return `No sessions yet in ${where}.`;
  return `No sessions in this directory, ${thisDirectory()}; \`sotto sessions --all\` lists ${count(others, "session")} elsewhere.`;
}
