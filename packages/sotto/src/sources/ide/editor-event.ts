// From what an editor says to what is recorded: of a file that may not be shown no line, whoever selected it.

import { isAbsolute } from "node:path";
import type { EditorContext } from "./editor-protocol.ts";
import type { EventOf } from "../../facts/events.ts";
import type { Desk } from "../files/file-access.ts";
import { accessTo } from "./ide-access.ts";
import { locateSelection } from "./locate-selection.ts";

export async function toEvent(
  ideName: string,
  { path, selectedText, cursor }: EditorContext,
  desk: Desk,
): Promise<{ event: EventOf<"ide_changed">; why?: string }> {
  const nothing = { type: "ide_changed" as const, ideName };
  if (path === undefined || !isAbsolute(path)) return { event: nothing };
  const open = { ...nothing, openFile: path };
  // Where that cannot be told, it may not.
  const access = await accessTo(path, desk).then(
    (found) => found.access,
    () => "denied" as const,
  );
  // Its name is kept, so that the trace can say why nothing is told.
  if (selectedText === undefined || access !== "allowed") return { event: open };
  const lines = locateSelection(selectedText, cursor, await textOf(path, desk));
  if (lines === undefined)
    return { event: open, why: `which lines of ${path} are selected cannot be told: it was not saved` };
  const selection = { filename: path, ...lines, content: selectedText, checked: true };
  return { event: { ...open, selection } };
}

async function textOf(path: string, desk: Desk): Promise<string | undefined> {
  const found = await (await desk.reader()).read(path);
  return found.kind === "text" ? found.text : undefined;
}
