// The commands as the caller sees them: options, help, examples. Their code is loaded when they run.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode } from "./failure.ts";

/** What a command does with its options. */
type Run = (options: never) => Promise<ExitCode>;
export type Running = (load: () => Promise<Run>) => (...given: unknown[]) => Promise<void>;

export function addRun(program: Command, running: Running): void {
  program
    .command("run")
    .summary("the reference agent: a coding agent in this directory")
    .description(RUN)
    .option("-p, --print [prompt]", "one shot: works on the prompt (and what is piped in), answers, ends")
    .addOption(
      new Option("--output-format <format>", "with -p: how to answer").choices([
        "text",
        "json",
        "stream-json",
      ]),
    )
    .option("--model <provider/name>", "which model (default: by the keys that are set, else the rehearsal)")
    .option("--base-url <url>", "where the provider is, or a server that speaks its protocol")
    .option("--window <tokens>", "how much the model takes (default: by its name)", whole)
    .option("--scenario <file>", "rehearse this scenario instead")
    .option("--resume [session]", "go on with a session; the latest in this directory where it is left out")
    .option(
      "--fork <session[@turn]>",
      "go on from a session, or from the end of one of its turns, in a new one",
    )
    .addOption(
      new Option("--permission-mode <mode>", "what is done without asking (default: ask)").choices([
        "ask",
        "auto-edit",
        "all",
      ]),
    )
    .addOption(
      repeated("--allow <command>", "commands that begin like this need no question; may be repeated"),
    )
    .addOption(repeated("--add-dir <dir>", "a directory besides this one to work in; may be repeated"))
    .addOption(deny())
    .addOption(
      repeated("--mcp-config <file>", "MCP servers to run, in a file like .mcp.json; may be repeated"),
    )
    .option("--check <command>", "run it when the agent has changed something; what it newly finds is told")
    .option("--memory-file <file>", "a text the agent has at hand all the time, told again when it changes")
    .option("--remote <command>", "a command that hands a prompt on its input to an agent elsewhere")
    .option("--no-ide", "do not listen to the editor that has this directory open")
    .option("--style <name>", "how it answers: default, explanatory, learning, or one of your own")
    .option("--no-notes", "keep no summary of this session for later ones in this directory")
    .option("--max-turns <n>", "model calls for one prompt at the most", whole)
    .option("--mailbox <team/agent>", "who it is in a team: it reads that mail, and can write to the others")
    .option(
      "--team <name>",
      "it leads this team, as its lead: it can start team mates and share work with them",
    )
    .option("--delegate", "with --team: begins in delegate mode, in which work goes to team mates")
    .addOption(new Option("--mate-of <session>", "started by that lead, ends with it").hideHelp())
    .addOption(new Option("--agent-type <type>", "with --mate-of: the kind of agent").hideHelp())
    .option("--show-reminders", "what the model is told, in full")
    .addOption(cwd())
    .addOption(store("where sessions are kept"))
    .addHelpText(
      "after",
      examples(
        "sotto run",
        'sotto run -p "Why does the build fail?" --output-format json',
        "ANTHROPIC_API_KEY=… sotto run --model anthropic/claude-sonnet-4-5",
        "sotto run --model compatible/qwen3 --base-url http://127.0.0.1:11434/v1",
        "sotto run --resume",
      ),
    )
    .action(running(async () => (await import("./commands/run.ts")).run));
}

