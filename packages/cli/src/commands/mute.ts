// `sotto mute`: turns a reminder type off, or on again, in a session that may be running.

import { mutedTypes, mute as muteType, unmute as unmuteType } from "sotto/inspect";
import { type ExitCode, printable, usageError } from "sotto-agent/terminal";
import { writeJson, writeLine } from "../output/write.ts";
import { withSession } from "../sessions/find-session.ts";
import { type Define, examples, json, SESSION, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Turns a reminder type off in a session, including one that is running in another process: it takes effect with the next turn.",
    )
    .argument("[type]", "reminder type, as in config; see `sotto catalog`")
    .option("--list", "list the muted types")
    .option("--undo", "the same as sotto unmute")
    .option("--session <id>", SESSION)
    .addOption(store())
    .addOption(json())
    .addHelpText(
      "after",
      examples("sotto mute todo_reminder", "sotto mute --list", "sotto mute plan_mode --undo"),
    )
    .action(action(mute));

export interface MuteCommand {
  type?: string;
  session?: string;
  store?: string;
  list?: boolean;
  undo?: boolean;
  json?: boolean;
}

export async function mute(command: MuteCommand): Promise<ExitCode> {
  const { type: name, list, undo } = command;
  if ((name === undefined) !== (list === true))
    throw usageError("pass a type, e.g. `sotto mute todo_reminder`, or --list");
  await withSession(command, async ({ store, summary: { id } }) => {
    const place = { store, session: id };
    if (name === undefined) return printList(id, await mutedTypes(place), command);
    const types = await (undo ? unmuteType : muteType)({ ...place, name });
    if (command.json) return writeJson({ session: id, [undo ? "unmuted" : "muted"]: types });
    if (types.length === 0) return writeLine(`${printable(name)} was not muted in ${printable(id)}.`);
    const names = types.map(printable).join(", ");
    return writeLine(
      undo
        ? `Unmuted in ${printable(id)}: ${names}. The config applies again.`
        : `Muted in ${printable(id)} from the next turn: ${names}. Undo with \`sotto unmute ${printable(name)}\`.`,
    );
  });
  return 0;
}

async function printList(session: string, muted: readonly string[], { json }: MuteCommand): Promise<void> {
  if (json) return writeJson({ session, muted });
  if (muted.length === 0) return writeLine(`Nothing is muted in ${printable(session)}.`);
  return writeLine(`Muted in ${printable(session)}: ${muted.map(printable).join(", ")}.`);
}
