// `sotto hook` as the caller sees it. The call itself never gets here: it must not fail, whatever is written behind it.

import { Argument, type Command } from "commander";
import { examples, type RunAction, store } from "./options.ts";

export function addHook(program: Command, running: RunAction): void {
  program
    .command("hook")
    .summary("one hook call of a coding agent, stdin to stdout")
    .description(
      "One hook call of a coding agent: reads its event as JSON on stdin, records what it tells, and answers with what the model should hear, in that agent's own format. It says nothing where there is nothing to say, and never fails the agent: with an event on stdin the exit code is always 0, what went wrong is in hook.log beside the store, and `sotto doctor` shows it.",
    )
    .addArgument(
      new Argument("<agent>", "whose event it is").choices([
        "claude-code",
        "codex",
        "gemini-cli",
        "qwen-code",
      ]),
    )
    .option("--debug", "tell on stderr what is done; as does SOTTO_HOOK_DEBUG=1")
    .addOption(store("where sessions are kept"))
    .addHelpText(
      "after",
      examples(
        "sotto hook codex --debug < event.json",
        `echo '{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"'"$PWD"'","prompt":"hi"}' | sotto hook claude-code`,
        "sotto explain claude-code/s1",
      ),
    )
    .action(
      running(async () => async ({ agent }: { agent: string }) => {
        const { hook } = await import("../hooks/hook.ts");
        return hook([agent]);
      }),
    );
}