export function addSend(program: Command, running: Running): void {
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

export function addTurn(program: Command, running: Running): void {
  program
    .command("turn")
    .summary("one turn: a request as JSON in, the same request with reminders out")
    .description(TURN)
    .addOption(json("the default; a failure is JSON on stdout as well").conflicts("pretty"))
    .option("--pretty", "for people: what is said, what is not, and why")
    .option("--session <id>", "keep state under this name; without it everything is in memory")
    .addOption(store("where sessions are kept"))
    .option("--commit", "what is said counts as said (default)")
    .option("--no-commit", "leave it open: it counts once a later request shows that the model answered")
    .addHelpText(
      "after",
      examples(
        'echo \'{"events":[{"type":"mode_changed","mode":"plan"}],"messages":[{"role":"user","content":"hi"}]}\' | sotto turn',
        "sotto turn --session build-7 < request.json",
        "sotto turn --session build-7 --store sqlite:/var/lib/agent/sotto.db < request.json",
      ),
    )
    .action(running(async () => (await import("./commands/turn.ts")).turn));
}

export function addMemory(program: Command, running: Running): void {
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

export function addMentions(program: Command, running: Running): void {
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

export function addCatalog(program: Command, running: Running): void {
  program
    .command("catalog")
    .summary("every type of reminder: when it speaks and how to switch it")
    .description("Every type of reminder: who gets it, when it speaks, how often, and how to switch it.")
    .addOption(json().conflicts("markdown"))
    .option("--markdown", "as a document, with examples as the model reads them")
    .addHelpText("after", examples("sotto catalog", "sotto catalog --json | jq -r '.[].type'"))
    .action(running(async () => (await import("./commands/catalog.ts")).catalog));
}

export function addExplain(program: Command, running: Running): void {
  program
    .command("explain")
    .summary("what was said in a session, what was not, and why")
    .description(
      "What was said in a session, what was not, and why: the last turn in full, a line for each earlier one. With --type, that type through all turns.",
    )
    .argument("[session]", "its name; the latest where it is left out")
    .option("--turn <n>", "this turn in full", whole)
    .option("--type <type>", "only what became of this type of reminder")
    .option("--text", "with the text of what was said")
    .addOption(store("where the session is kept"))
    .addOption(json("all turns, with texts"))
    .addHelpText(
      "after",
      examples(
        "sotto explain",
        "sotto explain build-7 --turn 3 --text",
        "sotto explain --type nested_memory",
      ),
    )
    .action(running(async () => (await import("./commands/explain.ts")).explainSession));
}

export function addLog(program: Command, running: Running): void {
  program
    .command("log")
    .summary("a session's log, followed and filtered")
    .description("The entries of a session's log, oldest first, one line each.")
    .argument("[session]", "its name; the latest where it is left out")
    .addOption(
      new Option("--kind <kind>", "only entries of this kind").choices(["event", "delivery", "turn"]),
    )
    .option("--type <type>", "only events of this type, or what became of this type of reminder")
    .option("--since <when>", "only what is newer: 2026-11-01, 2026-11-01T08:30, 30m, 12h, 7d")
    .option("--turn <n>", "only what led to this turn, the turn, and what became of what it said", whole)
    .option("--limit <n>", "only the last n", whole)
    .option("-f, --follow", "go on with what is added, until Ctrl-C")
    .addOption(store("where the session is kept"))
    .addOption(json("the entries as they are kept, one a line"))
    .addHelpText(
      "after",
      examples(
        "sotto log --limit 20",
        "sotto log build-7 --kind delivery --follow",
        "sotto log --type plan_mode --since 2h --json",
      ),
    )
    .action(running(async () => (await import("./commands/log.ts")).log));
}

export function addTrust(program: Command, running: Running): void {
  program
    .command("trust")
    .summary("allow what a project's files would run or say with authority")
    .description(
      "Shows what a project's files would run, or say with authority: keys of its config, templates, agents that bring a reminder. Asks, and remembers each by its content: a changed file asks again. Sessions that begin afterwards go by it.",
    )
    .argument("[dir]", "the project (default: this directory)")
    .option("-y, --yes", "trust all that is shown, without a question")
    .option("--list", "only show")
    .option("--revoke", "trust nothing of this project any more")
    .addOption(json("{root, items, trusted}; asks nothing"))
    .addHelpText("after", examples("sotto trust", "sotto trust ~/work/app --list", "sotto trust --revoke"))
    .action(running(async () => (await import("./commands/trust.ts")).trust));
}

export function addMute(program: Command, running: Running): void {
  const command = (name: string, summary: string, description: string) =>
    program
      .command(name)
      .summary(summary)
      .description(description)
      .option("--session <id>", "the session; the latest where it is left out")
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

export function addDemo(program: Command, running: Running): void {
  program
    .command("demo")
    .summary("a short scripted session through the real engine; no key, no network")
    .description(
      "A rehearsal: a short scripted session through the real engine, with real files, processes and HTTP, against a scripted model on this machine. Needs no key and no network.",
    )
    .option("--show-reminders", "the reminders in full")
    .option("--keep", "leave the log in place, to look at with explain and log")
    .addOption(json("only the measurements, at the end"))
    .addHelpText("after", examples("sotto demo", "sotto demo --show-reminders"))
    .action(running(async () => (await import("./commands/demo.ts")).demo));
}

export function json(also?: string): Option {
  return new Option("--json", also === undefined ? "as JSON" : `as JSON: ${also}`);
}

export function cwd(): Option {
  return new Option("--cwd <dir>", "the agent's directory, where relative paths begin (default: this one)");
}

function deny(): Option {
  return repeated("--deny <pattern>", "what the agent may not read, as in .gitignore; may be repeated");
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before: string[] = []) => [...before, value]);
}

export function store(what: string): Option {
  return new Option(
    "--store <url>",
    `${what}: a path, sqlite:PATH or memory: (default: sotto/sotto.db in the state directory)`,
  );
}

export function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}

const RUN = `A coding agent in this directory, with everything Sotto tells it.

The model comes from --model provider/name: anthropic, openai or openai-responses, openai-chat, google or gemini, or
compatible with --base-url. Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, SOTTO_API_KEY;
addresses: ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL, SOTTO_BASE_URL. Without any of them a built-in
rehearsal runs: a script on this machine in the place of a model. Commands that change things ask first. At the prompt,
/help lists what else there is.`;

const TURN = `One turn. Reads a JSON object from stdin and writes one to stdout.

  in   cwd         the agent's directory (default: this one)
       agent       {"kind": "main" or "sub", "type"?, "definition"?}
       messages    the conversation, or body: a whole request
       dialect     anthropic-messages (default), openai-chat, openai-responses or gemini
       events      what happened since the turn before, in order
       userPrompt  what the user typed, where this turn begins with it
       config      as in the [system_reminder] table
       tools       names of the tools the agent has
       permissions {"denyRead": [patterns]}: what the agent may not read
       home        the user's home directory (default: this user's)
  out  attachments, reminders, trace,
       request     the same request with the reminders in place
       problems    config files that could not be taken, where there are any

Nothing is recorded unless all of the input is right.`;
