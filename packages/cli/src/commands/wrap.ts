// `sotto wrap` as the caller sees it; the gateway is loaded when it runs.

import type { WrapCommand } from "../gateway/wrap.ts";
import { type Define, examples, repeatable, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(WRAP)
    .argument("<program...>", "the program and its arguments, behind --")
    .addOption(repeatable("--upstream <name=url>", "where requests under /name/ go; repeatable"))
    .option("--workspace <dir>", "the directory whose files it may look at (default: current directory)")
    .addOption(store())
    .option("--inspect", "print a line for every request, on stderr")
    .addHelpText(
      "after",
      examples(
        "sotto wrap -- claude",
        "sotto wrap -- codex exec 'Mend the parser.'",
        "sotto wrap -- gemini -p 'What is new?'",
        "sotto wrap --upstream openai=http://127.0.0.1:11434 -- python agent.py",
      ),
    )
    .action(action(async (options: WrapCommand) => (await import("../gateway/wrap.ts")).wrap(options)));

const WRAP = `Starts a gateway on a free port, runs a program with the base URLs of the
providers pointing to it, and ends with the program. Ctrl-C goes to the program;
its exit code is passed on.

Set for it: ANTHROPIC_BASE_URL, OPENAI_BASE_URL, OPENAI_API_BASE,
GOOGLE_GEMINI_BASE_URL and, for opencode, OPENCODE_CONFIG_CONTENT; codex gets
-c openai_base_url=…. Where one is set already, the gateway passes requests on
to that address; an address in your own OPENCODE_CONFIG_CONTENT stays, and goes
past the gateway.`;
