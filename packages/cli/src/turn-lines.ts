// The command for a single turn as the caller sees it: options, what goes in and comes out, examples.

import type { Command } from "commander";
import { examples, json, type RunAction, store } from "./commands/options.ts";

export function addTurn(program: Command, running: RunAction): void {
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
    .option("--schema", "print the JSON Schema of what goes in and comes out, and end")
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
       profile     whose requests these are, e.g. claude-code: its tool calls become events
       preset      whom it is for: coding (as a rule) or assistant, which leaves out files, instructions and todos
  out  attachments, reminders, trace,
       request     the same request with the reminders in place
       problems    config files that could not be taken, where there are any

Nothing is recorded unless all of the input is right.`;
