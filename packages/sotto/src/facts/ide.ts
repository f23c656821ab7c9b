// What is open and selected in the user's IDE.

import type { EventOf } from "./events.ts";
import { slice } from "./slice.ts";

export interface IdeFact extends Pick<EventOf<"ide_changed">, "openFile" | "selection"> {
  ideName?: string;
  /** The log entry that last changed it. */
  changed: number;
}

/** Whether an editor reports what the user looks at. */
export interface IdeLink {
  /** The editor that is connected. */
  ideName?: string;
  /** Why none is connected, or why it reports nothing. */
  why?: string;
}

// More than is ever shown of a selection.
const SELECTION_KEPT = 20_001;

export const ide = slice({
  initial: (): IdeFact => ({ changed: 0 }),
  on: ["ide_changed"],
  apply(state, event, { seq }) {
    const { ideName, openFile, selection } = event;
    const now: IdeFact = { ideName, changed: state.changed };
    if (openFile !== undefined) now.openFile = openFile;
    if (selection !== undefined)
      now.selection = { ...selection, content: selection.content.slice(0, SELECTION_KEPT).toWellFormed() };
    if (JSON.stringify(now) === JSON.stringify({ ...state, changed: now.changed })) return;
    for (const key of Object.keys(state)) delete (state as unknown as Record<string, unknown>)[key];
    Object.assign(state, now, { changed: seq });
  },
});

/** The file of the selection, or the open file if nothing is selected. */
export function ideFile({
  openFile,
  selection,
}: Pick<IdeFact, "openFile" | "selection">): string | undefined {
  return isSelected(selection) ? selection.filename : openFile;
}

/** An empty selection is just a cursor. If its content was withheld, it counts as a selection. */
export function isSelected(selection: IdeFact["selection"]): selection is NonNullable<IdeFact["selection"]> {
  return selection !== undefined && (selection.checked !== true || selection.content.trim() !== "");
}

/** Why the editor reports nothing, as the end of a sentence. Empty if unknown. */
export function whyNot(link: { known: true; value: IdeLink } | { known: false } | undefined): string {
  return link?.known && link.value.why !== undefined ? `: ${link.value.why}` : "";
}
