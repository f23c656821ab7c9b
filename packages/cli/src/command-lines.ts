// The commands as the caller sees them: options, help, examples. Their code is loaded when they run.

import { type Command, Option } from "commander";
import { cwd, deny, examples, json, type RunAction, repeated, store, whole } from "./commands/options.ts";

const LATEST_HERE = "the latest of this directory; `sotto sessions` lists them";
const LATEST = `its name (default: ${LATEST_HERE})`;

export function addSend(program: Command, running: RunAction): void {
  program
    .command("send")
    .summary("a message into the mailbox of an agent")
    .description(
      "Puts a message into the mailbox of an agent, which hears it with its next call. It is safe on disk when this command ends with 0; the same --id again is the same message.",
    )
    .argument("<to>", "team/agent, as the agent was started with --mailbox")
    .argument("[text]", "the message; from stdin where it is left out")
    .option("--from <name>", "who it is from (default: user)")
    .option("--id <id>", "for sending again what may have been sent")
    .option("--mailbox <dir>", "the root of all mailboxes (default: .sotto/mail)")
    .addOption(cwd())
    .addOption(json("{id}"))
    .addHelpText(
      "after",
      examples(
        'sotto send parsers/grace "The tests are green." --from ci',
        "make 2>&1 | sotto send parsers/grace",
      ),
    )
    .action(running(async () => (await import("./commands/send.ts")).send));
}

export function addMemory(program: Command, running: RunAction): void {
  program
    .command("memory")
    .summary("which instruction files and rules speak about a path, and why")
    .description(
      "Which instruction files and rules speak about a path: what reading it brings, in order, each with its reason; what did not load, and why; what is to be mended. Several paths are read one after the other in one session. Nothing is written.",
    )
    .argument("[path...]", "files, there or yet to be written; without them: what loads at session start")
    .addOption(cwd())
    .addOption(deny())
    .option("--managed-dir <dir>", "system-wide rules")
    .option("--allow-external-imports", "project files may import from outside the project")
    .addOption(json("{loaded, skipped, problems}, paths absolute"))
    .addHelpText(
      "after",
      examples(
        "sotto memory",
        "sotto memory src/ui/Button.tsx",
        "sotto memory --cwd ~/work/app src/a.ts src/b.py --json | jq -r '.loaded[].path'",
      ),
    )
    .action(running(async () => (await import("./commands/memory.ts")).memory));
}

export function addMentions(program: Command, running: RunAction): void {
  program
    .command("mentions")
    .summary("what a prompt mentions with @, and what of it is there")
    .description(
      "What a prompt mentions with @: files with line ranges, directories, MCP resources, agents; and what is not there, and why. Reads the prompt from stdin where it is not given.",
    )
    .argument("[prompt...]", "the prompt")
    .addOption(cwd())
    .addOption(deny())
    .addOption(repeated("--mcp-server <name>", "an MCP server there is; may be repeated"))
    .addOption(repeated("--agent <type>", "an agent there is; may be repeated"))
    .addOption(json("{files, directories, mcp, agents, unresolved}, paths absolute"))
    .addHelpText(
      "after",
      examples(
        "sotto mentions 'Compare @src/a.ts#L10-20 with @docs'",
        "sotto mentions --mcp-server github --agent reviewer --json < prompt.txt",
      ),
    )
    .action(running(async () => (await import("./commands/mentions.ts")).mentions));
}

export function addCatalog(program: Command, running: RunAction): void {
  program
    .command("catalog")
    .summary("every type of reminder: when it speaks and how to switch it")
    .description("Every type of reminder: who gets it, when it speaks, how often, and how to switch it.")
    .addOption(json().conflicts("markdown"))
    .option("--markdown", "as a document, with examples as the model reads them")
    .addHelpText("after", examples("sotto catalog", "sotto catalog --json | jq -r '.[].type'"))
    .action(running(async () => (await import("./commands/catalog.ts")).catalog));
}

export function addExplain(program: Command, running: RunAction): void {
  program
    .command("explain")
    .summary("what was said in a session, what was not, and why")
    .description(
      "What was said in a session, what nearly was, and why not: the last turn in full, a line for each earlier one. Types that had nothing to say are one line. With --type, that type through all turns.",
    )
    .argument("[session]", LATEST)
    .option("--turn <n>", "this turn in full", whole)
    .option("--all", "with every type that had nothing to say, and why")
    .option("--type <type>", "only what became of this type of reminder")
    .option("--text", "with the text of what was said")
    .addOption(store("where the session is kept"))
    .addOption(json("all turns, with texts"))
    .addHelpText(
      "after",
      examples(
        "sotto explain",
        "sotto explain build-7 --turn 3 --text",
        "sotto explain --all",
        "sotto explain --type nested_memory",
      ),
    )
    .action(running(async () => (await import("./commands/explain.ts")).explainSession));
}

