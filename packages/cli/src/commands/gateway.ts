// `sotto gateway` as the caller sees it; the gateway is loaded when it runs.

import { Option } from "commander";
import { LOG_LEVELS } from "../gateway/log-levels.ts";
import type { GatewayCommand } from "../gateway/run-gateway.ts";
import { type Define, examples, json, repeatable, store, wholeNumber } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(GATEWAY)
    .option("--port <n>", "port to listen on; 0 takes a free one (default: 4747)", port)
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .addOption(repeatable("--upstream <name=url>", "where requests under /name/ go; repeatable"))
    .addOption(repeatable("--workspace <dir>", "a directory whose files the gateway may look at; repeatable"))
    .addOption(store())
    .option("--workers <n>", "processes that share the port (default: 1)", wholeNumber)
    .option("--inspect", "print a line for every request")
    .addOption(
      new Option(
        "--log-level <level>",
        "what is logged on stderr (default: info with --json or --inspect, else warn)",
      ).choices(LOG_LEVELS),
    )
    .option("--record-conversation", "keep what clients send in the store, for `sotto log --requests`")
    .addOption(json("one line when it listens, and the log as lines of JSON on stderr"))
    .addHelpText(
      "after",
      examples(
        "sotto gateway",
        "ANTHROPIC_BASE_URL=http://127.0.0.1:4747/anthropic claude",
        "OPENAI_BASE_URL=http://127.0.0.1:4747/openai/v1 python agent.py",
        "sotto gateway --workspace . --inspect",
        "sotto gateway --upstream local=http://127.0.0.1:11434 --port 0 --json",
      ),
    )
    .action(
      action(async (options: GatewayCommand) =>
        (await import("../gateway/run-gateway.ts")).runGateway(options),
      ),
    );

const GATEWAY = `Adds reminders to the requests of agents whose code you cannot change: an HTTP
proxy in front of the providers' APIs. Give the agent another base URL:

  http://127.0.0.1:4747/anthropic    → https://api.anthropic.com
  http://127.0.0.1:4747/openai/v1    → https://api.openai.com/v1
  http://127.0.0.1:4747/gemini       → https://generativelanguage.googleapis.com

Everything else passes untouched; so does a request when anything goes wrong.
Keys go through and are never stored or logged. The config table [gateway] has
more upstreams, tokens and TLS. SIGHUP reads it again, Ctrl-C and SIGTERM let
answers end first.`;

function port(text: string): number {
  return text === "0" ? 0 : wholeNumber(text);
}
