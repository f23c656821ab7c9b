// `sotto demo` as the caller sees it; the demo itself is in demo/.

import type { DemoCommand } from "../demo/demo.ts";
import { type Define, examples, json } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Runs a short scripted session through the real engine, with real files, processes and HTTP, against a scripted model on this machine. Shows three reminders in full, and the same conversation without them. Needs no API key and no network. On a terminal it pauses for reading; any key continues.",
    )
    .option("--show-reminders", "show every reminder in full")
    .option("--fast", "do not pause (default when the output is not a terminal)")
    .option("--keep", "keep the log, for sotto explain and sotto log")
    .addOption(json("only the measurements"))
    .addHelpText("after", examples("sotto demo", "sotto demo --fast", "sotto demo --show-reminders | less"))
    .action(action(async (options: DemoCommand) => (await import("../demo/demo.ts")).demo(options)));
