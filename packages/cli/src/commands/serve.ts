// The command for hosts in other languages, as the caller sees it. Its code is loaded when it runs.

import type { Command } from "commander";
import { examples, type RunAction } from "./options.ts";

export function addServe(program: Command, running: RunAction): void {
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
    .action(running(async () => (await import("../serve/server.ts")).serve));
}

const SERVE = `Sessions for a host in another language: JSON-RPC 2.0, one message a line.

  initialize        what this server is: version, methods, dialects, events
  session/open      {"id"?, "cwd"?, "store"?, "config"?, …} gives {"session"};
                    with an id it is kept on disk, as with sotto turn --session
  session/record    {"session", "event" or "events"}; needs no answer
  turn              {"session", "body" or "messages"?, "dialect"?, …} gives
                    {"turn", "request", "reminders", "trace", …}
  turn/commit       {"turn"}: the model answered
  turn/abandon      {"turn"}: the call failed, what was said stays due
  session/…         subagent, fork, beforeWrite, allows, mode, todos,
                    withoutReminders, reset, close
  shutdown          everything is closed, then it ends

Answers may come in any order. It ends with stdin, on SIGTERM and on Ctrl-C,
when what runs is done. \`sotto turn --schema\` prints the JSON Schema of it all.`;
