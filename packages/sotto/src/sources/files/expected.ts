// Whether the model knows what became of a file: its own command has said so, and that is what stands there.

import { commandLeaves } from "./command-leaves.ts";
import type { FileVersion } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { TurnInfo } from "../source.ts";
import type { OnlyCommand } from "./who-changed.ts";
import { textOf } from "./describe-change.ts";
import type { Desk } from "./file-access.ts";
import type { Sighting } from "./version.ts";

interface Change {
  command: OnlyCommand;
  key: string;
  path: string;
  /** What the model has seen; absent where it knows that the file is not there. */
  before: FileVersion | undefined;
  /** Absent: it is gone. */
  sighting: Sighting | undefined;
}

export async function isExpected(
  { command, key, path, before, sighting }: Change,
  { turn, desk }: { turn: TurnInfo; desk: Desk },
): Promise<boolean> {
  const isFile = (named: string) => [key, path].includes(absolutePath(named, desk.cwd));
  const { name, directory } = command.work;
  const leaves = commandLeaves({ command: name, directory }, isFile);
  if (leaves === undefined) return false;
  // A text shows by itself that the command ran; that nothing is there does not.
  if (sighting === undefined) return leaves.text === undefined && command.isSure;
  // Of a file of which only the first lines were shown nobody knows the rest.
  if (leaves.text === undefined || sighting.text === undefined || before?.shownLines !== undefined)
    return false;
  if (!leaves.appends) return sighting.text === leaves.text;
  const old = before === undefined ? "" : await textOf(before, turn);
  return old !== undefined && sighting.text === old + leaves.text;
}
