// The command for hosts in other languages, as the caller sees it. Its code is loaded when it runs.

import type { Command } from "commander";
import { examples, type Running } from "./option-lines.ts";

export function addServe(program: Command, running: Running): void {
  program
    .command("serve")
    .summary("sessions for a host in another language: JSON-RPC on stdin and stdout")
    .description(SERVE)
    .requiredOption("--stdio", "on stdin and stdout, the one way there is")
    .addHelpText(
      "after",
      examples(
        "sotto serve --stdio",
        'echo \'{"jsonrpc":"2.0","id":1,"method":"initialize"}\' | sotto serve --stdio',
      ),
    )
    .action(running(async () => (await import("./commands/serve.ts")).serve));
}

const SERVE = `Sessions for a host in another language, for as long as it runs: JSON-RPC 2.0 on stdin and stdout, one message a line.

  initialize         what this server is: version, methods, dialects, events
  session/open       {"cwd", "id"?, "store"?, "agent"?, "config"?, …} gives {"session"}; with an id it is kept on disk
  session/record     {"session", "event" or "events"}, also as a notification
  turn               {"session", "body" or "messages"?, "dialect"?, "userPrompt"?} gives {"turn", "request", "reminders", …}
  turn/commit        {"turn"}: the model answered
  turn/abandon       {"turn"}: the call failed, what was said stays due
  session/subagent, session/fork, session/beforeWrite, session/allows, session/mode, session/todos,
  session/withoutReminders, session/reset, session/close, shutdown

Answers may come in any order. It ends when stdin ends, on shutdown, SIGTERM and Ctrl-C, when all that runs is done.
docs/guide/any-language.md has the whole protocol, \`sotto turn --schema\` prints its JSON Schema.`;
