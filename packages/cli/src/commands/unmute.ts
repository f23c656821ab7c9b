// `sotto unmute`: undoes `sotto mute`.

import { type MuteCommand, mute } from "./mute.ts";
import { type Define, examples, json, SESSION, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description("Undoes a mute: the type follows the config again, from the next turn.")
    .argument("<type>", "reminder type, as it was muted")
    .option("--session <id>", SESSION)
    .addOption(store())
    .addOption(json())
    .addHelpText("after", examples("sotto unmute todo_reminder"))
    .action(action((options: MuteCommand) => mute({ ...options, undo: true })));
