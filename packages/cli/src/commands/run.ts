// The reference agent as the caller sees it: options, help, examples.

import { type Command, Option } from "commander";
import { cwd, deny, examples, type RunAction, repeated, store, whole } from "./options.ts";

export function addRun(program: Command, running: RunAction): void {
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
    .option(
      "--resume [session]",
      "go on with a session of a real model; the latest in this directory where it is left out",
    )
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
      repeated(
        "--allow <command or tool>",
        "commands that begin like this, or a tool by its name, need no question; may be repeated",
      ),
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
        "ANTHROPIC_API_KEY=… sotto run --model anthropic/claude-sonnet-5-5",
        "sotto run --model compatible/qwen3 --base-url http://127.0.0.1:11434/v1",
        "sotto run --resume",
      ),
    )
    .action(running(async () => (await import("../run/run.ts")).run));
}

const RUN = `A coding agent in this directory, with everything Sotto tells it.

The model comes from --model provider/name: anthropic or anthropic-messages, openai or openai-responses, openai-chat,
google or gemini, or compatible with --base-url. Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or
GOOGLE_GENERATIVE_AI_API_KEY, SOTTO_API_KEY; addresses: ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL,
SOTTO_BASE_URL. Without any of them a built-in rehearsal runs: a script on this machine in the place of a model, in a
temporary directory; it cannot be resumed. Commands that change things ask first. At the prompt, Tab completes /commands
and @paths, and /help lists what else there is; at the end it says how to resume, unless it was a rehearsal.`;
