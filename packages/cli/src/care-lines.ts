// The commands that look after what is kept, as the caller sees them. Their code is loaded when they run.

import { type Command, Option } from "commander";
import { cwd, examples, json, type RunAction, store, whole } from "./commands/options.ts";

export function addStats(program: Command, running: RunAction): void {
  program
    .command("stats")
    .summary("the cost ledger: what reminders took and what they spared")
    .description(
      "The cost ledger: reminders and their tokens by type, session or day; how many were said again after compaction, how many were due and not repeated, and about how many tokens that spared. Tokens are the engine's own estimate.",
    )
    .option("--session <id>", "only this session (default: all of this directory)")
    .option("--all", "the sessions of every directory")
    .option("--since <when>", "only what is newer: 2026-11-01, 2026-11-01T08:30, 30m, 12h, 7d")
    .addOption(
      new Option("--by <what>", "what a row stands for").choices(["type", "session", "day"]).default("type"),
    )
    .addOption(store("where sessions are kept"))
    .addOption(json("{store, by, since?, rows, total}"))
    .addHelpText(
      "after",
      examples(
        "sotto stats",
        "sotto stats --all --by day --since 7d",
        "sotto stats --session build-7 --json",
      ),
    )
    .action(running(async () => (await import("./commands/stats.ts")).stats));
}

export function addStore(program: Command, running: RunAction): void {
  const care = program
    .command("store")
    .summary("care of the store: check, export, import, prune, purge")
    .description("Care of the store that keeps the sessions.")
    .helpCommand(false)
    .addHelpText(
      "after",
      examples(
        "sotto store check",
        "sotto store export build-7 --blobs --out build-7.jsonl",
        "sotto store prune --older-than 30 --dry-run",
      ),
    );
  addCheck(care, running);
  addExport(care, running);
  addImport(care, running);
  addPrune(care, running);
  addPurge(care, running);
}

export function addDoctor(program: Command, running: RunAction): void {
  program
    .command("doctor")
    .summary("whether everything Sotto needs is here and in order")
    .description(
      "Looks at Node, the store, optional packages, coding agents and their hooks, instruction files, ripgrep and the terminal. One line each: ok, a warning, or a problem, with what to do about it. Nothing is changed. Exit code 1 where there is a problem.",
    )
    .addOption(cwd())
    .addOption(store("the store to look at"))
    .addOption(json("{ok, findings: [{about, status, words, fix?}]}"))
    .addHelpText("after", examples("sotto doctor", "sotto doctor --cwd ~/work/app --json"))
    .action(running(async () => (await import("./doctor/doctor.ts")).doctor));
}

function addCheck(care: Command, running: RunAction): void {
  care
    .command("check")
    .summary("whether everything can be read back")
    .description(
      "Whether everything can be read back: the file itself, every entry, every kept content by its hash; what nobody refers to, and who uses a session right now. Nothing is changed. Exit code 1 where something is wrong.",
    )
    .addOption(store("the store to look at"))
    .addOption(json())
    .addHelpText("after", examples("sotto store check", "sotto store check --store /backup/sotto.db --json"))
    .action(running(async () => (await import("./commands/store-check.ts")).storeCheck));
}

function addExport(care: Command, running: RunAction): void {
  care
    .command("export")
    .summary("sessions as JSON Lines")
    .description(
      "Sessions as JSON Lines: a head, then for each session its line and its entries. The same store gives the same bytes.",
    )
    .argument("[session]", "its name; all of them where it is left out")
    .option("--blobs", "with the contents of files and images that the entries refer to")
    .option("--out <file>", "into a new file, for its owner only (default: stdout)")
    .addOption(store("where sessions are kept"))
    .addHelpText(
      "after",
      examples(
        "sotto store export build-7 --blobs --out build-7.jsonl",
        "sotto store export | gzip > all.jsonl.gz",
      ),
    )
    .action(running(async () => (await import("./commands/store-export.ts")).storeExport));
}

function addImport(care: Command, running: RunAction): void {
  care
    .command("import")
    .summary("sessions from an export")
    .description(
      "Sessions from an export. Every line is checked first; nothing is written unless all is right, and no session that is there is touched.",
    )
    .argument("<file>", "what `sotto store export` wrote; - for stdin")
    .option("--as <id>", "another name, where the export holds one session")
    .addOption(store("where they go"))
    .addOption(json("{store, sessions}"))
    .addHelpText(
      "after",
      examples(
        "sotto store import build-7.jsonl",
        "gunzip -c all.jsonl.gz | sotto store import - --store copy.db",
      ),
    )
    .action(running(async () => (await import("./commands/store-import.ts")).storeImport));
}

function addPrune(care: Command, running: RunAction): void {
  care
    .command("prune")
    .summary("remove old sessions and what nobody refers to")
    .description(
      "Removes old sessions with those of their sub-agents, their conversations and task outputs, and the contents that only they referred to. With both limits: what is too old, but never one of the last. A session in use is left alone.",
    )
    .option("--older-than <days>", "sessions nothing was written to for so many days", whole)
    .option("--keep-last <n>", "all but the last n sessions", whole)
    .option("--blobs", "contents that no session refers to")
    .option("--dry-run", "say what would be removed, and remove nothing")
    .addOption(store("where sessions are kept"))
    .addOption(json("{store, dryRun, sessions, inUse, blobs, bytes}"))
    .addHelpText(
      "after",
      examples("sotto store prune --older-than 30 --dry-run", "sotto store prune --keep-last 20 --blobs"),
    )
    .action(running(async () => (await import("./commands/store-prune.ts")).storePrune));
}

function addPurge(care: Command, running: RunAction): void {
  care
    .command("purge")
    .summary("remove a session, or all of them, for good")
    .description(
      "Removes a session with those of its sub-agents, its conversation and task outputs, and the contents that only it referred to; then rewrites the store's file, so that their bytes are gone. Asks first.",
    )
    .argument("[session]", "its name")
    .option("--all", "every session and every content")
    .option("--yes", "do not ask")
    .option("--force", "also what is in use")
    .addOption(store("where sessions are kept"))
    .addOption(json("{store, sessions, inUse, blobs, bytes}"))
    .addHelpText("after", examples("sotto store purge build-7", "sotto store purge --all --yes"))
    .action(running(async () => (await import("./commands/store-purge.ts")).storePurge));
}