export function addLog(program: Command, running: RunAction): void {
  program
    .command("log")
    .summary("a session's log, followed and filtered")
    .description("The entries of a session's log, oldest first, one line each. Long ones are folded.")
    .argument("[session]", LATEST)
    .addOption(
      new Option("--kind <kind>", "only entries of this kind").choices(["event", "delivery", "turn"]),
    )
    .option("--type <type>", "only events of this type, or what became of this type of reminder")
    .option("--since <when>", "only what is newer: 2026-11-01, 2026-11-01T08:30, 30m, 12h, 7d")
    .option("--turn <n>", "only what led to this turn, the turn, and what became of what it said", whole)
    .option("--limit <n>", "only the last n", whole)
    .option(
      "-f, --follow",
      "go on with what is added, until Ctrl-C; without a name also with sessions that begin in this directory",
    )
    .option("--full", "fold nothing")
    .addOption(store("where the session is kept"))
    .addOption(json("the entries as they are kept, one a line"))
    .addHelpText(
      "after",
      examples(
        "sotto log --limit 20",
        "sotto log --follow",
        "sotto log build-7 --kind delivery --follow",
        "sotto log --type plan_mode --since 2h --json",
      ),
    )
    .action(running(async () => (await import("./commands/log.ts")).log));
}

export function addSessions(program: Command, running: RunAction): void {
  program
    .command("sessions")
    .summary("which sessions there are")
    .description(
      "The sessions of this directory, the latest first: name, when it was used last, how many turns it had, and what it was about. Nothing is written.",
    )
    .option("--all", "those of every directory, and sub-agents")
    .addOption(store("where sessions are kept"))
    .addOption(json("[{id, directory, firstAt, lastAt, entries, turns, about}]"))
    .addHelpText(
      "after",
      examples("sotto sessions", "sotto sessions --all", "sotto sessions --json | jq -r '.[0].id'"),
    )
    .action(running(async () => (await import("./commands/sessions.ts")).sessions));
}

export function addTrust(program: Command, running: RunAction): void {
  program
    .command("trust")
    .summary("allow what a project's files would run or say with authority")
    .description(
      "Shows all that a project asks for: keys of its config that are held back, reminders and templates, agents that bring a reminder, and in full every command that its hooks, MCP servers and language servers would run. Asks, and remembers each by its content and that of the project's files its commands name: a change of any of them asks again. Sessions that begin afterwards go by it.",
    )
    .argument("[dir]", "the project (default: this directory)")
    .option("-y, --yes", "trust all that is shown, without a question")
    .option("--list", "only show")
    .option("--revoke", "trust nothing of this project any more")
    .addOption(json("{root, items, trusted}; asks nothing"))
    .addHelpText("after", examples("sotto trust", "sotto trust ~/work/app --list", "sotto trust --revoke"))
    .action(running(async () => (await import("./commands/trust.ts")).trust));
}

export function addMute(program: Command, running: RunAction): void {
  const command = (name: string, summary: string, description: string) =>
    program
      .command(name)
      .summary(summary)
      .description(description)
      .option("--session <id>", `the session (default: ${LATEST_HERE})`)
      .addOption(store("where the session is kept"))
      .addOption(json());
  command(
    "mute",
    "switch a type of reminder off while an agent runs",
    "Switches a type of reminder, a generator or an alias off in a session, also one that runs: its next turn goes by it, in whatever process it is.",
  )
    .argument("[type]", "as in config; `sotto catalog` lists them")
    .option("--list", "what is muted")
    .option("--undo", "as config says again, the same as sotto unmute")
    .addHelpText(
      "after",
      examples("sotto mute todo_reminder", "sotto mute --list", "sotto mute plan_mode --undo"),
    )
    .action(running(async () => (await import("./commands/mute.ts")).muteCommand));
  command("unmute", "take a mute back", "Takes a mute back: what config says of the type holds again.")
    .argument("<type>", "as it was muted")
    .addHelpText("after", examples("sotto unmute todo_reminder"))
    .action(running(async () => (await import("./commands/mute.ts")).unmuteCommand));
}

export function addDemo(program: Command, running: RunAction): void {
  program
    .command("demo")
    .summary("a short scripted session through the real engine; no key, no network")
    .description(
      "A rehearsal: a short scripted session through the real engine, with real files, processes and HTTP, against a scripted model on this machine: three reminders in full, and the same conversation without them. Needs no key and no network. On a terminal it leaves time to read; any key goes on.",
    )
    .option("--show-reminders", "all reminders in full")
    .option("--fast", "without time to read; the same where the output is no terminal")
    .option("--keep", "leave the log in place, to look at with explain and log")
    .addOption(json("only the measurements, at the end"))
    .addHelpText("after", examples("sotto demo", "sotto demo --fast", "sotto demo --show-reminders | less"))
    .action(running(async () => (await import("./demo/demo.ts")).demo));
}
