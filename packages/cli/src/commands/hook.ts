// `sotto hook` as the caller sees it. Real hook calls do not get here: main.ts and bin/sotto.js start them directly.

import { Argument } from "commander";
import { agentNames } from "../init/hook-table.ts";
import { type Define, examples, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Handles one hook call of a coding agent: reads the event as JSON on stdin, records it, and prints the reminders for the model in that agent's format, if there are any. A hook call never fails the agent: the exit code is 0, and problems go to hook.log beside the store, where `sotto doctor` finds them.",
    )
    .addArgument(new Argument("<agent>", "the agent that calls").choices(agentNames))
    .option("--debug", "log to stderr what it does (or set SOTTO_HOOK_DEBUG=1)")
    .addOption(store())
    .addHelpText(
      "after",
      examples(
        "sotto hook codex --debug < event.json",
        `echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1",\n"cwd":"'"$PWD"'","prompt":"hi"}' | sotto hook claude-code`,
        "sotto explain claude-code/s1",
      ),
    )
    .action(
      action(async ({ agent }: { agent: string }) => (await import("../agent-hooks/hook.ts")).hook([agent])),
    );
