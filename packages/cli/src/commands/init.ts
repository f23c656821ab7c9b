// `sotto init` as the caller sees it. Its code is loaded when it runs.

import type { Command } from "commander";
import { examples, json, type RunAction, repeated } from "./options.ts";

export function addInit(program: Command, running: RunAction): void {
  program
    .command("init")
    .summary("wire Sotto into the coding agents of a project")
    .description(
      "Looks at the project and this machine for coding agents (Claude Code, Codex, Gemini CLI, Qwen Code) and for libraries that talk to models. Shows what it would change in each agent's settings as a diff, asks, and writes what you agree to; for libraries it prints the lines to add. All else in a settings file stays as it is, to the byte.",
    )
    .argument("[dir]", "the project (default: this directory)")
    .addOption(repeated("--agent <name>", "only this agent, found or not; may be repeated"))
    .option("--user", "in your own settings, for all your projects")
    .option("--config", "also make a sotto.toml to begin with")
    .option("-y, --yes", "write without a question")
    .option("--dry-run", "only show")
    .option("--undo", "take back what init did, and nothing else")
    .addOption(json("the plan, and what was written; asks nothing, and writes only with --yes"))
    .addHelpText(
      "after",
      examples(
        "sotto init",
        "sotto init --agent claude-code --yes",
        "sotto init --user --dry-run",
        "sotto init --undo",
      ),
    )
    .action(running(async () => (await import("../init/init.ts")).init));
}
