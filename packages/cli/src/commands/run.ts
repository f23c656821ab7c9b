// `sotto run` as the caller sees it; the agent is loaded when it runs.

import { Option } from "commander";
import type { RunCommand } from "../run/run.ts";
import { cwd, type Define, deny, examples, repeatable, store, wholeNumber } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(RUN)
    .option("-p, --print [prompt]", "answer one prompt (and what is piped in), then exit")
    .addOption(
      new Option("--output-format <format>", "with -p: format of the answer").choices([
        "text",
        "json",
        "stream-json",
      ]),
    )
    .option("--model <provider/name>", "the model (default: by the keys that are set, else the rehearsal)")
    .option("--base-url <url>", "address of the provider, or of a server that speaks its protocol")
    .option("--window <tokens>", "context window of the model (default: by its name)", wholeNumber)
    .option("--scenario <file>", "rehearse this scenario instead")
    .option("--resume [session]", "continue a session with a real model (default: the latest here)")
    .option("--fork <session[@turn]>", "start a new session from the end of another, or of one of its turns")
    .addOption(
      new Option("--permission-mode <mode>", "what the agent may do without asking (default: ask)").choices([
        "ask",
        "auto-edit",
        "all",
      ]),
    )
    .addOption(
      repeatable(
        "--allow <command or tool>",
        "run commands with this prefix, or this tool, without asking; repeatable",
      ),
    )
    .addOption(repeatable("--add-dir <dir>", "another directory to work in; repeatable"))
    .addOption(deny())
    .addOption(repeatable("--mcp-config <file>", "MCP servers to start, as in .mcp.json; repeatable"))
    .option("--check <command>", "run this after changes and report new problems to the agent")
    .option("--memory-file <file>", "a text the agent always has; sent again when it changes")
    .option("--remote <command>", "a command that passes a prompt on stdin to an agent elsewhere")
    .option("--no-ide", "do not connect to the editor that has this directory open")
    .option("--style <name>", "output style: default, explanatory, learning, or your own")
    .option("--no-notes", "keep no summary of this session for later ones in this directory")
    .option("--max-turns <n>", "limit on model calls per prompt", wholeNumber)
    .option("--mailbox <team/agent>", "its address in a team, to receive and send messages")
    .option("--team <name>", "lead this team: start team mates and share work with them")
    .option("--delegate", "with --team: start in delegate mode, where team mates do the work")
    .addOption(new Option("--mate-of <session>", "started by that lead, ends with it").hideHelp())
    .addOption(new Option("--agent-type <type>", "with --mate-of: the agent type").hideHelp())
    .option("--show-reminders", "show every reminder in full")
    .addOption(cwd())
    .addOption(store())
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
    .action(action(async (options: RunCommand) => (await import("../run/run.ts")).run(options)));

const RUN = `Runs a coding agent in this directory, with all of Sotto's reminders.

Choose a model with --model provider/name:

  anthropic    or anthropic-messages: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
  openai       or openai-responses: OPENAI_API_KEY, OPENAI_BASE_URL
  openai-chat  the same, with the older API
  google       or gemini: GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY,
               GOOGLE_GEMINI_BASE_URL
  compatible   any server with OpenAI's API: --base-url or SOTTO_BASE_URL,
               SOTTO_API_KEY

Without a key, a built-in rehearsal runs: a script plays the model, in a
temporary directory; it cannot be resumed. Commands that change things ask
first. At the prompt, Tab completes /commands and @paths, and /help lists all
commands. On exit it prints how to resume.`;
